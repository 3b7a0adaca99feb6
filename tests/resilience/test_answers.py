"""Hold which engine answers a question where the first one fails, and that no two answers are mixed."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import TYPE_CHECKING, Final

import pytest

from cogs.websearch import errors, failover
from cogs.websearch.charges import Use
from cogs.websearch.i18n import Words
from cogs.websearch.models import Answered, Asker, Category, SearchRequest, SiteRules
from cogs.websearch.render_answer import facts
from cogs.websearch.settings import Place
from engine_tools import in_time
from loopback_engine import faults
from loopback_engine.streams import stream
from loopback_exa import faults as exa_faults
from loopback_tavily import faults as tavily_faults

if TYPE_CHECKING:
    from collections.abc import Callable

    from cogs.websearch.models import Answer
    from cogs.websearch.service import SearchService
    from loopback_exa import Fault, LoopbackExa
    from loopback_tavily import LoopbackTavily
    from meter_tools import OpenService

_NUMBERS: Final = count(1)
# Longer than what an answer grows by at the least.
PIECE: Final = 2 * "Light of short waves is scattered more than light of long ones. "
DOWN: Final = exa_faults.error(403, "FEATURE_DISABLED")


def said(text: str) -> dict[str, object]:
    """Make an event that adds to an answer of Exa's."""
    return {"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}]}


def ignore(_answer: Answer) -> None:
    """Take no notice of how an answer grows."""


async def ask(
    service: SearchService,
    *,
    category: Category | None = None,
    rules: SiteRules | None = None,
    grown: Callable[[Answer], None] = ignore,
) -> Answer:
    """Ask what nobody has asked before."""
    request = SearchRequest(query=f"why is the sky blue {next(_NUMBERS)}", count=3, category=category)
    asker = Asker(user_id=1, channel_id=5)
    if rules is not None:
        # As `SearchService.answer` has them of the place.
        return await service.engines.answer(SearchRequest(query=request.query, count=3, rules=rules), asker, grown)
    found = await service.answer(request, asker, Place(), grown=grown)
    assert isinstance(found, Answered)
    return found.answer


@pytest.mark.parametrize(
    "fault",
    [
        DOWN,
        exa_faults.error(401, "INVALID_API_KEY"),
        exa_faults.error(503, "SERVICE_OVERLOADED"),
        exa_faults.error(429, "RATE_LIMIT_EXCEEDED", headers={"Retry-After": "600"}),
        faults.hang,
        faults.reset,
        faults.html(),
        stream(hanging=True),
        stream(broken=True),
        stream(said("")),
    ],
)
async def test_a_fallback_answers(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily, fault: Fault
) -> None:
    """RES-33: whatever keeps the first engine from answering, the next one does, and the reply says for whom."""
    service = await open_service(web_answer_timeout_s=3)
    exa.fail(always=fault)
    answer = await ask(service)
    assert (answer.backend, answer.instead_of, answer.complete) == ("Tavily", "Exa", True)
    assert [call.path for call in tavily.requests] == ["/search"]
    asked = SearchRequest(query="why", count=3)
    assert facts(Answered(request=asked, answer=answer), 0, 1, Words()) == "answered by Tavily, since Exa didn't answer"


async def test_what_no_engine_is_to_answer(open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily) -> None:
    """RES-33, RES-03: what the first engine won't search for is asked of no other."""
    service = await open_service()
    exa.fail(exa_faults.error(403, "PROHIBITED_CONTENT"))
    with pytest.raises(errors.ContentProhibited):
        await ask(service)
    assert tavily.requests == []


async def test_where_none_answers_the_first_is_told(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-33: whatever the second one did; nobody is charged."""
    service = await open_service()
    exa.fail(always=DOWN)
    tavily.fail(always=tavily_faults.error(432))
    with pytest.raises(errors.FeatureDisabled) as caught:
        await ask(service)
    assert caught.value.backend == "Exa"
    assert (await service.usage()).total == Use()


async def test_one_deadline_for_all(open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily) -> None:
    """RES-33: where both hang, the answer fails in time."""
    service = await open_service(web_answer_timeout_s=1.5)
    exa.fail(always=faults.hang)
    tavily.fail(always=faults.hang)
    with in_time(1.5), pytest.raises(errors.BackendTimeout) as caught:
        await ask(service)
    assert caught.value.backend == "Exa"


async def test_what_the_first_cannot_honour(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-33: an engine whose answers can't be narrowed isn't asked; one whose answers can stands in for nobody."""
    service = await open_service()
    answer = await ask(service, category=Category.NEWS)
    assert (answer.backend, answer.instead_of) == ("Tavily", "")
    only = SiteRules(allowed=("example.com",))
    assert service.engines.answers_within(only)
    assert (await ask(service, rules=only)).backend == "Tavily"
    assert exa.requests == []
    with pytest.raises(errors.AnswerUnsupported) as caught:
        await ask(service, category=Category.PUBLICATION)
    assert (caught.value.option, caught.value.backend) == ("category", "Exa")
    assert len(tavily.requests) == 2


async def test_rules_on_sites_are_never_dropped(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-33: a fallback that can't keep its answers to the sites that alone may be shown isn't asked."""
    only = SiteRules(allowed=("example.com",))
    service = await open_service(web_backend="tavily", web_fallbacks=["exa"])
    tavily.fail(always=tavily_faults.error(401))
    with pytest.raises(errors.KeyRefused):
        await ask(service, rules=only)
    assert exa.requests == []
    alone = await open_service(web_fallbacks=[])
    assert not alone.engines.answers_within(only)
    with pytest.raises(errors.AnswersUnbound):
        await ask(alone, rules=only)


async def test_an_engine_for_answers_alone_has_fallbacks_too(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily
) -> None:
    """RES-33: one that `web-answer-backend` names is asked first, then the fallbacks; the engine for searches isn't."""
    service = await open_service(
        web_answer_backend="chat",
        chat_base_url=exa.url,
        chat_model="some-model",
        chat_api_key="sk-0123456789abcdef0123",
    )
    exa.fail(always=faults.html(404))
    answer = await ask(service)
    assert (answer.backend, answer.instead_of) == ("Tavily", "Chat model")
    assert [call.path for call in exa.requests] == ["/chat/completions"]
    assert len(tavily.requests) == 1
    assert service.engines.answerer_name == "Chat model"


@pytest.mark.parametrize("broken", [True, False])
async def test_what_came_is_never_mixed(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily, *, broken: bool
) -> None:
    """RES-34: of an answer that breaks off or stops, what came is shown, and nobody else is asked."""
    service = await open_service(web_answer_timeout_s=2)
    exa.fail(stream(said(PIECE), said("And then"), broken=broken, hanging=not broken))
    seen: list[Answer] = []
    answer = await ask(service, grown=seen.append)
    assert (answer.backend, answer.instead_of, answer.complete) == ("Exa", "", False)
    assert all(one.backend == "Exa" and answer.text.startswith(one.text.rstrip("…")) for one in seen)
    assert tavily.requests == []


async def test_an_answer_that_has_begun_has_all_the_time(
    open_service: OpenService, exa: LoopbackExa, tavily: LoopbackTavily, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RES-34: it isn't cut off where another engine would be asked if nothing had come yet."""
    monkeypatch.setattr(failover, "SHARE", 0.1)
    service = await open_service(web_answer_timeout_s=20)
    loop = asyncio.get_running_loop()
    ready, gate = asyncio.Event(), asyncio.Event()
    ready.set()
    exa.fail(stream(said(PIECE), said("And that's all."), gates=(ready, gate)))
    # The share is over by then.
    loop.call_later(2.5, gate.set)
    began = loop.time()
    answer = await ask(service)
    assert loop.time() - began > 2
    assert answer.complete
    assert answer.text.endswith("all.")
    assert tavily.requests == []
