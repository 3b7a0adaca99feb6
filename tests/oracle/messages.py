"""Tell what is alive in a message of the cog and isn't ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cogs.websearch import render

from . import foreign, foreign_in_text, kinds, unlinked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from . import Tree

# What a moderator's panel holds: whether it's on, the rule's name, who set it and when.
_PANEL: Final = frozenset({"strong", "em", "user", "timestamp"})
# Where a panel names other places: by mention, never within the emphasis in which a name stands that somebody typed.
_PLACES: Final = frozenset({"channel"})
# What one's own searches hold: when what resets and ends.
_OWN: Final = frozenset({"timestamp"})
# What a refusal holds: when to come back.
_REFUSAL: Final = frozenset({"timestamp"})
# What a message of the bot's own, which answers no command, tells its owner: since when.
_NOTE: Final = frozenset({"timestamp"})


@dataclass(frozen=True, kw_only=True)
class Shown:
    """Hold what a message shows; `embeds` are as Discord's answers hold them, `command` is what it answers."""

    content: str
    embeds: Sequence[Mapping[str, Any]]
    command: str = ""

    def texts(self) -> Iterator[tuple[str, bool]]:
        """List the texts in which Discord renders Markdown, each with whether masked links are links in it."""
        yield self.content, True
        for embed in self.embeds:
            yield from _texts(embed)

    def alive(self, trees: Mapping[tuple[str, bool], Tree]) -> set[str]:
        """Collect the kinds of markup that are alive and that our replies don't use, of the trees of all texts."""
        is_panel = self.command.startswith("websearch ")
        panel = _PANEL if is_panel else frozenset()
        own = _OWN if self.command == "searches" else frozenset()
        note = frozenset() if self.command or self.embeds else _NOTE
        found = foreign_in_text(trees[self.content, True]) - panel - own - note
        for embed in self.embeds:
            refuses = embed.get("color") in {render.QUIET, render.TROUBLE}
            ours = panel | (_REFUSAL if refuses else frozenset())
            for text in _texts(embed):
                tree, is_ours = trees[text], text[0] == embed.get("description")
                if is_ours and embed.get("color") == render.ACCENT:
                    tree = unlinked(tree)
                places = _PLACES - _nested(tree) if is_panel and is_ours else frozenset()
                found |= foreign(tree) - places - (ours if is_ours else own)
        return found


def _nested(tree: Tree) -> set[str]:
    """Collect the kinds of markup that stand within other markup."""
    return {kind for node in tree if isinstance(node.get("content"), list) for kind in kinds(node["content"])}


def _texts(embed: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    yield embed.get("title", ""), False
    yield embed.get("description", ""), True
    for field in embed.get("fields", ()):
        yield field["name"], True
        yield field["value"], True
