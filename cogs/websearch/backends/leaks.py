"""Find a key in what would be shown: results hold much by chance, so that it's compared in runs, not in words."""

from __future__ import annotations

import re
import string
import unicodedata
from itertools import groupby
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes

from ..patterns import late_re

if TYPE_CHECKING:
    from collections.abc import Iterable

# Letters and digits that are compared at a time, and how far apart such pieces of a key begin. A part of a key that has
# the sum of both, less one, holds one whole piece: twelve.
PIECE: Final = 8
STRIDE: Final = 5
# Signs that are compared at a time of a key without a digit.
WORDY: Final = 9
# A shorter key is looked for nowhere: whatever has it in it has it by chance.
SHORTEST: Final = 4
# An address that is still encoded after so many rounds leads no reader to a key.
ROUNDS: Final = 3

_ALNUM: Final = (string.ascii_letters + string.digits).encode()
_DROPPED: Final = bytes(sign for sign in range(256) if sign not in _ALNUM)
_NO_DIGITS: Final = bytes(sign for sign in range(256) if sign not in string.digits.encode())
_ASCII: Final = bytes(range(128))
# How those letters begin, in UTF-8, that stand for letters and digits of ASCII (NFKC): wide and raised ones, ligatures.
# Looking for them takes a tenth of the time of normalising, which most texts needn't be.
_STARTS: Final = """
c2aa c2b2 c2b3 c2b9 c2ba c2bc c2bd c2be c4b2 c4b3 c4bf c580 c589 c5bf c7 ca cb e1b4 e1b5 e1b6 e1ba e281 e282 e284 e285
e28689 e291 e292 e293 e2b1 e389 e38a e38b e38d e38e e38f ea9f efac efbc efbd f0909e f09d f09f84 f09f85 f09f86 f09faf
"""
_LOOKALIKES: Final = tuple(map(bytes.fromhex, _STARTS.split()))
# By their first bytes, which a pattern skips to.
_LOOKALIKE: Final = late_re(
    b"|".join(
        re.escape(first) + b"(?:" + b"|".join(re.escape(start[1:]) for start in starts) + b")"
        for first, starts in groupby(sorted(_LOOKALIKES), lambda start: start[:1])
    )
)
_LOWER: Final = bytes.maketrans(string.ascii_uppercase.encode(), string.ascii_lowercase.encode())


class Guard:
    """Know one key, without what all keys of its engine begin with; an empty one is found nowhere.

    A key is compared by its letters and digits, in either case and whatever stands between them; one without a digit
    as it's written, since it may be made of words. One that's shorter than a piece is looked for whole; a plain word,
    such as the `ollama` that endpoints without keys are given, isn't looked for then, since answers may hold it.
    """

    def __init__(self, secret: str) -> None:
        raw = secret.encode()
        self._folds = any(sign in b"0123456789" for sign in raw)
        compared = _folded(raw) if self._folds else raw
        # Words have more in common with other texts.
        piece, stride = (PIECE, STRIDE) if self._folds else (WORDY, WORDY)
        last = len(compared) - piece
        starts = () if last < 0 else {*range(0, last + 1, stride), *((last,) if self._folds else ())}
        self._pieces = tuple(compared[start : start + piece] for start in sorted(starts))
        self._digits = {piece.translate(None, _NO_DIGITS) for piece in self._pieces}
        short = not starts and len(secret) >= SHORTEST and not secret.isalpha()
        self._whole = raw if short else b""

    def is_in(self, raw: bytes) -> bool:
        """Tell whether the key, or much of it, stands in a body as it came."""
        if self._whole:
            return self._whole in raw
        if not self._pieces:
            return False
        if not self._folds:
            return _holds(raw, self._pieces)
        # No piece without its digits, one behind the other: that takes a third of the time to see, since there are few.
        return _holds(raw.translate(None, _NO_DIGITS), self._digits) and _holds(_folded(raw), self._pieces)

    def is_shown_by(self, text: bytes) -> bool:
        """Tell whether it stands in what is shown, in UTF-8: also in other letters, and encoded in an address."""
        if not (self._pieces or self._whole):
            return False
        if self.is_in(text):
            return True
        for _ in range(ROUNDS):
            plain = unquote_to_bytes(text) if b"%" in text else text
            if not plain.isascii() and _has_lookalikes(plain):
                plain = unicodedata.normalize("NFKC", plain.decode(errors="replace")).encode()
            if plain == text:
                return False
            if self.is_in(plain):
                return True
            text = plain
        return False


def _holds(compared: bytes, parts: Iterable[bytes]) -> bool:
    # Not `any`, which takes half as long again for so few.
    for part in parts:  # noqa: SIM110
        if part in compared:
            return True
    return False


def _folded(raw: bytes) -> bytes:
    return raw.translate(_LOWER, _DROPPED)


def _has_lookalikes(raw: bytes) -> bool:
    return _LOOKALIKE.search(raw.translate(None, _ASCII)) is not None
