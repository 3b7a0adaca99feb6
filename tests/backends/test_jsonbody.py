"""Read JSON whose end is missing."""

from __future__ import annotations

import json
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch.backends import jsonbody

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9999, 9999) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(VALUES, st.booleans(), st.data())
@settings(max_examples=300, deadline=None)
def test_any_cut(value: object, escaped: bool, data: st.DataObject) -> None:  # noqa: FBT001 - hypothesis gives it
    """HTTP-17: wherever JSON is cut, what comes is JSON or nothing, and the whole of it is read as it is."""
    body = json.dumps(value, ensure_ascii=escaped).encode()
    assert jsonbody.decode_cut(body) == jsonbody.decode(body)
    end = data.draw(st.integers(0, len(body)))
    found = jsonbody.decode_cut(body[:end])
    assert found is None or isinstance(found, type(value)) or not isinstance(value, dict | list)


@given(st.binary(max_size=60))
def test_any_bytes(body: bytes) -> None:
    """HTTP-17: whatever comes, nothing is raised."""
    jsonbody.decode_cut(body)


@given(st.text(min_size=30, max_size=60), st.integers(40, 90), st.booleans())
@settings(max_examples=200, deadline=None)
def test_text(text: str, end: int, escaped: bool) -> None:  # noqa: FBT001 - hypothesis gives it
    """HTTP-17: a text that is cut ends at a whole character, and what came before it stays."""
    body = json.dumps({"url": "https://a.example/", "text": text}, ensure_ascii=escaped).encode("utf-8", "replace")
    found = jsonbody.decode_cut(body[:end])
    assert isinstance(found, dict)
    assert found["url"] == "https://a.example/"
    came = found.get("text") or ""
    whole = json.loads(body)["text"]
    # Half of a pair that JSON writes as two escapes is taken out by cleaning.
    assert whole.startswith(came.rstrip("".join(map(chr, range(0xD800, 0xDC00)))))
    assert len(came) >= (min(end, len(body)) - 40) // 12


@pytest.mark.parametrize("body", [b"", b"}", b'{"a": ]', b"not", b'{"\xff": "', b"<html>", b"[" * 20_000])
def test_no_json(body: bytes) -> None:
    """HTTP-17: what is no beginning of JSON is nothing."""
    assert jsonbody.decode_cut(body) is None


def test_time() -> None:
    """HTTP-17: four mebibytes take no time that anybody notices, whatever they are made of."""
    for piece in (b'{"text": "' + b"word \\n" * 600_000, b'["a",' * 800_000, b'{"a":' * 800_000):
        started = process_time()
        jsonbody.decode_cut(piece)
        assert process_time() - started < 2
