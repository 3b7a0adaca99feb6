"""Drive the example chat bot: messages in, replies out, over a loopback model and a loopback engine."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import discord
import discord.ext.test as dpytest
import pytest
from openai import AsyncOpenAI
from openai.types.chat import ChatCompletionMessageFunctionToolCall

from bots import write_config
from chatting import ALL, PAUSE
from cogs.websearch import tools
from loopback_chat import MODEL, LoopbackChat, faults
from loopback_chat.talking import Turn, call, names

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from types import ModuleType

    from discord.ext import commands

    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa

EXAMPLE = Path(__file__).parent.parent.parent / "docs" / "chatbot.py"
if not EXAMPLE.is_file():
    pytest.skip("the example is not beside these tests", allow_module_level=True)

pytestmark = pytest.mark.usefixtures("no_mistakes")

QUESTION = "pictures of a distant galaxy"
SOURCE = "https://news.example.com/2026/11/telescope"


def told(result: dict[str, Any]) -> str:
    """Say what a tool returned."""
    if "results" in result:
        first = result["results"][0]
        return f"{first['title']} [1]\n[1] {first['url']}"
    if "paused" in result:
        return "I won't search until you ask me to." if result["paused"] else "I'll search again."
    return f"I couldn't look that up: {result['error']}"


def obedient(body: dict[str, Any]) -> Turn:
    """Be a model that does what `POLICY` says, by a few plain rules."""
    assert tools.POLICY in body["messages"][0]["content"]
    offered, last = names(body), body["messages"][-1]
    if last["role"] == "tool":
        return Turn(told(json.loads(last["content"])))
    if "no search" in last["content"] and "web_search_pause" in offered:
        return call("web_search_pause", paused=True)
    if "search again" in last["content"] and "web_search_pause" in offered:
        return call("web_search_pause", paused=False)
    if "web_search" in offered:
        return call("web_search", query=last["content"], num_results="2")
    return Turn("I can only say what I know.")


@pytest.fixture
async def chat() -> AsyncIterator[LoopbackChat]:
    """Run a stand-in for an endpoint whose model is obedient."""
    async with LoopbackChat(model=obedient) as running:
        yield running


@pytest.fixture
def example(
    chat: LoopbackChat, settings: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> ModuleType:
    """Import the example as who runs it has set it up."""
    given = {key: value for key, value in settings.items() if isinstance(value, str | bool)}
    monkeypatch.setenv("WEBSEARCH_CONFIG", str(write_config(tmp_path / "config.toml", given)))
    monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
    monkeypatch.setenv("OPENAI_API_KEY", chat.key)
    monkeypatch.setenv("CHAT_MODEL", MODEL)
    spec = importlib.util.spec_from_file_location("chatbot_example", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "chatbot_example", module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run_bot(example: ModuleType, discord_: LoopbackDiscord) -> Callable[[], AbstractAsyncContextManager[commands.Bot]]:
    """Give a context in which the example's bot is there, logged in to Discord's stand-in, for dpytest to write to."""

    @asynccontextmanager
    async def run() -> AsyncIterator[commands.Bot]:
        async with example.ChatBot() as bot:
            await bot.login(discord_.token)
            # To dpytest a mention is of a member in memory, which Discord itself would send along.
            bot._connection._intents.members = True  # noqa: SLF001 - likewise
            bot._connection.member_cache_flags = discord.MemberCacheFlags.all()  # noqa: SLF001 - likewise
            dpytest.configure(bot, members=2)
            bot._connection.loop = asyncio.get_running_loop()  # noqa: SLF001 - as discord.py does at its start
            yield bot
            await bot.remove_cog("WebSearch")
            await bot.model.close()
            await dpytest.empty_queue()
            # What dpytest puts in its place has no connection that could be closed.
            bot.ws = None

    return run


@pytest.fixture
async def bot(run_bot: Callable[[], AbstractAsyncContextManager[commands.Bot]]) -> AsyncIterator[commands.Bot]:
    """Run the example's bot."""
    async with run_bot() as running:
        yield running


async def say(bot: commands.Bot, text: str, member: int = 0) -> str:
    """Mention the bot in its channel, and return what it replied."""
    assert bot.user is not None
    await dpytest.message(f"<@{bot.user.id}> {text}", member=member)
    return str(dpytest.get_message().content)


