"""Hold what the doctor learns from what answers questions and isn't searched with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from loopback_chat import KEY, MODEL, Fault, LoopbackChat, faults
from loopback_tavily import LoopbackTavily

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from doctor_tools import Doctor
    from loopback_exa import LoopbackExa


@pytest.fixture
async def model(settings: dict[str, object]) -> AsyncIterator[LoopbackChat]:
    """Let a model answer, while Exa searches."""
    async with LoopbackChat() as running:
        settings |= {"web-answer-backend": "chat", "chat-base-url": running.url, "chat-model": MODEL}
        settings["chat-api-key"] = KEY
        yield running


def timeless(said: str) -> str:
    """Take out how long something took."""
    return re.sub(r"took [\d.]+ s", "took 0 s", said)


async def test_it_is_asked_one_question(doctor: Doctor, model: LoopbackChat, exa: LoopbackExa) -> None:
    """DOC-20: with what that took, and what it cost where that's said; without --live it's opened alone."""
    found = await doctor()
    said = "ok: Chat model has all that it needs to answer questions; --live asks it one."
    assert found.find("Chat model") == said
    assert model.requests == []
    found = await doctor(live=True)
    said = "ok: Chat model answers questions; that took 0 s and cost 0.012 US dollars."
    assert timeless(found.find("Chat model")) == said
    assert (len(model.requests), len(exa.requests)) == (1, 1)
    model.fail(faults.said("A place to talk."))
    found = await doctor(live=True)
    said = "ok: Chat model answers questions; that took 0 s, and it didn't say what it cost."
    assert timeless(found.find("Chat model")) == said


@pytest.mark.parametrize(
    ("fault", "said", "advice"),
    [
        (faults.error(401, "invalid_api_key"), "Chat model doesn't accept the key.", "Copy the key anew"),
        (faults.error(429, "insufficient_quota"), "The credit at Chat model is used up.", "Buy credit there"),
        (faults.error(404, "model_not_found"), "Chat model: there's no such model", "Correct chat-model and"),
        (faults.error(403), "Chat model", "look at the engine's status page"),
        (faults.echo(lambda call: f"bad {call.key}"), "Chat model doesn't accept the key.", "Copy the key anew"),
        (faults.reset, "Chat model can't be reached.", "Check this machine's connection"),
    ],
)
async def test_one_that_refuses(doctor: Doctor, model: LoopbackChat, fault: Fault, said: str, advice: str) -> None:
    """DOC-02, DOC-20: a wrong key doesn't pass: it's told with what to do, without the key, and the code is 3."""
    model.fail(always=fault)
    found = await doctor(live=True)
    assert found.code == 3
    assert found.find(said).startswith("wrong: ")
    assert advice in found.find(said)
    assert KEY[8:] not in found.shown
    assert found.find("Exa takes the key and answers").startswith("ok: ")


async def test_one_that_takes_too_long(doctor: Doctor, model: LoopbackChat, settings: dict[str, object]) -> None:
    """DOC-16, DOC-20: it's waited for within the deadline of answers, and it isn't said that it can't be reached."""
    settings["web-answer-timeout-s"] = 5
    model.fail(always=faults.hang)
    found = await doctor(live=True)
    assert found.code == 3
    assert "Chat model took too long" in found.shown
    assert "can't be reached" not in found.shown.replace("Discord can't be reached", "")


async def test_another_engine(doctor: Doctor, settings: dict[str, object], exa: LoopbackExa) -> None:
    """DOC-20: so is an engine that others search with; one that's searched with already isn't asked twice."""
    async with LoopbackTavily() as tavily:
        settings |= {"tavily-api-key": tavily.key, "tavily-base-url": tavily.url, "web-answer-backend": "tavily"}
        found = await doctor(live=True)
        assert found.find("Tavily answers questions").startswith("ok: ")
        assert [call.path for call in exa.requests] == ["/search"]
        tavily.requests.clear()
        settings["web-fallbacks"] = ["tavily"]
        found = await doctor(live=True)
        assert found.find("Tavily takes the key and answers").startswith("ok: ")
        assert len(tavily.requests) == 1


async def test_where_nothing_answers(doctor: Doctor, settings: dict[str, object]) -> None:
    """DOC-20: then nothing is said of answers."""
    settings["web-backend"] = "local"
    found = await doctor()
    assert (found.code, "answer questions" in found.shown) == (0, False)
