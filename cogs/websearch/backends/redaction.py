"""Take secrets out of what an engine says before it reaches a log."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from .. import limits, text
from ..patterns import late_re
from . import fragments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# How much of a message is looked at, in code points: far more than `limits.DETAIL`, far less than a whole body.
SCOPE: Final = 4096
# A run of so many code points of a secret gives it away: UUIDs share no run of six by chance, and a key that the engine
# itself cut in half still holds many. Shorter secrets are looked for whole.
RUN: Final = 6
# A message that is still encoded, or in which words are still found, after so many rounds was made to deceive.
ROUNDS: Final = 6
MARK: Final = "[redacted]"

_JSON_ESCAPE: Final = late_re(r"\\u([0-9a-fA-F]{4})|\\(.)", re.DOTALL)


def explain(message: str, secrets: Iterable[str], *, host: str = "") -> str:
    """Return the message without secrets and markup, on one line, cut to `limits.DETAIL`.

    Every run of `RUN` code points of a secret is replaced, in either case, with its punctuation or without, and each of
    its words wherever that stands by itself, as `fragments` finds them; also where they are escaped for a URL, for JSON
    or for HTML, alone or in each other. The message comes back decoded. `host` is the engine's own and no secret, so
    that the whole of it stays, whatever a secret has in common with it.
    """
    plain = _decoded(message[:SCOPE])
    if plain is None:
        return ""
    forms = tuple({form for secret in secrets for form in (secret, _decoded(secret)) if form})
    shown = _masked(plain, forms, host)
    if len(message) > SCOPE and not shown.endswith(MARK):
        # The start of a secret that `SCOPE` cut is too short to be told from other text.
        shown = shown[:-RUN]
    return text.cut(shown, limits.DETAIL)


def _decoded(message: str) -> str | None:
    for _ in range(ROUNDS):
        # Cleaning comes first in each round: it joins what tags and invisible characters had kept apart.
        plain = unquote(html.unescape(_JSON_ESCAPE.sub(_unescape, text.clean(message, SCOPE))))
        if plain == message:
            return plain
        message = plain
    return None


def _unescape(match: re.Match[str]) -> str:
    code, letter = match.groups()
    if code:
        return chr(int(code, 16))
    return " " if letter in "nrtbf" else str(letter)


def _masked(message: str, secrets: Sequence[str], host: str) -> str:
    folded = _folded(message)
    hidden = bytearray(len(message))
    spans = [*_all_runs(folded, secrets), *fragments.find(message, secrets, run=RUN)]
    # Of words without anything between them, hiding one leaves the next standing by itself.
    for _ in range(ROUNDS):
        for start, end in spans:
            hidden[start:end] = b"\x01" * (end - start)
        left = "".join(" " if hide else letter for letter, hide in zip(message, hidden, strict=True))
        spans = list(fragments.find(left, secrets, run=RUN))
        if not spans:
            break
    if host:
        for found in re.finditer(rf"(?<![\w.-]){re.escape(_folded(host))}(?![\w.-])", folded):
            hidden[found.start() : found.end()] = bytes(len(host))
    shown = "".join("\0" if hide else letter for letter, hide in zip(message, hidden, strict=True))
    return re.sub("\0+", MARK, shown)


def _all_runs(folded: str, secrets: Iterable[str]) -> Iterator[tuple[int, int]]:
    for secret in secrets:
        yield from _runs(folded, _folded(secret))


def _runs(message: str, secret: str) -> Iterator[tuple[int, int]]:
    length = min(RUN, len(secret))
    runs = {secret[start : start + length] for start in range(len(secret) - length + 1)}
    for start in range(len(message) - length + 1):
        if message[start : start + length] in runs:
            yield start, start + length


def _folded(message: str) -> str:
    # As long as the message, so that places agree: a letter whose lower case is longer stays.
    lowered = (letter.lower() if len(letter.lower()) == 1 else letter for letter in message)
    return "".join(lowered).replace("+", " ")
