"""Hold the limits of messages, embeds, buttons, menus and modals, each to the last character."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch.playground.discord.component_rules import check_modal
from cogs.websearch.playground.discord.embeds import returned
from cogs.websearch.playground.discord.refusals import invalid_body, nested
from cogs.websearch.playground.discord.rules import check_message
from cogs.websearch.playground.discord.urls import url_flaws

Body = dict[str, Any]
# A letter outside the first plane: one code point, two of the units in which JavaScript counts.
WIDE = "\N{FACE WITH TEARS OF JOY}"


def embed(**parts: object) -> Body:
    """Build a message with one embed."""
    return {"embeds": [{"title": "t", **parts}]}


def fields(*pairs: tuple[str, str]) -> list[Body]:
    """Build fields of an embed."""
    return [{"name": name, "value": value} for name, value in pairs]


def button(**changes: object) -> Body:
    """Build a right button, changed; None takes a part away."""
    right = {"type": 2, "style": 1, "label": "Next", "custom_id": "next"}
    return {key: value for key, value in {**right, **changes}.items() if value is not None}


def rows(*listed: list[Body]) -> Body:
    """Build a message with rows of components."""
    return {"content": "c", "components": [{"type": 1, "components": row} for row in listed]}


def menu(count: int = 1, **changes: object) -> Body:
    """Build a right select menu, changed."""
    options = [{"label": f"l{n}", "value": f"v{n}"} for n in range(count)]
    return {"type": 3, "custom_id": "menu", "options": options, **changes}


def one(**changes: object) -> list[Body]:
    """Build the only option of a menu, changed."""
    return [{"label": "l", "value": "v", **changes}]


FITTING: dict[str, Body] = {
    "content": {"content": "x" * 2000},
    "content, trimmed": {"content": " " * 50 + "x" * 2000 + "\n"},
    "wide content": {"content": WIDE * 2000},
    "embeds": {"embeds": [{"title": "t"}] * 10},
    "title": embed(title="x" * 256),
    "description": embed(description="x" * 4096),
    "author": embed(author={"name": "x" * 256}),
    "footer": embed(footer={"text": "x" * 2048}),
    "fields": embed(fields=fields(*[("n", "v")] * 25)),
    "field": embed(fields=fields(("n" * 256, "v" * 1024))),
    "all embeds": {"embeds": [{"description": "x" * 3000}] * 2},
    "all embeds, trimmed": {"embeds": [{"description": "x" * 3000 + " "}] * 2},
    "url": embed(url="https://a.example/" + "x" * (2048 - 18)),
    "colour": embed(color=0xFFFFFF),
    "time": embed(timestamp="2026-11-30T10:00:00+00:00"),
    "picture alone": {"embeds": [{"image": {"url": "https://a.example/x.png"}}]},
    "rows": rows(*[[button(custom_id=f"{n}{m}") for m in range(5)] for n in range(5)]),
    "label": rows([button(label="x" * 80)]),
    "emoji alone": rows([button(label=None, emoji={"name": "x"})]),
    "custom id": rows([button(custom_id="x" * 100)]),
    "link": rows([button(style=5, custom_id=None, url="https://a.example/" + "x" * (512 - 18))]),
    "options": rows([menu(25)]),
    "option": rows([menu(options=one(label="l" * 100, value="v" * 100, description="d" * 100))]),
    "many values": rows([menu(3, min_values=0, max_values=3)]),
    "texts alone": {"flags": 1 << 15, "components": [{"type": 10, "content": "x" * 4000}]},
}
BEYOND: dict[str, Body] = {
    "content": {"content": "x" * 2001},
    "wide content": {"content": WIDE * 2001},
    "embeds": {"embeds": [{"title": "t"}] * 11},
    "title": embed(title="x" * 257),
    "description": embed(description="x" * 4097),
    "author": embed(author={"name": "x" * 257}),
    "footer": embed(footer={"text": "x" * 2049}),
    "fields": embed(fields=fields(*[("n", "v")] * 26)),
    "field name": embed(fields=fields(("n" * 257, "v"))),
    "field value": embed(fields=fields(("n", "v" * 1025))),
    "blank field name": embed(fields=fields((" \n", "v"))),
    "blank field value": embed(fields=fields(("n", ""))),
    "all embeds": {"embeds": [{"description": "x" * 3000}, {"title": "x", "description": "x" * 3000}]},
    "all embeds, every text": {"embeds": [
        {"title": "x" * 200, "description": "x" * 4000, "footer": {"text": "x" * 900}, "author": {"name": "x" * 200}},
        {"fields": fields(("n" * 200, "v" * 501))}]},
    "empty embed": {"embeds": [{"color": 1}]},
    "long url": embed(url="https://a.example/" + "x" * (2049 - 18)),
    "scheme": embed(url="javascript:alert(1)"),
    "host without a dot": embed(url="https://localhost/"),
    "space in a url": embed(url="https://a.example/a b"),
    "broken url": embed(url="https://[a.example/"),
    "picture": embed(image={"url": "ftp://a.example/x.png"}),
    "missing file": embed(thumbnail={"url": "attachment://x.png"}),
    "author's url": embed(author={"name": "n", "url": "nowhere"}),
    "footer's picture": embed(footer={"text": "t", "icon_url": "nowhere"}),
    "colour": embed(color=0x1000000),
    "time": embed(timestamp="yesterday"),
    "rows": rows(*[[button(custom_id=str(n))] for n in range(6)]),
    "empty row": rows([]),
    "wide row": rows([button(custom_id=str(n)) for n in range(6)]),
    "menu and button": rows([menu(), button()]),
    "label": rows([button(label="x" * 81)]),
    "no label": rows([button(label=None)]),
    "no custom id": rows([button(custom_id=None)]),
    "long custom id": rows([button(custom_id="x" * 101)]),
    "empty custom id": rows([button(custom_id="")]),
    "custom id twice": rows([button(), button()]),
    "custom id twice in rows": rows([button()], [menu(custom_id="next")]),
    "long link": rows([button(style=5, custom_id=None, url="https://a.example/" + "x" * (513 - 18))]),
    "link without url": rows([button(style=5, custom_id=None)]),
    "link with custom id": rows([button(style=5, url="https://a.example/")]),
    "button with url": rows([button(url="https://a.example/")]),
    "no options": rows([menu(0)]),
    "options": rows([menu(26)]),
    "option label": rows([menu(options=one(label="l" * 101))]),
    "option value": rows([menu(options=one(value="v" * 101))]),
    "option description": rows([menu(options=one(description="d" * 101))]),
    "option value twice": rows([menu(options=one() * 2)]),
    "too many values": rows([menu(2, max_values=3)]),
    "least above most": rows([menu(2, min_values=2, max_values=1)]),
    "two chosen": rows([menu(options=[{"label": v, "value": v, "default": True} for v in "ab"])]),
    "placeholder": rows([menu(placeholder="x" * 151)]),
    "button outside a row": {"content": "c", "components": [button()]},
    "texts and content": {"content": "c", "flags": 1 << 15, "components": [{"type": 10, "content": "x"}]},
    "long texts": {"flags": 1 << 15, "components": [{"type": 10, "content": "x" * 2001}] * 2},
    "components": {"flags": 1 << 15, "components": [{"type": 10, "content": "x"}] * 41},
    "missing attachment": {"content": "c", "attachments": [{"id": 0, "filename": "x.png"}]},
}  # fmt: skip


@pytest.mark.parametrize("name", FITTING)
def test_at_the_limit(name: str) -> None:
    """LOOP-18: a body at a limit is taken."""
    assert check_message(FITTING[name]) == []


@pytest.mark.parametrize("name", BEYOND)
def test_beyond_the_limit(name: str) -> None:
    """LOOP-18: a body beyond a limit, in whatever part, is refused, also as an edit."""
    assert check_message(BEYOND[name]) != []
    if name != "button outside a row":
        assert check_message(BEYOND[name], edit=True) != []


def test_files_that_are_there() -> None:
    """LOOP-18: an embed may show a file that comes with the message."""
    body = embed(image={"url": "attachment://x.png"})
    assert check_message(body, [("x.png", b"")]) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "t" * 46},
        {"title": ""},
        {"custom_id": "c" * 101},
        {"components": []},
        {"components": [{"type": 1, "components": [{"type": 4, "custom_id": "x", "style": 1, "label": "l" * 46}]}]},
        {"components": [{"type": 1, "components": [{"type": 4, "custom_id": "x", "style": 1, "label": "l"}]}] * 6},
        {"components": [{"type": 18, "label": "l" * 46, "component": {"type": 4, "custom_id": "x", "style": 1}}]},
    ],
)
def test_modals(changes: Body) -> None:
    """LOOP-18: a modal's title and labels have at most 45 characters, and it has one to five rows."""
    field = {"type": 4, "custom_id": "x", "style": 1, "label": "l" * 45}
    right = {"title": "t" * 45, "custom_id": "c" * 100, "components": [{"type": 1, "components": [field]}]}
    assert check_modal(right, ()) == []
    assert check_modal({**right, **changes}, ()) != []


