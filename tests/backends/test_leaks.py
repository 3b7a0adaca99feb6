"""Find a key in what an engine sends, however it's written there."""

from __future__ import annotations

import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogs.websearch.backends.leaks import _LOOKALIKES, Guard, _has_lookalikes

KEY = "5f0c9d1e-7a3b-4c52-9e86-d4b1a2f37c60"
PERCENT = "".join(f"%{ord(sign):02X}" for sign in KEY)


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        KEY.upper(),
        KEY.replace("-", ""),
        KEY.replace("-", " "),
        PERCENT,
        quote(PERCENT),
        "".join(chr(ord(sign) + 0xFEE0) for sign in KEY),
        quote("".join(chr(ord(sign) + 0xFEE0) for sign in KEY)),
        "".join(chr(0x1D7F6 + int(sign)) if sign.isdigit() else sign for sign in KEY),
        "\u00ad".join(KEY),
    ],
)
def test_other_letters(written: str) -> None:
    """CON-08: a key is found in capitals, in wide letters, without its hyphens, and encoded in an address."""
    assert Guard(KEY).is_shown_by(f'"https://example.org/{written}?x=1 größer"'.encode())


@given(st.integers(0, 20), st.text(max_size=20), st.text(max_size=20))
def test_parts(start: int, before: str, behind: str) -> None:
    """CON-08: sixteen signs of a key are found wherever they begin, whatever stands around them."""
    page = f"{before} {KEY[start : start + 16]} {behind}"
    assert Guard(KEY).is_shown_by(page.encode())
    assert Guard(KEY).is_in(page.encode())


@given(st.binary(max_size=60))
def test_anything_is_looked_at(raw: bytes) -> None:
    """CON-08: whatever bytes come, the look ends; and what is no part of a key isn't taken for one."""
    assert not Guard(KEY).is_shown_by(raw)


@given(st.sampled_from([KEY, "tvly-abcdefgh9ijklmnop", "a1b2c3d4", "no-key-required"]), st.data())
def test_a_glance_at_the_digits_tells_what_a_closer_look_would(key: str, data: st.DataObject) -> None:
    """CON-08: a key whose digits aren't there isn't there, and one whose digits are is compared by all its signs."""
    parts = st.builds(lambda start, end: key[start:end], st.integers(0, len(key)), st.integers(0, len(key)))
    pieces = st.one_of(
        parts, parts.map(str.upper), st.sampled_from(["-", " ", "0", "7", "x", '"']), st.text(max_size=3)
    )
    raw = data.draw(st.lists(pieces, max_size=12).map("".join)).encode(errors="replace")
    guard = Guard(key)
    folded = bytes(sign for sign in raw.lower() if chr(sign).isalnum() and sign < 128)
    compared = folded if any(sign.isdigit() for sign in key) else raw
    pieces_ = guard._pieces  # noqa: SLF001 - the parts that its rule compares
    assert guard.is_in(raw) is any(piece in compared for piece in pieces_)


@given(st.lists(st.one_of(st.sampled_from(_LOOKALIKES), st.binary(max_size=3)), max_size=8).map(b"".join))
def test_one_look_for_all_other_letters(raw: bytes) -> None:
    """CON-08: looking for all letters that stand for others at once finds what looking for each does."""
    rest = bytes(sign for sign in raw if sign >= 128)
    assert _has_lookalikes(raw) is any(start in rest for start in _LOOKALIKES)


@pytest.mark.parametrize("key", ["hunter2!", "S3cr3t9", "a1b2", "!!!!!!"])
def test_short_keys(key: str) -> None:
    """CON-08: a short key is found whole, also encoded in an address, and its parts aren't looked for."""
    assert Guard(key).is_shown_by(f"The key is {key}.".encode())
    assert Guard(key).is_shown_by("".join(f"%{ord(sign):02X}" for sign in key).encode())
    assert not Guard(key).is_shown_by(f"The key is {key[1:]}.".encode())


@pytest.mark.parametrize("key", ["", "k", "1", "ollama", "none", "EMPTY"])
def test_words_are_no_keys(key: str) -> None:
    """CON-08: what endpoints without keys are given for one stands in honest answers, and keeps none back."""
    assert not Guard(key).is_shown_by(f"Run {key} 1 k".encode())
    assert not Guard("no-key-required").is_shown_by(b"No key required, no key is needed.")
    assert Guard("no-key-required").is_shown_by(b"Send no-key-required.")


def test_every_letter_that_stands_for_another() -> None:
    """CON-08: whatever letter Unicode takes for one of ASCII is taken for it in a key."""
    missed = [
        letter
        for letter in map(chr, (*range(0x80, 0xD800), *range(0xE000, 0x110000)))
        if any(plain.isascii() and plain.isalnum() for plain in unicodedata.normalize("NFKC", letter))
        and not any(start in letter.encode() for start in _LOOKALIKES)
    ]
    assert missed == []


def test_the_end_of_a_key() -> None:
    """CON-08: a key whose length is no multiple of anything is found by its end, too."""
    assert Guard("a" * 8 + "z1").is_in(b"aaaaaaaz1")
