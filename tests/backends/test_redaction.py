"""Take secrets out of messages."""

from __future__ import annotations

import base64
import json
import re
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus, unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import limits
from cogs.websearch.backends.redaction import MARK, RUN, explain
from loopback_exa import KEY

if TYPE_CHECKING:
    from random import Random

QUERY = "Wie heißt der Fluß in Köln? 茶の歴史 & more"


def percent(text: str) -> str:
    """Escape every character for a URL, also those that need it not."""
    return "".join(f"%{byte:02X}" for byte in text.encode())


def entities(text: str) -> str:
    """Escape every character for HTML."""
    return "".join(f"&#x{ord(letter):x};" for letter in text)


def twice(text: str) -> str:
    """Escape for a URL, then once more."""
    return quote(quote(text, safe=""), safe="")


def codes(text: str) -> str:
    """Escape every character for JSON."""
    return "".join(f"\\u{ord(letter):04x}" for letter in text if ord(letter) < 0x10000)


ESCAPES = (str, str.upper, str.lower, quote, quote_plus, percent, entities, twice, escape, json.dumps, codes)


def has_run(message: str, secret: str) -> bool:
    """Tell whether six characters of the secret stand in the message, in either case."""
    folded, hidden = message.lower(), secret.lower()
    return any(hidden[start : start + RUN] in folded for start in range(len(hidden) - RUN + 1))


@pytest.mark.parametrize("escaped", ESCAPES)
@pytest.mark.parametrize("secret", [KEY, QUERY, "sk-A+b/C=d+E/f=0123456789"])
def test_secret_is_gone(escaped: object, secret: str) -> None:
    """HTTP-08: a secret is gone from a message in every case and escape."""
    assert callable(escaped)
    shown = explain(f"Refused: {escaped(secret)} is not good", (secret,))
    assert shown == f"Refused: {MARK} is not good" or (not has_run(shown, secret) and shown.startswith("Refused: "))


@given(
    st.text(max_size=300),
    st.integers(0, 30),
    st.integers(RUN, 36),
    st.sampled_from(ESCAPES),
    st.text(max_size=300),
)
@settings(max_examples=300, deadline=None)
def test_no_run_survives(before: str, start: int, length: int, escaped: object, after: str) -> None:
    """HTTP-08: whatever stands around it and however it is escaped, no run of a key's piece is left."""
    assert callable(escaped)
    shown = explain(before + escaped(KEY[start : start + length]) + after, (KEY,))
    assert not has_run(shown, KEY)
    assert not has_run(unquote(shown), KEY)
    assert len(shown) <= limits.DETAIL


@pytest.mark.parametrize("place", range(limits.DETAIL - 40, limits.DETAIL + 5))
def test_cut_after_redaction(place: int) -> None:
    """HTTP-08, HTTP-09: wherever the cut falls, it does not leave half of a key."""
    shown = explain("x" * place + KEY + "y" * 300, (KEY,))
    assert len(shown) == limits.DETAIL
    assert not has_run(shown, KEY)
    assert KEY[:3] not in shown


