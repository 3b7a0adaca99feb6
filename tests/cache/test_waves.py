"""Let many search for few things at once, while calls fail and members leave, and compare the books."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING

import pytest

from cogs.websearch import errors
from cogs.websearch.charges import Use
from cogs.websearch.models import Asker, Outcome, SearchRequest
from cogs.websearch.settings import Place
from loopback_exa import Fault, faults

if TYPE_CHECKING:
    from loopback_exa import LoopbackExa
    from meter_tools import OpenService

QUERIES, MEMBERS = 8, 80
# What a call ends with, and what it costs then, in millionths of a US dollar.
ENDS: tuple[tuple[Fault, int], ...] = (
    (faults.rows({"url": "https://example.com"}, costDollars={"total": 0.007}), 7000),
    (faults.rows({"url": "https://example.com"}, costDollars={"total": 0.002}), 2000),
    (faults.rows(costDollars={"total": 0.005}), 5000),
    (faults.error(404, "NOT_FOUND"), 0),
    (faults.html(200), 7000),
)


@pytest.mark.parametrize("seed", range(3))
async def test_the_books_agree_with_what_was_answered(open_service: OpenService, exa: LoopbackExa, seed: int) -> None:
    """CACHE-03 CACHE-20 to CACHE-24: each call is paid once, each answer counts once, and nobody else's."""
    chance = random.Random(seed)  # noqa: S311 - the same in each run, for nobody to guess
    service = await open_service(web_pace_per_second=1000)
    counted = cost = 0
    for wave in range(4):
        before = len(exa.requests)
        exa.hold()
        ends = [chance.choice(ENDS) for _ in range(QUERIES)]
        exa.fail(*(fault for fault, _ in ends))
        searching = [
            asyncio.ensure_future(
                service.search(
                    SearchRequest(query=f"wave {wave} query {number % QUERIES}", count=1),
                    Asker(user_id=number, channel_id=5),
                    Place(),
                )
            )
            for number in range(MEMBERS)
        ]
        await exa.received(before + QUERIES)
        while (await service.usage()).total.searches < counted + MEMBERS:
            continue
        for one in chance.sample(searching, MEMBERS // 2):
            one.cancel()
        await asyncio.sleep(0)
        exa.release()
        found = await asyncio.gather(*searching, return_exceptions=True)
        known = (Outcome, errors.NoResults, errors.EndpointMissing, errors.InvalidAnswer, asyncio.CancelledError)
        assert all(isinstance(one, known) for one in found)
        counted += sum(isinstance(one, Outcome | errors.NoResults) for one in found)
        cost += sum(price for _, price in ends)
        assert len(exa.requests) == before + QUERIES
        assert (await service.usage()).total == Use(searches=counted, cost=cost)
