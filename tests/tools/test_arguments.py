"""Hold that whatever a model writes is either what it meant or answered by a sentence, at no cost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chatting import ALL, QUERY, Chat

if TYPE_CHECKING:
    from loopback_exa import LoopbackExa

pytestmark = pytest.mark.usefixtures("no_mistakes")

DEFAULT = 5
NUMBER = "The argument num_results takes a whole number: send one, or leave it out."
NO_ADDRESS = "That's no address of a public page: take one that begins with https://."
TOO_LONG = "The query has 500 characters, but at most 400 can be searched for: shorten it."
UNREADABLE = "The arguments can't be read: send one JSON object with the fields of the tool."


def asked_for(exa: LoopbackExa) -> int:
    """Tell how many results the engine was asked for last."""
    return int(json.loads(exa.requests[-1].body)["numResults"])


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        *[(number, number) for number in (1, 3, 10)],
        *[("5", 5), (" 7 ", 7), ("4.0", 4), ("+3", 3), (5.0, 5), ("10", 10)],
        *[(None, DEFAULT), (0, DEFAULT), ("0", DEFAULT), ("", DEFAULT), (0.0, DEFAULT), (-0.0, DEFAULT)],
        *[(11, 10), (10**400, 10), (1e300, 10), ("99999999999999999999", 10)],
        *[(-1, 1), (-(10**400), 1), ("-5", 1)],
    ],
)
async def test_a_number_is_read_and_clamped(chat: Chat, exa: LoopbackExa, written: object, asked: int) -> None:
    """TOOL-10: a text may stand for a number; 0 and nothing are the default, what's beyond 1 to 10 is the nearest."""
    found = await chat.call("web_search", query=QUERY, num_results=written)
    assert "results" in found
    assert asked_for(exa) == asked
    assert len(found["results"]) <= asked


@pytest.mark.parametrize(
    "written",
    [
        True,
        False,
        2.5,
        "2.5",
        "five",
        float("nan"),
        float("inf"),
        -float("inf"),
        [],
        [5],
        {},
        "٣",
        "5e3",
        "0x5",
        "1" * 31,
    ],
)
async def test_what_is_no_number_is_a_sentence(chat: Chat, exa: LoopbackExa, written: object) -> None:
    """TOOL-11: truth values aren't numbers, nor are NaN and infinity; nobody is asked, and nothing counts."""
    assert await chat.call("web_search", query=QUERY, num_results=written) == {"error": NUMBER}
    assert exa.requests == []
    assert await chat.counted() == 0


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("web_search", {}, "The argument query is missing: send it."),
        ("web_search", None, "The argument query is missing: send it."),
        ("web_search", "", "The argument query is missing: send it."),
        ("web_search", {"query": None}, "The argument query is missing: send it."),
        ("web_search", {"query": 42}, "The argument query takes a text: send one."),
        ("web_search", {"query": ["a"]}, "The argument query takes a text: send one."),
        ("web_search", {"query": True}, "The argument query takes a text: send one."),
        ("web_search", {"query": " \u200b "}, "There's nothing to search for: type a few words."),
        ("web_search", {"query": "x" * 500}, TOO_LONG),
        ("web_answer", {"question": "why"}, "The argument query is missing: send it."),
        ("web_fetch", {"query": "why"}, "The argument url is missing: send it."),
        ("web_fetch", {"url": 7}, "The argument url takes a text: send one."),
        ("web_fetch", {"url": ""}, NO_ADDRESS),
        ("web_fetch", {"url": "file:///etc/passwd"}, NO_ADDRESS),
        ("web_fetch", {"url": "http://127.0.0.1/"}, NO_ADDRESS),
        ("web_fetch", {"url": "http://metadata.internal/"}, NO_ADDRESS),
        ("web_search_pause", {}, "The argument paused is missing: send it."),
        ("web_search_pause", {"paused": 1}, "The argument paused takes true or false: send one of the two."),
        ("web_search_pause", {"paused": "maybe"}, "The argument paused takes true or false: send one of the two."),
        ("web_search", "{", UNREADABLE),
        ("web_search", "[]", UNREADABLE),
        ("web_search", "null", UNREADABLE),
        ("web_search", '"query"', UNREADABLE),
        ("web_search", "query=cats", UNREADABLE),
        ("web_search", [], UNREADABLE),
        ("web_search", 7, UNREADABLE),
        ("web_search", b"{}", UNREADABLE),
        ("web_search", "[" * 60_000, UNREADABLE),
        ("web_search", '{"query": "' + "x" * 70_000 + '"}', UNREADABLE),
        ("web_search", '{"query": "cats", "num_results": ' + "9" * 5000 + "}", UNREADABLE),
        ("web_search", '{"query": "cats", "num_results": NaN}', NUMBER),
        ("web_search", '{"query": "cats", "num_results": 1e999}', NUMBER),
        ("search", {"query": QUERY}, f"There's no such tool: call one of {', '.join(ALL)}."),
        ("", {}, f"There's no such tool: call one of {', '.join(ALL)}."),
        (None, {}, f"There's no such tool: call one of {', '.join(ALL)}."),
        (["web_search"], {}, f"There's no such tool: call one of {', '.join(ALL)}."),
    ],
)  # fmt: skip
async def test_what_cannot_be_meant_is_a_sentence(
    chat: Chat,
    exa: LoopbackExa,
    name: str,
    arguments: object,
    said: str,
) -> None:
    """TOOL-11: missing fields, wrong types and what is no JSON each say what to send; nothing is asked or counted."""
    found = await chat.call(name, arguments) if arguments is not None else await chat.call(name)
    assert found == {"error": said}
    assert exa.requests == []
    assert await chat.counted() == 0


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": QUERY, "reason": "the member asked", "category": "news", "num_results": 2},
        json.dumps({"query": QUERY, "num_results": "2", "site": None}),
        f'{{"query": "pictures of\n a distant galaxy", "num_results": 2}}',  # noqa: F541 - a line break in a text, as models leave it
        f'\n {{"query": "x", "query": "{QUERY}", "num_results": 2.0}} ',
    ],
)
async def test_more_than_is_needed_does_no_harm(chat: Chat, exa: LoopbackExa, arguments: object) -> None:
    """TOOL-10: fields that no tool has are left out, and JSON may be written as models write it."""
    found = await chat.call("web_search", arguments)
    assert (found["query"], len(found["results"])) == (QUERY, 2)
    assert asked_for(exa) == 2
    assert "category" not in json.loads(exa.requests[-1].body)