@pytest.mark.parametrize("place", range(4096 - 40, 4096 + 2))
def test_cut_of_the_scope(place: int) -> None:
    """HTTP-08: where only the start of a huge message is read, the cut leaves nothing of a key at its end."""
    hidden = "<i>" * ((place - 10) // 3)
    shown = explain(hidden + "x" * (place - len(hidden)) + KEY, (KEY,))
    assert not has_run(shown, KEY)
    assert not shown.rstrip("…").endswith((KEY[:3], KEY[:4], KEY[:5]))


ASKED = "my HIV test was bad"


@pytest.mark.parametrize(
    "said",
    [
        'cannot parse terms ["my","hiv","test","was","bad"]',
        "GET /s/my-hiv-test-was-bad failed",
        "syntax: my AND hiv AND test",
        "bad, was, tests of HIV",
        "q=my_hiv_test",
        "my.\uff48\uff49\uff56.tést",
        "myhivtest",
        "%5B%22hiv%22%2C%22test%22%5D",
    ],
)
def test_words_are_gone(said: str) -> None:
    """HTTP-20: a query that an engine quotes word by word, in whatever order and signs between, is gone."""
    shown = explain(said, (ASKED,))
    assert not re.search("hiv|\uff48\uff49\uff56|t[eé]st|was|bad", shown, re.IGNORECASE)


@pytest.mark.parametrize(
    ("query", "said", "words"),
    [
        ("我的艾滋病检测结果", "分词: 我的/艾滋病/检测/结果", ("艾滋病", "检测", "结果")),
        ("エイズ検査の結果", "結果 検査 エイズ", ("エイズ", "検査", "結果")),
        ("내 에이즈 검사", "검사 | 에이즈", ("에이즈", "검사")),
        ("ผลตรวจเอชไอวีของฉัน", "เอชไอวี, ตรวจ", ("เอชไอวี", "ตรวจ")),
        ("мой анализ на ВИЧ", "вич + Анализы", ("вич", "Анализ")),
        ("मेरी एचआईवी जाँच", "जाँच OR एचआईवी", ("जाँच", "एचआईवी")),
        ("תוצאות בדיקת איידס", "איידס -בדיקת", ("איידס", "בדיקת")),
        ("straße nach KÖLN", "STRASSE, Koeln, koln", ("STRASSE", "koln")),
    ],
)
def test_words_of_every_script(query: str, said: str, words: tuple[str, ...]) -> None:
    """HTTP-20: words are found in every script, also where no space parts them, without case and accents."""
    shown = explain(said, (query,))
    assert not [word for word in words if word in shown]


@pytest.mark.parametrize(
    "said", ["skAb3dEf5gHi7jKl9m", "s k - A b 3 d - E f 5 g", "sk_Ab3d_Ef5g_Hi7j", "sk-Ab3***Kl9m", "Kl9m, Hi7j"]
)
def test_a_key_without_its_signs(said: str) -> None:
    """HTTP-20: a key that is written without its hyphens, with others or in pieces is gone."""
    assert not re.search(r"[3-9]", explain(f"key {said}", ("sk-Ab3d-Ef5g-Hi7j-Kl9m",)))


def test_short_words_stay() -> None:
    """HTTP-20: an article of the query, or three letters within another word, take nothing from what's said."""
    message = "an error in a bathing cathode"
    assert explain(message, ("an hat a",)) == message


@given(
    st.lists(st.text(st.characters(categories=["L", "N"]), min_size=3, max_size=8), min_size=1, max_size=6),
    st.randoms(use_true_random=False),
    st.sampled_from([" ", "-", ", ", "/", '","', "_", "·", ""]),
)
@settings(max_examples=150, deadline=None)
def test_no_word_survives(words: list[str], random: Random, between: str) -> None:
    """HTTP-20: whatever the words, their order and what's put between them, none of those with letters is left."""
    query = " ".join(words)
    random.shuffle(words)
    shown = explain(f"<<{between.join(words)}>>", (query,)).replace(MARK, " ")
    assert not [word for word in words if word.isascii() and word.lower() in re.split(r"[^a-z0-9]+", shown.lower())]
    assert len(shown.split()) <= len(words) + 2


def test_tags_and_invisible_characters_do_not_hide_a_secret() -> None:
    """HTTP-08: a query that an engine marks up word by word, or that holds invisible characters, is found."""
    shown = explain("Nothing for <em>quantum</em>\u200b<em> cats</em> in b\u200box", ("quantum cats in box",))
    assert shown == f"Nothing for {MARK}"


@pytest.mark.parametrize("query", ["茶", "a", "C#"])
def test_short_secrets(query: str) -> None:
    """HTTP-08: a query shorter than a run is found whole."""
    assert query not in explain(f"No results: {query}", (query,)).removesuffix(MARK)


CONNECTION = "Cannot connect to host api.exa.ai:443 ssl:default [Connection refused]"


@pytest.mark.parametrize("secret", ["exa.ai prices", "api.exa.ai", "https://api.exa.ai/search", "my-api.exa.ai-key"])
def test_the_engines_own_host_is_no_secret(secret: str) -> None:
    """HTTP-08: a query or a key that has letters in common with the engine's host takes none of them away."""
    assert explain(CONNECTION, (secret,), host="api.exa.ai") == CONNECTION
    assert explain(CONNECTION.upper(), (secret,), host="api.exa.ai") == CONNECTION.upper()


@pytest.mark.parametrize("secret", ["key-exa.example-0123456789", "exa.example.0123456789", "exa.example0123456789"])
def test_a_host_inside_a_secret_is_hidden(secret: str) -> None:
    """HTTP-08: where the host's letters stand in a longer word, they're part of the secret."""
    assert explain(f"Refused: {secret} is not good", (secret,), host="exa.example") == f"Refused: {MARK} is not good"


@given(
    st.text(max_size=200),
    st.integers(0, 30),
    st.integers(RUN, 36),
    st.text(max_size=200),
    st.sampled_from(["", "exa.ai"]),
)
@settings(max_examples=150, deadline=None)
def test_a_host_shows_nothing_of_a_key(before: str, start: int, length: int, after: str, host: str) -> None:
    """HTTP-08: a host that shares nothing with the key leaves no run of it."""
    shown = explain(before + KEY[start : start + length] + after, (KEY,), host=host)
    assert not has_run(shown, KEY)


def test_message_without_secrets_stays() -> None:
    """HTTP-09: what holds no secret stays as it is, markup and line breaks aside."""
    assert explain("Bad <b>request</b>:\n 100% of them &amp; more", ("", KEY)) == "Bad request: 100% of them & more"


def test_endless_escapes_are_dropped() -> None:
    """HTTP-08: a message that is escaped over and over says nothing."""
    message = KEY
    for _ in range(12):
        message = percent(message) if len(message) < 500 else quote(message)
    # Whole, it's longer than what is looked at; cut, it's shorter.
    for said in (message, message[:4000]):
        assert explain(said, (KEY,)) == ""


@given(st.binary(max_size=400))
@settings(max_examples=100, deadline=None)
def test_any_bytes(raw: bytes) -> None:
    """HTTP-09: whatever the bytes of a message, one line of bounded length comes out."""
    shown = explain(raw.decode(errors="replace") + base64.b64encode(raw).decode(), (KEY,))
    assert len(shown) <= limits.DETAIL
    assert len(shown.splitlines()) <= 1
