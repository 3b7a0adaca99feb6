"""Ask a model that searches the web itself, against the stand-in for its endpoint."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai import AsyncOpenAI, AuthenticationError, NotFoundError

from answer_tools import broken_off
from cogs.websearch import errors
from cogs.websearch.backends import chat
from cogs.websearch.backends.growing import Draft
from cogs.websearch.models import Answer, Category, Period, SearchRequest
from engine_tools import NOW, FakeTime, open_transport
from loopback_chat import KEY, MODEL, Fault, LoopbackChat, Style, faults
from loopback_engine.streams import stream

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

REQUEST = SearchRequest(query="blocking function in a thread", count=5)
FIRST = "https://docs.example.org/asyncio/to-thread"
NAMES = st.sampled_from(
    [
        *("choices", "delta", "message", "content", "annotations", "url_citation", "url", "title", "citations"),
        *("search_results", "error", "code", "type", "finish_reason", "refusal", "usage", "cost", "total_cost", "text"),
    ]
)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture
async def model() -> AsyncIterator[LoopbackChat]:
    """Serve the stand-in."""
    async with LoopbackChat() as served:
        yield served


@pytest.fixture
async def answerer(model: LoopbackChat, fake_time: FakeTime) -> AsyncIterator[chat.ChatAnswerer]:
    """Open an answerer that asks the stand-in."""
    opened = open_chat(model, fake_time)
    yield opened
    await opened.close()


def open_chat(model: LoopbackChat, fake_time: FakeTime, *, key: str = KEY, timeout_s: float = 15) -> chat.ChatAnswerer:
    """Open an answerer that asks the stand-in with a key."""
    return chat.ChatAnswerer(
        open_transport(fake_time, timeout_s=timeout_s, backend=chat.NAME),
        key=key,
        base_url=model.url,
        model=MODEL,
        snippet_chars=400,
        wall_clock=fake_time.wall_clock,
    )


def chunk(text: str, **fields: object) -> dict[str, object]:
    """Make an event that adds text."""
    return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}], **fields}


async def grown(answerer: chat.ChatAnswerer) -> list[Answer]:
    """Read a stream to its end."""
    return [answer async for answer in answerer.stream(REQUEST)]


async def test_request(model: LoopbackChat, answerer: chat.ChatAnswerer) -> None:
    """CHAT-01: a question is one POST with the key as a bearer token, the model, the prompt and nothing else."""
    await answerer.answer(REQUEST)
    (call,) = model.requests
    assert (call.method, call.path) == ("POST", "/chat/completions")
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.json == {
        "model": MODEL,
        "messages": [
            {"role": "system", "content": chat.SYSTEM_PROMPT},
            {"role": "user", "content": REQUEST.query},
        ],
        "stream": False,
    }
    assert "[1]" in chat.SYSTEM_PROMPT
    assert "Sources:" in chat.SYSTEM_PROMPT


async def test_without_a_key(fake_time: FakeTime) -> None:
    """CHAT-01: an endpoint that needs no key is sent none."""
    async with LoopbackChat(key="") as model:
        answerer = open_chat(model, fake_time, key="")
        assert (await answerer.answer(REQUEST)).text
        assert "authorization" not in model.requests[0].headers
        await answerer.close()


@pytest.mark.parametrize("style", list(Style))
async def test_styles(model: LoopbackChat, answerer: chat.ChatAnswerer, style: Style) -> None:
    """CHAT-02: sources are read from the answer's block, from annotations and from beside the message; none is fine."""
    model.style = style
    answer = await answerer.answer(REQUEST)
    assert answer.text.startswith("asyncio.to_thread runs a blocking function")
    assert "Sources" not in answer.text
    assert answer.cost == 0.0123
    if style is Style.NOWHERE:
        assert (answer.sources, "[1]" in answer.text) == ((), False)
        return
    assert answer.sources[0].url == FIRST
    assert answer.sources[0].title == "Running blocking code in a thread"
    assert len(answer.sources) == 2
    assert answer.text.index("[1]") < answer.text.index("[2]")


