"""Read a question in everyday words: what it's about, and which other words mean the same."""

from __future__ import annotations

import re
from typing import Final

import msgspec

# Words that hold a question together and say nothing of what it's about.
_STOP_WORDS: Final = """
    a an and any are as at be been but by can could did do does for from get gets give given had has have how i if in
    into is it its itself just like me my of on one onto or our out please shall should so some someone something than
    that the their them then there these they this those to up us use used using want was way we were what when where
    which while who whose why will with without would you your
"""
_STOP: Final = frozenset(_STOP_WORDS.split())
# Each line holds words that people and documentation use for one thing. Only words whose meaning in questions about
# software is the same stand together; a word may stand in several lines.
_SYNONYMS: Final = """
    folder directory dir
    delete remove erase unlink
    create make new generate
    copy duplicate clone
    dict dictionary dictionaries mapping
    list sequence array iterable
    text string str
    int integer number
    function callable callback
    run execute call
    start launch spawn run
    stop cancel abort terminate kill
    async asyncio coroutine awaitable
    find search locate
    parse decode deserialize
    convert transform turn
    encode serialize
    save write dump store
    read load
    program executable command binary
    count occurrence
    occur count
    check test verify whether
    error exception
    remember cache memoize
    archive zip tar
    compress zip gzip
    wrap fold
    everything tree recursive recursively nested whole entire
    temporary temp tmp
    process subprocess
    secure cryptographic strong
    environment environ env
    url link
    download fetch retrieve
    show display print
    average mean
    regex regexp re
    free available
    web http internet
    several multiple many
    collect gather aggregate
    concurrently parallel simultaneously
    separate different another
    timeout deadline
""".strip()
# A word of several that is one thing.
_PHRASES: Final = {
    "at once": "concurrently",
    "where is": "locate",
    "regular expression": "regex",
    "regular expressions": "regex",
}
_SYNONYM_WORTH: Final = 0.85
_PREFIX_WORTH: Final = 0.4
_PREFIX_LENGTH: Final = 4
# Scripts that put no spaces between words, and Hangul, whose words take endings: Thai, Lao, Tibetan, Myanmar, Hangul
# jamo, Khmer, kana, bopomofo, Hangul compatibility jamo, Han, Hangul syllables, and Han beyond the basic plane.
_RUN: Final = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u312f\u3130-\u318f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff]+"
)
# What's, don't, I'll: the part behind the apostrophe says nothing.
_CONTRACTION: Final = re.compile(r"(?<=\w)(?:n['’]t|['’](?:s|re|ve|ll|d|m))\b", re.IGNORECASE)  # noqa: RUF001 - both are typed
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# A dot or underscore between letters, a call, or a capital after a small letter.
_IDENTIFIER: Final = re.compile(r"\w[._]\w|\(\)|[a-z0-9][A-Z]")
_WORD: Final = re.compile(r"[^\W_]+")
# C++, C#, F#: without its signs the letter is another thing.
_SIGNED: Final = re.compile(r"(?<!\w)([^\W\d_])(\+\+|#)")
# The index of such scripts holds every three letters in a row.
GRAM: Final = 3
# More words than this make a question no clearer, only slower.
_MOST: Final = 24
_LONGEST_RUN: Final = 60


class Concept(msgspec.Struct, frozen=True):
    """Hold one thing that is asked for: full-text expressions that find it, each with its worth from 0 to 1.

    `literal`, where it isn't empty, is what a passage must hold as it stands: the index knows no signs.
    """

    forms: tuple[tuple[str, float], ...]
    literal: str = ""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Hold a query as it's looked up.

    `names` are the identifiers that may be a document's name as a whole, in lower case; `words` what is asked for, word
    by word, likewise; `runs` the pieces in scripts without spaces.
    """

    concepts: tuple[Concept, ...]
    words: frozenset[str]
    names: tuple[str, ...]
    runs: tuple[str, ...]


def has_run(text: str) -> bool:
    """Tell whether text holds characters of a script that puts no spaces between words."""
    return _RUN.search(text) is not None


def spread(text: str) -> str:
    """Return text with the parts of its camelCase words behind it, so that each of them is found."""
    parts = [part for word in _WORD.findall(text) if len(pieces := _CAMEL.split(word)) > 1 for part in pieces]
    return " ".join([text, *parts])


def read(query: str) -> Question:
    """Read any text as a question; one that holds no word has neither concepts nor runs."""
    query = query.replace("\x00", " ")
    runs = tuple(dict.fromkeys(_RUN.findall(query)))[:_MOST]
    query = _CONTRACTION.sub("", query)
    lowered = query.lower()
    for phrase, word in _PHRASES.items():
        lowered = re.sub(rf"\b{phrase}\b", word, lowered)
    changed = query if lowered == query.lower() else lowered
    signed = [f"{letter}{signs}".lower() for letter, signs in _SIGNED.findall(changed)]
    changed = _RUN.sub(" ", _SIGNED.sub(" ", changed))
    words = [word.lower() for piece in _WORD.findall(changed) for word in _CAMEL.split(piece)]
    meant = [word for word in words if word not in _STOP] or ([] if signed else words)
    concepts = {word: Concept(((quote(word[0]), 1.0),), literal=word) for word in signed}
    concepts |= {word: _concept(word) for word in meant}
    return Question(concepts=tuple(concepts.values())[:_MOST], words=frozenset(meant), names=_names(query), runs=runs)


def _names(query: str) -> tuple[str, ...]:
    """Return what may be a document's whole name: the only word, or words that look like identifiers."""
    pieces = [(piece, piece.strip(".,:;?!()'\"`")) for piece in query.split()]
    return tuple(
        name.lower() for piece, name in pieces if name and (len(pieces) == 1 or _IDENTIFIER.search(piece) is not None)
    )


def _concept(word: str) -> Concept:
    forms = {quote(word): 1.0}
    for other in _synonyms(word):
        forms.setdefault(quote(other), _SYNONYM_WORTH)
    if len(word) >= _PREFIX_LENGTH:
        forms[f"name : {quote(word)} *"] = _PREFIX_WORTH
    return Concept(tuple(forms.items()))


def _synonyms(word: str) -> list[str]:
    bases = {word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ing"), word.removesuffix("ed")}
    bases |= {f"{word.removesuffix('ing')}e", f"{word.removesuffix('ed')}e", word.removesuffix("d")}
    lines = [line.split() for line in _SYNONYMS.splitlines()]
    return [other for line in lines if bases & set(line) for other in line if other not in bases]


def grams(run: str) -> list[str]:
    """Return every `GRAM` letters in a row of a piece without spaces, each once; a shorter piece is returned itself."""
    last = max(1, min(len(run), _LONGEST_RUN) - GRAM + 1)
    return list(dict.fromkeys(run[start : start + GRAM] for start in range(last)))


def quote(text: str) -> str:
    """Return text as one string of the full-text query language, whatever it holds."""
    doubled = text.replace('"', '""')
    return f'"{doubled}"'
