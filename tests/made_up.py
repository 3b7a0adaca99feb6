"""Make up languages: one in which no letter is English, and one whose every text is as long as the longest we ship."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from catalogue import Text

# One letter for one, so that lengths stay; none is an English letter.
_FOREIGN: Final = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "äƀçđëƒğħïĵķłɱñöþɋřšŧüʋŵẋÿžÄɃÇĐËƑĞĦÏĴĶŁⱮÑÖÞɊŘŠŦÜƲŴẊŸŽ",
)
_PLACEHOLDER: Final = re.compile(r"(\{\w+\})")
# What Discord shows in its reader's own language, addresses, and the name of an engine.
_NEUTRAL: Final = re.compile(r"<t:\d+:\w>|<[@#]\d+>|<?https?://\S+|example\.com|Exa(?![a-z])")
_MORE: Final = 0.4
# Read while the tests are collected, as the code itself is: what somebody changes in it later, amid a long run, isn't
# what is tried, and must not be what is translated.
_MESSAGES: Final = [message.id for message in catalogue.read(catalogue.extract().encode(), "de") if message.id]


def foreign(text: str) -> str:
    """Translate into the language without an English letter, 40 % longer, in brackets; placeholders stay."""
    parts = _PLACEHOLDER.split(text)
    shown = "".join(part if _PLACEHOLDER.fullmatch(part) else part.translate(_FOREIGN) for part in parts)
    return f"[{shown}{'ö' * round(_MORE * len(text))}]"


def english_in(shown: str, *data: str) -> list[str]:
    """List the English that is left in what somebody is shown, aside from what is no text of ours."""
    for known in sorted(data, key=len, reverse=True):
        shown = shown.replace(known, "")
    return re.findall(r"[A-Za-z]+", _NEUTRAL.sub("", shown))


def write_foreign(folder: Path) -> None:
    """Write that language's catalogue, in place of German."""
    _write(folder, lambda message: tuple(map(foreign, _forms(message))))


def write_longest(folder: Path) -> None:
    """Write a catalogue, in place of German, whose every text is as long as the longest that is shipped."""
    languages = [catalogue.read(path.read_bytes(), language) for language, path in catalogue.shipped()]

    def longest(message: Text) -> tuple[str, ...]:
        others = [found.string or "" for one in languages if (found := one.get(_key(message))) is not None]
        most = max(len(form) for forms in (message, *others) for form in _forms(forms))
        return tuple(f"{'ö' * (most - len(form))}{form}" for form in _forms(message))

    _write(folder, longest)


def _write(folder: Path, translate: Callable[[Text], tuple[str, ...]]) -> None:
    texts = ((message, translate(message)) for message in map(_text, _MESSAGES))
    catalogue.write(folder, "de", "de", {message: forms if len(forms) > 1 else forms[0] for message, forms in texts})


def _text(message: str | Iterable[str]) -> Text:
    return message if isinstance(message, str) else tuple(message)


def _key(message: Text) -> str:
    return message if isinstance(message, str) else message[0]


def _forms(text: str | Iterable[str]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)