@pytest.mark.parametrize("style", list(Style))
async def test_stream(model: LoopbackChat, answerer: chat.ChatAnswerer, style: Style) -> None:
    """CHAT-03 ANSWER-08: a streamed answer grows, ends as the plain one, and reads each source once."""
    model.style = style
    plain = await answerer.answer(REQUEST)
    growing = await grown(answerer)
    assert model.requests[1].json["stream"] is True
    assert growing[-1] == plain
    assert [answer.complete for answer in growing] == [False] * (len(growing) - 1) + [True]
    assert len(growing) > 1
    read = [source for answer in growing for source in answer.sources]
    assert len({id(source) for source in read}) == len(set(read))


@pytest.mark.parametrize(
    ("text", "said", "urls"),
    [
        ("Yes [1].\n\nSources:\n[1] https://a.example.org/ Title", "Yes [1].", ["https://a.example.org/"]),
        ("Yes [2].\n\n**Sources:**\n- [2]: Title - https://a.example.org/x_(y).", "Yes [1].", ["https://a.example.org/x_(y)"]),
        ("Yes [1].\n\n## Sources\n\n1. [Title](https://a.example.org/)\n", "Yes [1].", ["https://a.example.org/"]),
        ("Ja [1].\n\nQuellen:\n[^1]: <https://a.example.org/>", "Ja [1].", ["https://a.example.org/"]),
        ("Yes [1].\n---\n[1] https://a.example.org/", "Yes [1].", ["https://a.example.org/"]),
        ("Yes [1][3].\nSources:\n[1] https://a.example.org/\n[1] https://b.example.org/", "Yes [1].", ["https://a.example.org/"]),
        ("Take one:\n1. [One](https://a.example.org/)\n2. Two", "Take one:\n1. One\n2. Two", []),
        ("Take one:\n1. [One](https://a.example.org/)", "Take one:\n1. One", []),
        ("Yes.\n\nSources:\n", "Yes.", []),
        ("<think>\nHm [1].\n</think>\nYes.", "Yes.", []),
        ("Yes [1].\nSources:\n[1] http://localhost/", "Yes.", []),
    ],
)  # fmt: skip
async def test_blocks(model: LoopbackChat, answerer: chat.ChatAnswerer, text: str, said: str, urls: list[str]) -> None:
    """CHAT-04: a block of sources is read however models write one, and what is clearly none stays in the answer."""
    model.fail(faults.said(text))
    answer = await answerer.answer(REQUEST)
    assert answer.text == said
    assert [source.url.replace("%28", "(").replace("%29", ")") for source in answer.sources] == urls


async def test_block_before_others(model: LoopbackChat, answerer: chat.ChatAnswerer) -> None:
    """CHAT-02: marks count the block where there's one; what comes beside it is added, each source once."""
    model.fail(
        faults.said(
            "Yes [1].\nSources:\n[1] https://a.example.org/",
            citations=["https://b.example.org/", "https://a.example.org/", 5, None],
        )
    )
    answer = await answerer.answer(REQUEST)
    assert [source.host for source in answer.sources] == ["a.example.org", "b.example.org"]
    assert answer.text == "Yes [1]."


async def test_parts(model: LoopbackChat, answerer: chat.ChatAnswerer) -> None:
    """CHAT-02: a text that comes in parts is put together."""
    model.fail(faults.said([{"type": "text", "text": "One. "}, {"type": "text", "text": "Two."}, None]))
    assert (await answerer.answer(REQUEST)).text == "One. Two."