def offers(chat: LoopbackChat) -> list[list[str]]:
    """List the tools that each request to the model offered."""
    return [names(json.loads(request.body)) for request in chat.requests]


async def test_a_question_is_looked_up(bot: commands.Bot, chat: LoopbackChat, exa: LoopbackExa) -> None:
    """TALK-01: question, call, results, and an answer with its source; whatever else is said gets no reply."""
    said = await say(bot, QUESTION)
    assert said == f"New telescope sends its first pictures of a distant galaxy [1]\n[1] {SOURCE}"
    assert offers(chat) == [ALL, ALL]
    assert json.loads(exa.requests[0].body)["numResults"] == 2
    await dpytest.message("nobody asked the bot")
    assert dpytest.verify().message().nothing()
    assert len(exa.requests) == 1


async def test_its_own_mention_is_not_passed_on(bot: commands.Bot, chat: LoopbackChat, exa: LoopbackExa) -> None:
    """TALK-05: the model reads what was asked without the bot's mention, wherever that stands, and with all others."""
    assert bot.user is not None
    other = dpytest.get_config().members[1]
    for text in (f"<@{bot.user.id}> who is <@{other.id}>?", f"who is <@!{other.id}> <@{bot.user.id}>?"):
        await dpytest.message(text)
    said = {one.get("content") for request in chat.requests for one in json.loads(request.body)["messages"]}
    assert {f"who is @{other.display_name}?", f"who is @{other.display_name} ?"} <= said
    assert json.loads(exa.requests[0].body)["query"] == f"who is @{other.display_name}?"


async def test_a_mention_alone_is_a_greeting(bot: commands.Bot, chat: LoopbackChat) -> None:
    """TALK-05: no endpoint gets an empty message, which many refuse."""
    assert bot.user is not None
    await dpytest.message(f"<@{bot.user.id}>")
    assert json.loads(chat.requests[0].body)["messages"][-1]["content"] == "Hello."


@pytest.mark.usefixtures("bot")
async def test_its_commands_are_synced(discord_: LoopbackDiscord) -> None:
    """TALK-06: Discord knows the cog's commands once the example runs: `/searches` is where a pause is seen."""
    assert {command.name for command in discord_.commands.all()} >= {"search", "searches", "websearch"}


async def test_a_question_by_direct_message(bot: commands.Bot, exa: LoopbackExa) -> None:
    """TALK-01: no mention is needed where nobody else is."""
    user = bot.users[0] if bot.users[0] != bot.user else bot.users[1]
    await dpytest.message(QUESTION, channel=await user.create_dm(), member=user)
    assert SOURCE in dpytest.get_message().content
    assert len(exa.requests) == 1


async def test_no_search_holds_until_they_ask_again(
    run_bot: Callable[[], AbstractAsyncContextManager[commands.Bot]], chat: LoopbackChat, exa: LoopbackExa
) -> None:
    """TALK-02: the next question offers the pause alone, also by another bot on the same database; others search on."""
    async with run_bot() as bot:
        assert await say(bot, "no search, please") == "I won't search until you ask me to."
        chat.requests.clear()
        assert await say(bot, QUESTION) == "I can only say what I know."
        assert offers(chat) == [PAUSE]
        assert SOURCE in await say(bot, QUESTION, member=1)
        ids = [member.id for member in dpytest.get_config().members]
    searched = len(exa.requests)
    chat.requests.clear()
    async with run_bot() as bot:
        # dpytest makes new members: the one who paused must be the same to Discord.
        for member, id_ in zip(dpytest.get_config().members, ids, strict=True):
            member._user.id = id_  # noqa: SLF001 - likewise
        assert await say(bot, QUESTION) == "I can only say what I know."
        assert offers(chat) == [PAUSE]
        assert len(exa.requests) == searched
        assert await say(bot, "please search again") == "I'll search again."
        assert SOURCE in await say(bot, QUESTION)
    assert offers(chat)[-1] == ALL


async def test_a_model_without_an_end(bot: commands.Bot, chat: LoopbackChat, exa: LoopbackExa) -> None:
    """TALK-03: a model that only calls tools is asked a bounded number of times, at last without tools."""
    chat.model = lambda body: call("web_search", query=f"{QUESTION} {len(body['messages'])}")
    assert await say(bot, QUESTION) == "I have no answer to that."
    assert len(chat.requests) == 6
    assert len(exa.requests) == 5
    assert offers(chat)[-1] == []