def test_flaws_are_nested() -> None:
    """LOOP-18: a refusal names each flaw at its place, as Discord nests them."""
    body = invalid_body(check_message({"content": "x" * 2001, **embed(title="x" * 257)})).body()
    assert (body["code"], body["message"]) == (50035, "Invalid Form Body")
    assert body["errors"]["content"]["_errors"][0]["code"] == "BASE_TYPE_MAX_LENGTH"
    assert body["errors"]["embeds"]["0"]["title"]["_errors"][0]["message"] == "Must be 256 or fewer in length."
    assert nested(()) == {}


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_title(text: str) -> None:
    """LOOP-18: a title is judged by its code points after trimming, whatever it holds, and comes back trimmed."""
    body = {"embeds": [{"title": text, "description": "d"}]}
    assert (check_message(body) == []) is (len(text.strip()) <= 256)
    assert returned(body["embeds"][0])["title"] == text.strip()


@settings(deadline=None)
@given(st.text(max_size=60))
def test_any_url(text: str) -> None:
    """LOOP-18: any text as a URL is judged without an error, and what passes has a host with a dot and no space."""
    for url in (text, f"https://{text}", f"https://a.example/{text}"):
        if not list(url_flaws(url, (), 2048)):
            assert url.lower().startswith(("http://", "https://"))
            assert not any(character.isspace() for character in url)