@pytest.mark.parametrize(
    ("option", "fields"),
    [
        ("category", {"category": Category.NEWS}),
        ("period", {"period": Period.DAY}),
        ("site", {"sites": ("example.org",)}),
    ],
)
async def test_options(answerer: chat.ChatAnswerer, option: str, fields: dict[str, Any]) -> None:
    """CHAT-05: an option that a model can't be held to is said, not dropped."""
    with pytest.raises(errors.OptionUnsupported) as caught:
        await answerer.answer(SearchRequest(query="x", count=1, **fields))
    assert caught.value.option == option


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (faults.error(400, "invalid_value"), errors.RequestRejected),
        (faults.error(400, "content_filter"), errors.ContentProhibited),
        (faults.error(401, "invalid_api_key"), errors.KeyRefused),
        (faults.error(402), errors.CreditsExhausted),
        (faults.error(403), errors.FeatureDisabled),
        (faults.error(404, "model_not_found"), errors.EndpointMissing),
        (faults.error(408), errors.BackendTimeout),
        (faults.error(422), errors.RequestRejected),
        (faults.error(429, "rate_limit_exceeded"), errors.RateLimited),
        (faults.error(429, "insufficient_quota"), errors.CreditsExhausted),
        (faults.error(500), errors.BackendBroken),
        (faults.error(503), errors.BackendOverloaded),
        (faults.error(529), errors.BackendOverloaded),
        (faults.answer({"error": "no"}, 418), errors.BackendBroken),
        (faults.answer({"detail": "no"}, 401), errors.KeyRefused),
        (faults.html(502), errors.BackendBroken),
        (faults.html(), errors.InvalidAnswer),
        (faults.answer(b"", 204), errors.InvalidAnswer),
        (faults.answer({"choices": []}), errors.BackendUnable),
        (faults.said(None), errors.BackendUnable),
        (faults.said("", finish="content_filter"), errors.ContentProhibited),
        (faults.answer({"choices": [{"message": {"content": None, "refusal": "No."}}]}), errors.ContentProhibited),
        (faults.answer({"error": {"code": 429, "message": "Slow"}}), errors.RateLimited),
        (faults.answer({"error": {"code": None}}), errors.BackendBroken),
        (faults.said(f"Your key is {KEY}."), errors.InvalidAnswer),
        (faults.redirect("https://example.org/"), errors.UnexpectedRedirect),
        (faults.answer(b" " * (4 * 1024 * 1024 + 1)), errors.AnswerTooLarge),
        (faults.bomb(20), errors.AnswerTooLarge),
        (faults.reset, errors.BackendUnreachable),
        (faults.gibberish, errors.InvalidAnswer),
    ],
)
async def test_errors(
    model: LoopbackChat, answerer: chat.ChatAnswerer, fault: Fault, kind: type[errors.BackendError]
) -> None:
    """CHAT-06: each way in which an endpoint fails is a kind of its own, plain and streamed, and shows no key."""
    model.fail(always=fault)
    for ask in (answerer.answer(REQUEST), grown(answerer)):
        with pytest.raises(errors.BackendError) as caught:
            await ask
        assert type(caught.value) is kind
        assert KEY[8:17] not in caught.value.detail
        assert caught.value.backend == "Chat model"
    model.recover()
    assert (await answerer.answer(REQUEST)).text


@pytest.mark.parametrize("body", [{"choices": {}}, {}, [], None, 7, "text"])
async def test_senseless_answer(model: LoopbackChat, answerer: chat.ChatAnswerer, body: object) -> None:
    """CHAT-06: an answer that isn't what the API promises is invalid."""
    model.fail(faults.answer(body))
    with pytest.raises(errors.InvalidAnswer):
        await answerer.answer(REQUEST)


async def test_echoed_key(model: LoopbackChat, answerer: chat.ChatAnswerer) -> None:
    """CHAT-06: an error that echoes the key or the question shows neither, whole or in part."""
    for part in (slice(None), slice(8, 24), slice(20, None)):
        model.fail(faults.echo(lambda call, part=part: f"bad {call.key[part]} for {REQUEST.query}"))  # type: ignore[misc]
        with pytest.raises(errors.KeyRefused) as caught:
            await answerer.answer(REQUEST)
        assert KEY[part][:8] not in caught.value.detail
        assert "blocking" not in caught.value.detail


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (stream(chunk("Half of it."), chunk(" "), broken=True), errors.BackendUnreachable),
        (stream(chunk("Half of it."), {"error": {"code": 502, "message": "Failed"}}), errors.BackendBroken),
        (stream(chunk("Half of it."), {"error": {"code": 402}}), errors.CreditsExhausted),
        (stream(chunk("Half of it."), chunk(KEY)), errors.InvalidAnswer),
        (stream(chunk("Half of it.\n[1] https://exa"), broken=True), errors.BackendUnreachable),
    ],
)
async def test_stream_that_breaks(
    model: LoopbackChat, answerer: chat.ChatAnswerer, fault: Fault, kind: type[errors.BackendError]
) -> None:
    """CHAT-03: a stream that breaks or fails ends with what came, marked as such, and then its error."""
    model.fail(fault)
    (last,), error = await broken_off(answerer.stream(REQUEST))
    assert (last.text, last.complete, last.sources) == ("Half of it.", False, ())
    assert type(error) is kind


