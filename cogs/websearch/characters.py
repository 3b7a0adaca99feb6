"""Take out the characters that a reader can't see or that wreck a line, and keep those that real writing needs.

Property names are Unicode's own; which character has which property is the `regex` package's table.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from .patterns import late_re, late_regex

if TYPE_CHECKING:
    import regex

# Marks that stack on any letter: more than two of them on one letter is no language's spelling once text is composed.
_ANY_LETTER: Final = late_regex(r"[\u0300-\u036F\u0483-\u0489\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]")
_ANY_LETTER_MOST: Final = 2
# Burmese and Tibetan come to five marks on a letter, pointed Hebrew and Quranic Arabic to four.
_MARKS_MOST: Final = 5

# Scripts in which a joiner or non-joiner changes how a word is read.
_SHAPED_SCRIPTS: Final = """
Arab Syrc Mand Nkoo Mong Phag Adlm Rohg Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Bali Java Newa
"""
_SHAPED: Final = "".join(rf"\p{{scx={script}}}" for script in _SHAPED_SCRIPTS.split())

# What a joiner belongs to also where a word ends: a virama of Malayalam, whose final letters were written so before
# Unicode had them, of Bengali, likewise, and of Devanagari, where half a letter is shown by itself; and the Arabic heh
# which, alone after a year, stands for the Hijra.
_JOINED_LAST: Final = r"(?:[[\p{Mlym}\p{Beng}\p{Deva}]&&\p{InSC=Virama}]|(?<![\p{L}\p{M}])\u0647)"

# What is kept whole although it holds invisible characters; tried in order at each place. An emoji sequence joins four
# pictures at most, as the longest that Unicode recommends does. Of the flags made of tag characters only the three that
# Unicode recommends are kept: any other shows a black flag with hidden text behind it.
_KEPT: Final = rf"""
  \U0001F3F4 (?: \U000E0067\U000E0062 (?: \U000E0065\U000E006E\U000E0067 | \U000E0073\U000E0063\U000E0074
                                        | \U000E0077\U000E006C\U000E0073 ) ) \U000E007F
