"""Find in a message what a program makes of a secret: its words, in whatever order, and its letters without the rest.

Search engines cut a query into words and quote those, or write it into an address with other signs between; a key is
quoted without its hyphens. Letters are compared without case, accents and widths.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

import regex

from ..patterns import late_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_WORD: Final = late_regex(r"[\p{L}\p{M}\p{N}]+")
# What's a part of a word as a letter is, such as the vowels of Devanagari, and no accent that people leave out.
_VOWEL: Final = late_regex(r"[\p{M}--[\p{Inherited}\p{Hebrew}]]", regex.VERSION1)
# Of scripts without spaces a program makes words by a dictionary: what's taken for one has so many signs.
_UNSPACED: Final = (
    (late_regex(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}ー]+"), 2),
    (late_regex(r"[\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"), 3),
)
# Shorter words are articles and the like. A word of so many letters is looked for by itself; a longer one also as a
# part of another, as its plural is.
_SHORTEST: Final = 3


def find(message: str, secrets: Iterable[str], *, run: int) -> Iterator[tuple[int, int]]:
    """Yield where a word of a secret stands in the message, or `run` letters of one in a row, signs between or not."""
    words: set[str] = set()
    runs: set[str] = set()
    for secret in secrets:
        words |= _words(secret)
        letters, _ = _letters(secret)
        runs |= set(_pieces(letters, run))
    yield from _find_pieces(message, 0, runs)
    longer = {word for word in words if len(word) > _SHORTEST} | _unspaced(secrets)
    for token in _WORD.finditer(message):
        if _letters(token.group())[0] in words:
            yield token.span()
        else:
            yield from _find_pieces(token.group(), token.start(), longer)


def _words(secret: str) -> set[str]:
    found = (_letters(word)[0] for word in _WORD.findall(secret))
    return {word for word in found if len(word) >= _SHORTEST}


def _unspaced(secrets: Iterable[str]) -> set[str]:
    return {
        piece
        for secret in secrets
        for pattern, length in _UNSPACED
        for stretch in pattern.findall(secret)
        for piece in _pieces(_letters(stretch)[0], length)
    }


def _pieces(letters: str, length: int) -> Iterator[str]:
    return (letters[start : start + length] for start in range(len(letters) - length + 1))


def _find_pieces(text: str, offset: int, pieces: set[str]) -> Iterator[tuple[int, int]]:
    letters, places = _letters(text)
    for length in {len(piece) for piece in pieces}:
        for start, piece in enumerate(_pieces(letters, length)):
            if piece in pieces:
                yield offset + places[start], offset + places[start + length - 1] + 1


def _letters(text: str) -> tuple[str, list[int]]:
    """Return the letters and digits of a text, as they're compared, and the place in the text of each."""
    found = [(letter, place) for place, sign in enumerate(text) for letter in _compared(sign)]
    return "".join(letter for letter, _ in found), [place for _, place in found]


def _compared(sign: str) -> str:
    """Return what stands for a sign: none, or several letters, as for a ligature."""
    if sign.isascii():
        return sign.lower() if sign.isalnum() else ""
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", sign).casefold())
    # Put together again: a Korean syllable is one sign.
    return unicodedata.normalize("NFC", "".join(part for part in parts if part.isalnum() or _VOWEL.match(part)))