@pytest.mark.parametrize(("written", "paused"), [(True, True), ("true", True), ("False ", False), (False, False)])
async def test_a_switch_is_read(chat: Chat, written: object, paused: bool) -> None:  # noqa: FBT001 - pytest passes it by name
    """TOOL-10: a truth value may come as a word."""
    assert await chat.call("web_search_pause", paused=written) == {"paused": paused}
    assert (len(await chat.names()) == 1) == paused


_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(),
    st.sampled_from(["5", "1e9", "NaN", "true", "\ud800", "https://example.com", "x" * 100_000, 10**400]),
)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_fields = st.dictionaries(
    st.sampled_from(["query", "url", "num_results", "paused", "other"]) | st.text(), _values, max_size=5
)


def _written(value: object) -> object:
    try:
        return json.dumps(value)
    except (TypeError, ValueError):
        # What JSON can't hold is given as it is.
        return value


_arguments = st.one_of(_fields, _fields.map(_written), _values, st.text(), st.binary())


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(name=st.one_of(st.sampled_from(ALL), st.text()), arguments=_arguments)
async def test_no_arguments_raise(chat: Chat, exa: LoopbackExa, name: str, arguments: object) -> None:
    """TOOL-12: any name and arguments end in a dictionary that JSON takes; an error of them asks and counts nothing."""
    before, asked = await chat.counted(), len(exa.requests)
    found = await chat.call(name, arguments)
    assert json.loads(json.dumps(found)) == found
    searched = len(exa.requests) - asked
    if "error" in found:
        assert found["error"].endswith(".")
        assert "Something went wrong in the bot" not in found["error"]
        assert len(found["error"]) < 300
        # What an engine was asked and had nothing for counts, as for a command.
        assert await chat.counted() - before <= searched
    else:
        assert await chat.counted() - before == searched == (0 if name == "web_search_pause" else 1)
    await chat.call("web_search_pause", paused=False)
