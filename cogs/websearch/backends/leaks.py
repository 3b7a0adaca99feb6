"""Find a key in what would be shown: results hold much by chance, so that it's compared in runs, not in words."""

from __future__ import annotations

import string
import unicodedata
from typing import Final
from urllib.parse import unquote_to_bytes

# Letters and digits that are compared at a time, and how far apart such pieces of a key begin. A part of a key that has
# the sum of both, less one, holds one whole piece: twelve.
PIECE: Final = 9
STRIDE: Final = 4
# A shorter key is looked for nowhere: whatever has it in it has it by chance.
SHORTEST: Final = 4
# An address that is still encoded after so many rounds leads no reader to a key.
ROUNDS: Final = 3

_ALNUM: Final = (string.ascii_letters + string.digits).encode()
_DROPPED: Final = bytes(sign for sign in range(256) if sign not in _ALNUM)
_LOWER: Final = bytes.maketrans(string.ascii_uppercase.encode(), string.ascii_lowercase.encode())


class Guard:
    """Know one key, without what all keys of its engine begin with; an empty one is found nowhere.

    A key is compared by its letters and digits, in either case and whatever stands between them. One that has fewer
    than `PIECE` of them is looked for whole and as it's written; one that is a plain word, such as the `ollama` that
    endpoints without keys are given, isn't looked for, since answers may hold it.
    """

    def __init__(self, secret: str) -> None:
        folded = _folded(secret.encode())
        last = len(folded) - PIECE
        starts = () if last < 0 else sorted({*range(0, last + 1, STRIDE), last})
        self._pieces = tuple(folded[start : start + PIECE] for start in starts)
        short = not starts and len(secret) >= SHORTEST and not secret.isalpha()
        self._whole = secret.encode() if short else b""

    def is_in(self, raw: bytes) -> bool:
        """Tell whether the key, or much of it, stands in a body as it came."""
        if self._whole:
            return self._whole in raw
        if not self._pieces:
            return False
        folded = _folded(raw)
        return any(piece in folded for piece in self._pieces)

    def is_shown_by(self, text: bytes) -> bool:
        """Tell whether it stands in what is shown, in UTF-8: also in other letters, and encoded in an address."""
        if not (self._pieces or self._whole):
            return False
        if self.is_in(text):
            return True
        for _ in range(ROUNDS):
            plain = unquote_to_bytes(text) if b"%" in text else text
            if not plain.isascii():
                plain = unicodedata.normalize("NFKC", plain.decode(errors="replace")).encode()
            if plain == text:
                return False
            if self.is_in(plain):
                return True
            text = plain
        return False


def _folded(raw: bytes) -> bytes:
    return raw.translate(_LOWER, _DROPPED)