async def test_stream_that_the_endpoint_cuts(model: LoopbackChat, answerer: chat.ChatAnswerer) -> None:
    """CHAT-03: one that the endpoint itself ends early is marked as such, and no failure of the endpoint."""
    cut = {"choices": [{"delta": {}, "finish_reason": "length"}]}
    model.fail(stream(chunk("Half of it."), cut, end="data: [DONE]\n\n"))
    (last,) = await grown(answerer)
    assert (last.text, last.complete) == ("Half of it.", False)


async def test_stream_past_its_deadline(model: LoopbackChat, fake_time: FakeTime) -> None:
    """CHAT-03: so does one that isn't done by the deadline of answers."""
    answerer = open_chat(model, fake_time, timeout_s=1)
    model.fail(stream(b": comment\r\n\r\n", chunk("Half of it."), hanging=True))
    (last,), error = await broken_off(answerer.stream(REQUEST))
    assert (last.text, last.complete) == ("Half of it.", False)
    assert isinstance(error, errors.BackendTimeout)
    await answerer.close()


async def test_cut_answer(model: LoopbackChat, answerer: chat.ChatAnswerer) -> None:
    """CHAT-03: an answer that the endpoint itself cut isn't complete."""
    model.fail(faults.said("Half of", finish="length"))
    assert not (await answerer.answer(REQUEST)).complete


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        ({"cost": 0.02}, 0.02),
        ({"cost": {"total_cost": 0.006, "request_cost": 0.005}}, 0.006),
        ({"cost": -1}, None),
        ({"cost": 1e300}, None),
        ({"cost": True}, None),
        ({"cost": "0.1"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_costs(usage: object, cost: float | None) -> None:
    """CHAT-07: the cost is what an endpoint names, where that could be a price."""
    assert chat.cost_of({"usage": usage}) == cost


@given(st.lists(JUNK, max_size=4))
@settings(max_examples=300, deadline=None)
def test_any_event(events: list[object]) -> None:
    """CHAT-06: whatever comes, it's an answer or an error of the engine."""
    draft = Draft()
    for event in events:
        with suppress(errors.BackendError):
            draft.take(chat.to_piece(event, (), now=NOW))
    with suppress(errors.BackendUnable):
        assert chat.to_answer(draft, REQUEST, snippet_chars=400).text


LINES = st.sampled_from(
    ["Sources:", "[1] https://a.example.org/ A", "1. https://b.example.org/", "Words [1].", "", "---"]
)


@given(st.lists(LINES | st.text(max_size=12), max_size=8).map("\n".join), st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_text(text: str, complete: bool) -> None:  # noqa: FBT001 - hypothesis gives it
    """CHAT-04: whatever a model writes, it's an answer whose sources may be shown, or none."""
    with suppress(errors.BackendUnable):
        answer = chat.to_answer(Draft(text=text, complete=complete), REQUEST, snippet_chars=400)
        assert {source.host for source in answer.sources} <= {"a.example.org", "b.example.org"}


async def test_sdk(model: LoopbackChat, answerer: chat.ChatAnswerer) -> None:
    """CHAT-08: OpenAI's own client reads the stand-in's answers, whole and streamed, and its annotations."""
    model.style = Style.ANNOTATIONS
    ours = await answerer.answer(REQUEST)
    async with AsyncOpenAI(api_key=KEY, base_url=model.url, max_retries=0) as client:
        messages: Any = [{"role": "user", "content": REQUEST.query}]
        whole = await client.chat.completions.create(model=MODEL, messages=messages)
        pieces = await client.chat.completions.create(model=MODEL, messages=messages, stream=True)
        text = "".join([piece.choices[0].delta.content or "" async for piece in pieces if piece.choices])
    message = whole.choices[0].message
    assert message.content == text
    assert message.annotations is not None
    assert message.annotations[0].url_citation.url == ours.sources[0].url
    assert whole.choices[0].finish_reason == "stop"


async def test_sdk_errors(model: LoopbackChat) -> None:
    """CHAT-08: OpenAI's own client reports the stand-in's refusals as it does those of OpenAI."""
    messages: Any = [{"role": "user", "content": "x"}]
    async with AsyncOpenAI(api_key="wrong", base_url=model.url, max_retries=0) as client:
        with pytest.raises(AuthenticationError) as caught:
            await client.chat.completions.create(model=MODEL, messages=messages)
        assert caught.value.code == "invalid_api_key"
    async with AsyncOpenAI(api_key=KEY, base_url=model.url, max_retries=0) as client:
        with pytest.raises(NotFoundError):
            await client.chat.completions.create(model="another", messages=messages)
