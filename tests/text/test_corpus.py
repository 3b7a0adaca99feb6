"""Hold cleaning against real-looking text in many scripts."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import msgspec
import pytest
import regex
import tomli

from cogs.websearch import text
from text.alive import alive, reading


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hold one text as a page sends it, and as it must read; `shown` is left out where nothing changes."""

    script: str
    sent: str
    shown: str = ""


CORPUS = msgspec.convert(tomli.loads((Path(__file__).parent / "corpus.toml").read_text("utf-8"))["text"], list[Sample])
# Unicode's own names, without those that all scripts share.
SCRIPTS = [
    *("Adlam", "Arabic", "Armenian", "Bengali", "Bopomofo", "Braille", "Canadian_Aboriginal"),
    *("Cherokee", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Gothic", "Greek"),
    *("Gujarati", "Gurmukhi", "Han", "Hangul", "Hebrew", "Hiragana", "Javanese"),
    *("Kannada", "Katakana", "Khmer", "Lao", "Latin", "Malayalam", "Mongolian"),
    *("Myanmar", "Nko", "Oriya", "Sinhala", "Syriac", "Tamil", "Telugu"),
    *("Thaana", "Thai", "Tibetan", "Tifinagh", "Yi"),
]


@pytest.mark.parametrize("sample", CORPUS, ids=[f"{number}-{one.script}" for number, one in enumerate(CORPUS)])
def test_real_text_reads_as_it_was_meant(sample: Sample) -> None:
    """TXT-05 TXT-11: a text reads as the corpus says, cleaned once and twice, escaped and plain."""
    # A browser shows a text and its composed form alike.
    shown = unicodedata.normalize("NFC", sample.shown or sample.sent)
    line = text.clean(sample.sent, 400)
    assert line == shown
    assert text.clean(line, 400) == line
    assert alive(text.escape(line)) == []
    assert reading(text.escape(line)) == shown


@pytest.mark.parametrize("sample", CORPUS, ids=[f"{number}-{one.script}" for number, one in enumerate(CORPUS)])
def test_real_text_is_cut_as_it_is_read(sample: Sample) -> None:
    """TXT-08 TXT-11 TXT-14: wherever it's cut, a text ends with a whole grapheme and an ellipsis, escaped or not."""
    line = text.clean(sample.sent, 400)
    ends = {0, *(found.end() for found in regex.finditer(r"\X", line))}
    for limit in range(1, len(line)):
        for short in (text.cut(line, limit), reading(text.escape_within(line, limit))):
            kept = len(short) - 1
            assert short.endswith("…")
            assert line.startswith(short[:-1])
            # A space at the end goes, too.
            assert {kept, kept + 1} & ends


def test_the_corpus_is_wide() -> None:
    """TXT-11: the corpus has at least 40 texts, in each of 40 scripts by Unicode's own count."""
    assert len(CORPUS) >= 40
    assert len(SCRIPTS) >= 40
    shown = "".join(text.clean(sample.sent, 400) for sample in CORPUS)
    few = {script: len(regex.findall(rf"\p{{Script={script}}}", shown)) for script in SCRIPTS}
    assert {script: count for script, count in few.items() if count < 5} == {}
