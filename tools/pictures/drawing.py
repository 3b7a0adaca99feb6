"""Draw messages as Discord's dark theme does, as HTML; pictures from elsewhere are boxes, since nothing is fetched."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import oracle
from oracle.messages import Shown

from . import markdown
from .seen import Above, Seen, Shot

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oracle import Tree

_STYLES: Final = {1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "link"}
_EYE: Final = (
    '<svg viewBox="0 0 24 24"><path d="M12 5C6 5 2 12 2 12s4 7 10 7 10-7 10-7-4-7-10-7z" fill="none" '
    'stroke="currentColor" stroke-width="2.4"/><circle cx="12" cy="12" r="3.2" fill="currentColor"/></svg>'
)
_PICTURE: Final = (
    '<svg viewBox="0 0 24 24"><path d="M3 4h18v16H3zm2 13h14l-4.5-6-3.5 4.500-2-2.500z" fill="currentColor" '
    'fill-rule="evenodd"/></svg>'
)
_EMBED_OF: Final = "Click to see attachment"
_GONE: Final = "Original message was deleted"


class Drawer:
    """Draw shots; all of their Markdown is parsed at once, when the drawer is made."""

    def __init__(
        self, shots: Sequence[Shot], *, parse: Callable[[Sequence[tuple[str, bool]]], list[Tree]] = oracle.parse
    ) -> None:
        texts = sorted({text for shot in shots for seen in shot.messages for text in _shown(seen).texts()})
        self._trees = dict(zip(texts, parse(texts), strict=True))

    def alive(self, shot: Shot) -> set[str]:
        """Collect the kinds of markup that are alive in a shot and that our replies don't use."""
        return {kind for seen in shot.messages for kind in _shown(seen).alive(self._trees)}

    def shot(self, shot: Shot) -> str:
        """Return the HTML of a shot's messages."""
        return "".join(map(self._message, shot.messages))

    def _message(self, seen: Seen) -> str:
        private = " private" if seen.private else ""
        inside = "".join(
            (
                f'<div class="by"><b>{escape(seen.bot)}</b><span class="app">APP</span>',
                f'<span class="when">{seen.created:%H:%M}</span></div>',
                f'<div class="thinking"><i></i><i></i><i></i>{escape(seen.bot)} is thinking…</div>'
                if seen.thinking
                else "",
                f'<div class="content">{self._markdown(seen.content, seen)}</div>' if seen.content else "",
                *(self._embed(embed, seen) for embed in seen.embeds),
                *(_line(line, opened=seen.opened) for line in seen.components),
                '<div class="dismiss">' + _EYE + "Only you can see this • <a>Dismiss message</a></div>"
                if seen.private
                else "",
            )
        )
        return (
            f'<div class="message{private}">{_above(seen)}<div class="row"><div class="avatar bot">W</div>'
            f'<div class="column">{inside}</div></div></div>'
        )

    def _embed(self, embed: Mapping[str, Any], seen: Seen) -> str:
        title = self._markdown(embed.get("title", ""), seen, masked=False)
        if title and "url" in embed:
            title = f"<a>{title}</a>"
        parts = [
            f'<div class="author">{escape(embed["author"]["name"])}</div>' if "author" in embed else "",
            f'<div class="title">{title}</div>' if title else "",
            f'<div class="description">{self._markdown(embed["description"], seen)}</div>'
            if "description" in embed
            else "",
            *(self._field(field, seen) for field in embed.get("fields", ())),
            f'<div class="footer">{escape(embed["footer"]["text"])}</div>' if "footer" in embed else "",
        ]
        thumbnail = f'<div class="thumbnail">{_PICTURE}</div>' if "thumbnail" in embed else ""
        colour = f"#{embed['color']:06x}" if "color" in embed else "#1e1f22"
        return f'<div class="embed" style="border-color:{colour}"><div>{"".join(parts)}</div>{thumbnail}</div>'

    def _field(self, field: Mapping[str, Any], seen: Seen) -> str:
        name, value = self._markdown(field["name"], seen), self._markdown(field["value"], seen)
        return f'<div class="field"><b>{name}</b>{value}</div>'

    def _markdown(self, text: str, seen: Seen, *, masked: bool = True) -> str:
        return markdown.draw(self._trees[text, masked], seen.created, seen.names) if text else ""


def _shown(seen: Seen) -> Shown:
    return Shown(content=seen.content, embeds=seen.embeds, command=seen.command)


def _above(seen: Seen) -> str:
    if seen.above is Above.NOTHING:
        return ""
    if seen.above is Above.COMMAND:
        member = f'<div class="avatar">{escape(seen.member[:1].upper())}</div><b>{escape(seen.member)}</b>'
        slash = "" if seen.menu else "/"
        said = f"{member} used <a>{slash}{escape(seen.command)}</a>"
    elif seen.above is Above.REPLY:
        said = f'<div class="avatar bot">W</div><b>@{escape(seen.bot)}</b> <em>{_EMBED_OF}</em>'
    else:
        said = f"<em>{_GONE}</em>"
    return f'<div class="above"><div class="spine"></div>{said}</div>'


def _line(line: Mapping[str, Any], *, opened: bool) -> str:
    """Draw a line of buttons, or the one menu that fills it."""
    drawn = (_menu(one, opened=opened) if "options" in one else _button(one) for one in line["components"])
    return f'<div class="buttons">{"".join(drawn)}</div>'


def _menu(menu: Mapping[str, Any], *, opened: bool) -> str:
    offered = "".join(
        f"<div><b>{escape(option['label'])}</b>{escape(option.get('description', ''))}</div>"
        for option in menu["options"]
    )
    shown = f'<div class="offered">{offered}</div>' if opened else ""
    return f'<div class="menu"><div class="placeholder">{escape(menu["placeholder"])}<i>⌄</i></div>{shown}</div>'


def _button(button: Mapping[str, Any]) -> str:
    state = " disabled" if button.get("disabled") else ""
    return f'<button class="{_STYLES[button["style"]]}"{state}>{escape(button["label"])}</button>'


def page(figures: Iterable[str]) -> str:
    """Return a whole page that holds the figures."""
    style = Path(__file__).with_name("discord.css").read_text("utf-8")
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Replies</title><style>{style}</style><body>{''.join(figures)}</body></html>"
    )


def figure(shot_id: str, html: str, *, phone: bool) -> str:
    """Frame a shot at the width of a phone, or of a channel on a desktop."""
    return f'<section id="{shot_id}" class="{"phone" if phone else "desktop"}">{html}</section>'
