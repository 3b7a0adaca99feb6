"""Write sizes of files as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .i18n import Words

_THOUSAND: Final = 1000
# Below, a digit behind the point says something.
_FEW: Final = 10


def shown(size: int, words: Words) -> str:
    """Return so many bytes in the unit that leaves few digits, of powers of a thousand, as disks are sold."""
    if size < _THOUSAND:
        return words.plural("{count} byte", "{count} bytes", size)
    value = float(size)
    for unit in ("kB", "MB", "GB"):
        value /= _THOUSAND
        if value < _THOUSAND or unit == "GB":
            break
    return f"{words.number(round(value, 1) if value < _FEW else round(value))} {unit}"