async def test_a_model_that_writes_nonsense(bot: commands.Bot, chat: LoopbackChat, exa: LoopbackExa) -> None:
    """TALK-03: what no tool takes comes back to the model as a sentence, each call's by its id."""
    told: list[str] = []

    def confused(body: dict[str, Any]) -> Turn:
        results = [json.loads(one["content"]) for one in body["messages"] if one["role"] == "tool"]
        told.extend(result["error"] for result in results)
        if results:
            return Turn("I give up.")
        return Turn(calls=(("web_search", "{"), ("browse", "{}"), ("web_search", '{"num_results": "many"}')))

    chat.model = confused
    assert await say(bot, QUESTION) == "I give up."
    assert told == [
        "The arguments can't be read: send one JSON object with the fields of the tool.",
        f"There's no such tool: call one of {', '.join(ALL)}.",
        "The argument query is missing: send it.",
    ]
    assert exa.requests == []


async def test_a_model_that_cannot_be_reached(bot: commands.Bot, chat: LoopbackChat) -> None:
    """TALK-03: what the endpoint refuses is a sentence to the member, and the next question works."""
    chat.fail(faults.error(401, "invalid_api_key"))
    assert await say(bot, QUESTION) == "My language model can't be reached: try again in a moment."
    assert SOURCE in await say(bot, QUESTION)


async def test_the_model_reads_whole_exchanges(bot: commands.Bot, chat: LoopbackChat) -> None:
    """TALK-07: after the prompt, member and model take turns in each request, however long it is and what failed."""
    chat.model = lambda body: Turn(f"Answer to {body['messages'][-1]['content']}")
    talk: list[dict[str, Any]] = []
    for number in range(10):
        if number in {1, 2, 7}:
            chat.fail(faults.error(401, "invalid_api_key"))
        await say(bot, f"message {number}")
        talk = json.loads(chat.requests[-1].body)["messages"]
        assert [turn["role"] for turn in talk] == ["system", *["user", "assistant"] * (len(talk) // 2 - 1), "user"]
        assert all(
            answer["content"] == f"Answer to {asked['content']}"
            for asked, answer in zip(talk[1:-1:2], talk[2::2], strict=True)
        )
    # What failed isn't there, and of the rest no more than five before the last.
    assert [turn["content"][-1] for turn in talk if turn["role"] == "user"] == list("345689")


async def test_a_reply_pings_nobody_and_fits(
    bot: commands.Bot, chat: LoopbackChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TALK-03: whatever the model writes is cut to Discord's length, and sent without mentions that ping."""
    sent: list[dict[str, Any]] = []
    make = discord.http.handle_message_parameters

    def spy(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passed on as it is
        sent.append(kwargs)
        return make(*args, **kwargs)

    monkeypatch.setattr(discord.abc, "handle_message_parameters", spy)
    chat.model = lambda _body: Turn("@everyone " * 400)
    assert len(await say(bot, QUESTION)) == 2000
    assert sent[0]["allowed_mentions"].to_dict() == discord.AllowedMentions.none().to_dict()


async def test_the_endpoint_answers_as_openais_own_client_expects(chat: LoopbackChat) -> None:
    """TALK-01: what the stand-in sends for a call is what the `openai` package types, without a field that it lacks."""
    async with AsyncOpenAI(base_url=chat.url, api_key=chat.key) as client:
        offered = [{"type": "function", "function": {"name": "web_search", "description": "Search", "parameters": {}}}]
        prompt = [{"role": "system", "content": tools.POLICY}, {"role": "user", "content": QUESTION}]
        reply = await client.chat.completions.create(model=MODEL, messages=prompt, tools=offered)  # type: ignore[arg-type] # plain dictionaries, as a bot has them
    assert type(reply).model_validate(reply.model_dump(), strict=True) == reply
    assert not reply.model_extra
    (choice,) = reply.choices
    assert choice.finish_reason == "tool_calls"
    (made,) = choice.message.tool_calls or []
    assert isinstance(made, ChatCompletionMessageFunctionToolCall)
    assert (made.function.name, json.loads(made.function.arguments)["query"]) == ("web_search", QUESTION)


def test_the_example_is_short() -> None:
    """TALK-04: whoever reads it has it on one screen or two."""
    assert len(EXAMPLE.read_text("utf-8").splitlines()) < 80
