"""Open what answers questions, as the configuration names it."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from cogs.websearch import backends, errors
from cogs.websearch.backends.base import Streamer
from cogs.websearch.config import Config
from cogs.websearch.models import SearchRequest
from loopback_chat import KEY, MODEL, LoopbackChat
from loopback_tavily import LoopbackTavily

if TYPE_CHECKING:
    from cogs.websearch.models import Answer
    from loopback_exa import LoopbackExa

GIVEN = {"web-answer-backend": "chat", "chat-base-url": "https://chat.example.org/v1", "chat-model": "a-model"}


async def answered(config: Config) -> Answer:
    """Open what answers, ask once, and close it."""
    answerer = await backends.open_answerer(config)
    assert answerer is not None
    try:
        return await answerer.answer(SearchRequest(query="blocking function in a thread", count=5))
    finally:
        await answerer.close()


async def test_the_search_engine_answers(exa: LoopbackExa) -> None:
    """ANSWER-06: with nothing else named, the engine that searches answers, where it can."""
    answer = await answered(Config(web_backend="exa", exa_api_key=exa.key, exa_base_url=exa.url))
    assert (exa.requests[0].path, answer.backend) == ("/answer", "Exa")
    for name in ("jina", "searxng", "local"):
        assert await backends.open_answerer(Config(web_backend=name)) is None
        assert backends.answered_with(Config(enable_web_search=True, web_backend=name)) == ()


async def test_another_engine_answers() -> None:
    """ANSWER-06: what `web-answer-backend` names answers, whatever searches."""
    async with LoopbackTavily() as tavily:
        config = Config(
            web_backend="local", web_answer_backend="tavily", tavily_api_key=tavily.key, tavily_base_url=tavily.url
        )
        assert (await answered(config)).backend == "Tavily"
    async with LoopbackChat() as model:
        config = Config(
            web_backend="local",
            web_answer_backend="chat",
            chat_base_url=model.url,
            chat_model=MODEL,
            chat_api_key=KEY,
            web_snippet_chars=60,
        )
        assert (await answered(config)).backend == "Chat model"
        assert model.requests[0].json["model"] == MODEL
        answerer = await backends.open_answerer(config)
        assert isinstance(answerer, Streamer)
        await answerer.close()


@pytest.mark.parametrize("name", ["exa", "tavily", "chat"])
def test_what_it_is_opened_with(name: str) -> None:
    """ANSWER-06: a change of any setting that it's opened with tells that it must be opened anew, no other does."""
    config = Config(enable_web_search=True, web_backend="local", web_answer_backend=name)
    before = backends.answered_with(config)
    for setting in backends.adapter(name).SETTINGS:
        other = "another" if isinstance(getattr(config, setting), str) else 99
        assert backends.answered_with(dataclasses.replace(config, **{setting: other})) != before  # type: ignore[arg-type]
    assert backends.answered_with(dataclasses.replace(config, web_results=9)) == before
    assert backends.answered_with(dataclasses.replace(config, enable_web_search=False)) == ()


@pytest.mark.parametrize(
    ("file", "env", "model"),
    [
        ("of-the-file", "", "of-the-file"),
        ("of-the-file", " ", "of-the-file"),
        ("of-the-file", "of/the:environment", "of/the:environment"),
        ("", "of-the-environment", "of-the-environment"),
    ],
)
def test_the_model_of_the_environment_wins(file: str, env: str, model: str) -> None:
    """CFG-22: the environment's model wins over the file's, and where it's blank the file's holds."""
    found = Config.from_mapping({"chat-model": file}, env={"WEBSEARCH_CHAT_MODEL": env})
    assert found.chat_model == model


def test_the_key_of_the_file_wins() -> None:
    """CFG-06: of the model's key, as of all others, the file's wins."""
    env = {"WEBSEARCH_CHAT_API_KEY": "of-the-environment"}
    assert Config.from_mapping({}, env=env).chat_api_key == "of-the-environment"
    assert Config.from_mapping({"chat-api-key": "of-the-file"}, env=env).chat_api_key == "of-the-file"


@pytest.mark.parametrize("value", ["two words", "ümlaut", "x" * 101, 5, ["a"]])
def test_a_model_is_one_word(value: object) -> None:
    """CFG-04: the name of a model is one word of plain characters."""
    with pytest.raises(errors.InvalidValue) as caught:
        Config.from_mapping({"chat-model": value}, env={})
    assert caught.value.expected == "word"


@pytest.mark.parametrize("left_out", ["chat-base-url", "chat-model"])
def test_what_a_model_needs(left_out: str) -> None:
    """CFG-07: an answerer that is named without what it can't do without names that key."""
    mapping: dict[str, object] = {"enable-web-search": True, "web-backend": "local", **GIVEN}
    assert Config.from_mapping(mapping, env={}).chat_model == "a-model"
    del mapping[left_out]
    with pytest.raises(errors.KeyNeeded) as caught:
        Config.from_mapping(mapping, env={})
    assert caught.value.name == left_out


@pytest.mark.parametrize("url", ["http://chat.example.org/v1", "ftp://localhost/", "https://u:p@chat.example.org/"])
def test_address_of_a_model(url: str) -> None:
    """CFG-12: the model's address must be https, or http on this machine, since a key travels to it."""
    with pytest.raises(errors.InvalidValue):
        Config.from_mapping({"chat-base-url": url}, env={})
