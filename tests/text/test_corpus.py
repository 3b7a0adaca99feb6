"""Hold cleaning against real-looking text in many scripts."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import tomli

from cogs.websearch import text
from text.alive import alive, reading


class Sample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Hold one text as a page sends it, and as it must read; `shown` is left out where nothing changes."""

    script: str
    sent: str
    shown: str = ""


CORPUS = msgspec.convert(tomli.loads((Path(__file__).parent / "corpus.toml").read_text("utf-8"))["text"], list[Sample])


@pytest.mark.parametrize("sample", CORPUS, ids=[f"{number}-{one.script}" for number, one in enumerate(CORPUS)])
def test_real_text_reads_as_it_was_meant(sample: Sample) -> None:
    """TXT-05 TXT-11: a text reads as the corpus says, cleaned once and twice, escaped and plain."""
    shown = sample.shown or sample.sent
    line = text.clean(sample.sent, 400)
    assert line == shown
    assert text.clean(line, 400) == line
    assert alive(text.escape(line)) == []
    assert reading(text.escape(line)) == shown


def test_the_corpus_is_wide() -> None:
    """TXT-11: the corpus has at least 30 texts in at least 18 scripts."""
    assert len(CORPUS) >= 30
    assert len({sample.script for sample in CORPUS}) >= 18
