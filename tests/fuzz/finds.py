"""List what fuzzing has found, so that it stays mended: each find with a sentence, a small page, and what's shown."""

from __future__ import annotations

from typing import Final, NamedTuple


class Find(NamedTuple):
    """Hold what was wrong, a page that showed it, the limit it was cleaned to, and what must come out."""

    was: str
    sent: str
    limit: int
    shown: str


# Looked at are 8 characters for each that is shown, and 1024 more.
_LOOKED_AT: Final = 8 * 20 + 1024


def _up_to_the_end(start: str, *, before: int) -> str:
    """Follow a start by what can't be seen, until so many characters are left of what is looked at."""
    return start + "\u200b" * (_LOOKED_AT - before - len(start))


TEXTS: Final = (
    Find(
        "A family at the end of what is looked at lost its child.",
        _up_to_the_end("word ", before=3) + "👩\u200d👩\u200d👧 and the end",
        20,
        "word…",
    ),
    Find("A flag lost its second half.", _up_to_the_end("word ", before=1) + "🇩🇪 and the end", 20, "word…"),
    Find("A letter lost its accent.", _up_to_the_end("word ", before=1) + "e\u0301 and the end", 20, "word…"),
    Find("Half of an entity was shown.", _up_to_the_end("word ", before=5) + "&eacute; and the end", 20, "word…"),
    Find(
        "So was half of one that was encoded twice.",
        _up_to_the_end("word ", before=6) + "&amp;eacute; and the end",
        20,
        "word…",
    ),
    Find("Half of a number became another letter.", _up_to_the_end("word ", before=5) + "e&#769; end", 20, "word…"),
    Find(
        "An accent behind invisible characters came too late for its letter.",
        _up_to_the_end("word ", before=9) + "e\u200b\u200b&#769; end",
        20,
        "word…",
    ),
    Find(
        "So did one behind an entity that invisible characters had parted.",
        _up_to_the_end("word ", before=12) + "&&&#8203;#0;\u0301 and the end",
        20,
        "word…",
    ),
    Find("An end tag with a slash at its end stayed.", "te</b/>xt</div&#47;&#62;and on</p />", 20, "text and on"),
)
# An address that took a second and a half, since one part of the pattern gave back to the other letter by letter.
ADDRESSES: Final = (f"http://{'a' * 8000}#\nx", f"http://{'a' * 4000}/{'b' * 4000}#\nx", f"http://a?{'b' * 8000}#\nx")