| \p{{ExtPict}} [\uFE0E\uFE0F]? \p{{EMod}}? (?: \u200D \p{{ExtPict}} [\uFE0E\uFE0F]? \p{{EMod}}? ){{0,3}}
| [0-9\#*] \uFE0F \u20E3
| \p{{Han}} [\U000E0100-\U000E01EF]
| [\p{{Mong}}&&\p{{L}}] [\u180B-\u180D\u180F]
| [\p{{Mong}}&&\p{{L}}] \u180E (?= [\p{{Mong}}&&\p{{L}}] )
| (?<= [[{_SHAPED}]&&[\p{{L}}\p{{M}}]] ) [\u200C\u200D] (?= [[{_SHAPED}]&&\p{{L}}] )
| (?<= [[{_SHAPED}]&&\p{{L}}] ) \u200D (?= \p{{InSC=Virama}} )
| (?<= [\p{{Arab}}&&\p{{L}}] ) \u200D (?= [\p{{P}}\p{{N}}] )
| (?<= {_JOINED_LAST} ) \u200D
"""

# Other (control, format, surrogate, private use, unassigned) but for the visible signs that stand before Arabic
# numbers; all that is ignorable by default; and what has a blank glyph or stands for something that is not there.
_UNSEEN: Final = r"[[\p{C}\p{DI}\uFFFC\U0001D159\U00016FE4\U00013441\U00013442]--\p{PCM}]"

_TAKEN: Final = late_regex(rf"(?V1x) (?: {_KEPT} ) (*SKIP)(*FAIL) | {_UNSEEN}+")
_TAKEN_ALL: Final = late_regex(rf"(?V1){_UNSEEN}+")
# Read from the end backwards, so that no run of them before the last one is looked at.
_JOINER_END: Final = late_regex(rf"(?V1r)(?:[\u200C\u180E]|(?<!{_JOINED_LAST})\u200D)*+\Z")
_UNSEEN_END: Final = late_regex(rf"(?V1r)[{_UNSEEN}--\s]*+\Z")
# Those of them that `str.isprintable` lets pass: a text without them needs no closer look.
_UNSEEN_PRINTABLE: Final = late_re(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\ufffc"
    "\U0001d159\U00013441\U00013442\U00016fe4\U000e0100-\U000e01ef]"
)
# Characters that need no closer look, whatever stands beside them: each is visible or a space, composed, and a grapheme
# of its own. Most of what is searched for in Latin, Greek, Cyrillic, Hebrew, Arabic, Chinese, Japanese and Korean is
# made of them, and a test holds each of them against the rules above.
_PLAIN: Final = late_re(
    "[ -~\u00a1-\u00ac\u00ae-\u02ff\u0370-\u0373\u0376\u0377\u037b-\u037d\u0388-\u038a\u038e-\u03a1\u03a3-\u0482"
    "\u048a-\u052f\u05d0-\u05ea\u060c\u061b\u061f\u0621-\u064a\u0660-\u066f\u1e00-\u1eff\u2010-\u2027\u2030-\u205e"
    "\u20a0-\u20bf\u2100-\u2125\u2190-\u2328\u2460-\u27ff\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u9fff"
    "\uac00-\ud7a3\uff01-\uff60\U0001f300-\U0001f3fa\U0001f400-\U0001f64f\U0001f680-\U0001f6d2]*+"
)
# Composing sorts the marks of a letter in time squared; Unicode's stream-safe texts (UAX 15) have at most 30.
_ENDLESS: Final = late_regex(r"(\p{M}{30})\p{M}+")
_MARK: Final = late_regex(r"\p{M}")
_CROWDED: Final = late_regex(r"\p{M}{3,}|(\p{M})\1")
# A mark with nothing to stand on would land on whatever a caller puts before it.
_ORPHANS: Final = late_regex(r"(?:\A|(?<= ))[\p{Mn}\p{Me}]+")
# The braille cell without dots is that script's space.
_BRAILLE_BLANK: Final = "\u2800"


def fold(text: str) -> str:
    """Make every run of white space, line breaks included, one space, and trim."""
    return " ".join(text.split())


def drop_unseen_end(text: str) -> str:
    """Return text without the characters at its end that can't be seen, white space aside."""
    end = _UNSEEN_END.search(text)
    return text[: end.start()] if end else text


def drop_joiner_end(text: str) -> str:
    """Return text without the joiners at its end, but for one that belongs to the letter before it."""
    if text[-1:].isascii():
        return text
    end = _JOINER_END.search(text)
    return text[: end.start()] if end else text


def is_plain(text: str) -> bool:
    """Tell whether text holds only characters of which each is known to be visible, composed and a grapheme of its own.

    It says nothing of how its spaces are folded. Text that is not plain may still need no change.
    """
    return _PLAIN.fullmatch(text) is not None


def keep_visible(text: str, *, strict: bool = False) -> str:
    """Return folded text composed (NFC) and without characters that can't be seen.

    Kept where writing needs them: joiners inside words of scripts that shape letters and after a last letter that is
    written with one, and the inner workings of emoji, flags, keycaps and Han variants; with `strict` not even those.
    Marks are held to what real scripts stack.
    """
    if is_plain(text):
        return text
    text = text.replace(_BRAILLE_BLANK, " ")
    if _MARK.search(text):
        text = _ENDLESS.sub(r"\1", text)
    text = unicodedata.normalize("NFC", text)
    if not text.isprintable() or _UNSEEN_PRINTABLE.search(text):
        text = (_TAKEN_ALL if strict else _TAKEN).sub("", text)
    if _MARK.search(text):
        text = _ORPHANS.sub("", fold(_CROWDED.sub(_thin, text)))
    return fold(text)


def _thin(run: regex.Match[str]) -> str:
    """Keep of one letter's marks the first few, none twice in a row."""
    kept: list[str] = []
    stacked = 0
    for mark in run[0]:
        if kept and kept[-1] == mark:
            continue
        if _ANY_LETTER.match(mark):
            if stacked == _ANY_LETTER_MOST:
                continue
            stacked += 1
        kept.append(mark)
        if len(kept) == _MARKS_MOST:
            break
    return "".join(kept)
