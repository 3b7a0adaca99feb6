"""Find what was probably meant for the web search in a configuration, and which nobody reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from . import masking
from .config import HEADER, KEYS, TABLE, is_like_table
from .keys import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# How much a key at the root must be like one of ours to be taken for a slip: those of other parts of a bot are there.
_LIKE: Final = 0.85
# More are a file of something else.
_MOST: Final = 5
# Such keys have no place in a sentence.
_KEY_LENGTH: Final = 60
# The key of the bundled bot alone: a host has a token of its own, by whatever name.
BUNDLED: Final = "discord-token"
SWITCH: Final = "enable-web-search"


class Slip(msgspec.Struct, frozen=True):
    """Name a key that isn't read, and what was probably meant: the same where its place alone is wrong."""

    name: str
    nearest: str

    @property
    def is_misplaced(self) -> bool:
        """Tell whether it's a key of ours outside of the table."""
        return self.name == self.nearest

    @property
    def hides_the_switch(self) -> bool:
        """Tell whether it may be why searching is off."""
        return self.nearest in {SWITCH, HEADER}


def find(mapping: Mapping[Any, object], *, bundled: bool = True) -> tuple[Slip, ...]:
    """List keys at the root of a mapping that were probably meant for us, five at most.

    What isn't like a key of ours is a host's own. Without `bundled`, nor is the bundled bot's token looked for.
    """
    return tuple(slip for slip in _slips(mapping) if bundled or slip.nearest != BUNDLED)[:_MOST]


def _slips(mapping: Mapping[Any, object]) -> Iterator[Slip]:
    nested = TABLE in mapping
    for name, value in mapping.items():
        if is_like_table(name, value):
            yield Slip(f"[{masking.name_as(str(name))}]", HEADER)
        elif isinstance(name, str) and (nested or name not in KEYS) and name != TABLE:
            near = nearest(name[:_KEY_LENGTH].lower().replace("_", "-"), KEYS, likeness=_LIKE)
            if near:
                yield Slip(masking.name_as(name), near)
