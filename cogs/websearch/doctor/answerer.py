"""Check what answers questions and isn't searched with: that it opens, and with `--live` that it answers one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from .. import backends, errors, wording
from ..failover import within
from ..i18n import N_
from ..lineup import engines_of
from ..models import SearchRequest
from . import refusals
from .findings import ok, wrong

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from ..backends.base import Answerer
    from ..config import Config
    from .case import Case
    from .findings import Finding

# Short to ask and to answer.
_QUESTION: Final = "What is Discord?"
_CHAT: Final = "chat"


async def check(case: Case, *, clock: Callable[[], float] = time.monotonic) -> AsyncIterator[Finding]:
    """Open what the configuration has answer, ask once where that's allowed, and close it; `clock` tells seconds.

    Where it's one of those that are searched with, nothing is left to check.
    """
    config = case.config
    if config is None or not config.enable_web_search or backends.answerer_of(config) in engines_of(config):
        return
    try:
        answerer = await backends.open_answerer(config)
    except (errors.BackendError, errors.ConfigError) as error:
        yield wrong(wording.explain_to_owner(error, case.words))
        return
    if answerer is None:
        return
    try:
        yield await _judge(answerer, config, case, clock)
    finally:
        await answerer.close()


async def _judge(answerer: Answerer, config: Config, case: Case, clock: Callable[[], float]) -> Finding:
    words, name = case.words, answerer.name
    if not case.live:
        said = words("{backend} has all that it needs to answer questions; --live asks it one.", backend=name)
        return ok(said)
    began = clock()
    try:
        request = SearchRequest(query=_QUESTION, count=1)
        answer = await within(config.web_answer_timeout_s, name, answerer.answer(request))
    except errors.BackendError as error:
        return refusals.tell(error, case, refusals.MODEL if backends.answerer_of(config) == _CHAT else ())
    took = words.number(round(clock() - began, 1))
    if answer.cost is None:
        said = N_("{backend} answers questions; that took {seconds} s, and it didn't say what it cost.")
    else:
        said = N_("{backend} answers questions; that took {seconds} s and cost {cost} US dollars.")
    return ok(words(said, backend=name, seconds=took, cost=words.number(answer.cost or 0)))
