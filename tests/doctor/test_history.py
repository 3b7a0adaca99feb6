"""Hold what the doctor, another process, tells of the engines that a bot asks or has asked."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from bots import Place, connected_bot
from cogs.websearch import WebSearch
from cogs.websearch.breaker import State
from cogs.websearch.charges import Act
from cogs.websearch.doctor import configuration, history
from cogs.websearch.health import DOWN_AFTER, Note, Signs
from cogs.websearch.i18n import Catalogues
from cogs.websearch.journal import NOTE_SECONDS
from cogs.websearch.store import engines
from cogs.websearch.store.migrations import migrate, read_migrations
from cogs.websearch.store.sqlite import SqliteStore
from cogs.websearch.troubles import Kind, Trouble
from doctor_tools import Diagnosis
from engine_tools import NOW
from loopback_exa import faults
from loopback_tavily import LoopbackTavily
from meter_tools import DAY
from terminal_tools import run
from ticks import Ticks

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.doctor.findings import Finding
    from cogs.websearch.playground.discord import LoopbackDiscord
    from doctor_tools import Doctor
    from loopback_exa import LoopbackExa

UNKNOWN = "ok: How the engines did: nothing is known yet, since the bot hasn't asked them."


async def test_while_a_bot_runs_and_after_it(
    doctor: Doctor, discord_: LoopbackDiscord, settings: dict[str, object], exa: LoopbackExa, tmp_path: Path
) -> None:
    """DOC-18: a process of its own says what members' searches brought, with what went wrong as a warning."""
    place, ticks = Place.make(discord_), Ticks(NOTE_SECONDS)

    async def diagnosis() -> list[str]:
        done = await asyncio.to_thread(run, tmp_path, "doctor")
        assert (done.returncode, done.stderr) == (0, "")
        found = [f"{mark}: {said}" for mark, said in Diagnosis(0, done.stdout, "").findings]
        told = [said for said in found if re.search(": (Engine|Fallback|How .* did): ", said)]
        # How long it took, and how long ago, is the machine's business.
        return [re.sub(r"\d+ seconds? ago", "just now", re.sub(r"takes [\d.]+ s", "takes 0 s", said)) for said in told]

    async def search(query: str) -> None:
        await (await place.member.invoke(place.channel, "search", query=query)).reply()

    async with LoopbackTavily() as tavily, connected_bot(discord_) as bot:
        settings |= {"web-fallbacks": ["tavily"], "tavily-api-key": tavily.key, "tavily-base-url": tavily.url}
        settings |= {"web-per-minute": 100}
        # It writes the configuration that the other process reads.
        assert (await doctor()).find("How the engines did") == UNKNOWN
        await bot.add_cog(WebSearch(bot, settings, clock=discord_.clock.now, sleep=ticks.sleep))
        await bot.tree.sync()
        assert await diagnosis() == [UNKNOWN]
        await search("pictures of a distant galaxy")
        await ticks.seconds(1)
        assert await diagnosis() == [
            "ok: Engine: Exa; usually takes 0 s; last answered just now; 0.007 US dollars today; noted just now.",
            "ok: How tavily did: nothing is known yet.",
        ]
        exa.fail(always=faults.error(401, "INVALID_API_KEY"))
        await search("pictures of another galaxy")
        await bot.close()
    first, second = await diagnosis()
    assert re.sub("since .*?;", "since then;", first) == (
        "warning: Engine: Exa, which has refused the bot's key since then; not asked for now; usually takes 0 s; last "
        "answered just now; last failed just now, backend-key-refused; 0.007 US dollars today; noted just now. It may "
        "be over by now: doctor --live asks the engine."
    )
    assert second.startswith("ok: Fallback: Tavily; usually takes 0 s; last answered just now; 0.00")


async def found_at(tmp_path: Path, *, now: float, live: bool = False, locale: str = "en") -> list[Finding]:
    """Return what's found at a moment by the configuration in a folder."""
    words = Catalogues().words(locale)
    env = {"WEBSEARCH_CONFIG": str(tmp_path / "config.toml")}
    case, _ = configuration.read(env, words, live=live, seconds=1.0)
    return [finding async for finding in history.check(case, clock=lambda: now)]


async def kept(path: Path, signs: Signs, *, cost: int = 0) -> None:
    """Note of Exa at noon what signs say."""
    store = await SqliteStore.open(path)
    await store.engines.note("exa", Note(signs=signs, at=NOW))
    await store.engines.spend(DAY, "exa", cost)
    await store.close()


@pytest.mark.parametrize(
    ("signs", "said"),
    [
        (
            Signs(
                name="Exa",
                state=State.HALF_OPEN,
                trouble=Trouble(kind=Kind.ENGINE, since=NOW - 90, count=DOWN_AFTER),
                failed=NOW - 60,
                failure="backend-down",
            ),
            (
                "warning: Engine: Exa, which has failed 5 searches in a row since November 30, 2026, 12:58:30 PM +0100"
                "; to be tried by one search; last failed 3 hours ago, backend-down; 0.5 US dollars today; "
                "noted 3 hours ago."
            ),
        ),
        (
            Signs(name="exa", is_open=False, failed=NOW - 86400 * 2, failure="backend-unreachable"),
            (
                "warning: Fallback: exa, which isn't open yet; last failed 2 days ago, backend-unreachable; "
                "0.5 US dollars today; noted 3 hours ago."
            ),
        ),
        (
            Signs(name="Exa", succeeded=NOW + 4 * 3600, latency=0.25),
            "ok: Engine: Exa; usually takes 0.2 s; last answered in 1 hour; 0.5 US dollars today; noted 3 hours ago.",
        ),
    ],
    ids=["down", "not open", "a wrong clock"],
)
async def test_what_was_noted_long_ago(
    doctor: Doctor, settings: dict[str, object], tmp_path: Path, signs: Signs, said: str
) -> None:
    """DOC-18: how old it is, in words, and moments in the zone in which a day ends; a trouble may be over by now."""
    settings["web-timezone"] = "Europe/Berlin"
    await doctor()
    await kept(tmp_path / "websearch.db", signs, cost=500_000)
    (finding,) = await found_at(tmp_path, now=NOW + 3 * 3600)
    # Releases of Babel differ in what stands between the day and its time.
    shown = finding.found.replace("\u202f", " ").replace(" at ", ", ")
    assert f"{finding.mark}: {shown}" == said
    assert bool(finding.todo) == said.startswith("warning")
    (finding,) = await found_at(tmp_path, now=NOW + 3 * 3600, live=True)
    assert finding.todo == ""
    (finding,) = await found_at(tmp_path, now=NOW + 86400)
    assert "US dollars" not in finding.found


async def test_in_another_language(doctor: Doctor, tmp_path: Path) -> None:
    """DOC-18: ages are words of that language, too."""
    await doctor()
    await kept(tmp_path / "websearch.db", Signs(name="Exa", succeeded=NOW))
    (finding,) = await found_at(tmp_path, now=NOW + 300, locale="de")
    assert "vor 5 Minuten" in finding.found
    assert "ago" not in finding.found


async def test_in_the_order_in_which_they_are_asked(
    doctor: Doctor, settings: dict[str, object], tmp_path: Path
) -> None:
    """DOC-18: one that stands in for another is called that, and one that isn't configured any more isn't told."""
    settings |= {"web-backend": "searxng", "searxng-url": "http://127.0.0.1:9", "web-fallbacks": ["exa"]}
    await doctor()
    store = await SqliteStore.open(tmp_path / "websearch.db")
    for key in ("exa", "jina", "searxng"):
        await store.engines.note(key, Note(signs=Signs(name=key.title(), succeeded=NOW), at=NOW))
    await store.close()
    said = [finding.found.partition(";")[0] for finding in await found_at(tmp_path, now=NOW)]
    assert said == ["Engine: Searxng", "Fallback: Exa"]


async def test_one_that_answers(doctor: Doctor, settings: dict[str, object], tmp_path: Path) -> None:
    """DOC-18: one that answers and isn't searched with comes last, and is called that."""
    settings |= {"web-answer-backend": "tavily", "tavily-api-key": "tvly-0123456789abcdef"}
    await doctor()
    store = await SqliteStore.open(tmp_path / "websearch.db")
    for key, act in (("tavily", Act.ANSWER), ("exa", Act.SEARCH)):
        await store.engines.note(key, Note(signs=Signs(name=key.title(), succeeded=NOW), at=NOW), act=act)
    await store.close()
    said = [finding.found.partition(";")[0] for finding in await found_at(tmp_path, now=NOW)]
    assert said == ["Engine: Exa", "Answers: Tavily"]


async def test_pages_and_answers_that_fail(doctor: Doctor, settings: dict[str, object], tmp_path: Path) -> None:
    """DOC-18, RES-23: each is a warning below the engine, as old as it is; what goes well isn't told."""
    settings |= {"web-fallbacks": ["tavily"], "tavily-api-key": "tvly-0123456789abcdef"}
    await doctor()
    fine = Signs(name="Exa", succeeded=NOW)
    down = Signs(
        name="Exa",
        state=State.OPEN,
        trouble=Trouble(kind=Kind.ENGINE, since=NOW - 60, count=DOWN_AFTER),
        # As another process noted it.
        succeeded=NOW + 1,
        failed=NOW,
        failure="backend-broken",
    )
    store = await SqliteStore.open(tmp_path / "websearch.db")
    for key, act, signs in (
        ("exa", Act.SEARCH, fine),
        ("exa", Act.READ, replace(fine, failed=NOW + 1, failure="backend-timeout")),
        ("exa", Act.ANSWER, down),
        ("tavily", Act.READ, fine),
    ):
        await store.engines.note(key, Note(signs=signs, at=NOW), act=act)
    await store.close()
    found = await found_at(tmp_path, now=NOW + 60)
    assert [str(finding.mark) for finding in found] == ["ok", "warning", "warning", "ok"]
    assert found[1].found == ("Pages by Exa: last failed 1 minute ago, backend-timeout; noted 1 minute ago.")
    assert found[2].found.startswith("Answers by Exa: failed 5 times in a row since ")
    assert found[2].found.endswith("; not asked for now; last failed 1 minute ago, backend-broken; noted 1 minute ago.")
    assert "log" in found[1].todo
    assert found[3].found == "How tavily did: nothing is known yet."
    settings |= {"web-answer-backend": "tavily", "web-fallbacks": []}
    await doctor()
    # Exa isn't asked for answers any more.
    found = await found_at(tmp_path, now=NOW + 60)
    assert [finding.found.partition(":")[0] for finding in found] == ["Engine", "Pages by Exa", "How tavily did"]


@pytest.mark.parametrize(("succeeded", "told"), [(NOW - 61, True), (None, True), (NOW - 59, False)])
async def test_a_key_that_was_refused_at_answering(
    doctor: Doctor, tmp_path: Path, succeeded: float | None, *, told: bool
) -> None:
    """DOC-18, RES-23: it's over where a search went well since, also if nobody asked for an answer after that."""
    await doctor()
    store = await SqliteStore.open(tmp_path / "websearch.db")
    refused = Trouble(kind=Kind.KEY, since=NOW - 60, count=1)
    own = Signs(name="Exa", state=State.OPEN, trouble=refused, failed=NOW - 60, failure="backend-key-refused")
    for act, signs in ((Act.SEARCH, Signs(name="Exa", succeeded=succeeded)), (Act.ANSWER, own)):
        await store.engines.note("exa", Note(signs=signs, at=NOW), act=act)
    await store.close()
    found = await found_at(tmp_path, now=NOW)
    assert [str(finding.mark) for finding in found] == (["ok", "warning"] if told else ["ok"])
    assert not told or "the bot's key has been refused since" in found[1].found


@pytest.mark.parametrize("kind", ["missing", "older"])
async def test_where_nothing_is_known(doctor: Doctor, tmp_path: Path, kind: str) -> None:
    """DOC-19: that's said, whatever keeps it from being known, and the database stays as it was."""
    path = tmp_path / "websearch.db"
    if kind == "older":
        with closing(sqlite3.connect(path, isolation_level=None)) as older:
            migrate(older, read_migrations()[: engines.VERSION - 1], str(path))
    before = path.read_bytes() if path.exists() else None
    assert (await doctor()).find("How the engines did") == UNKNOWN
    assert (path.read_bytes() if path.exists() else None) == before


@pytest.mark.parametrize(
    ("database", "said"),
    [
        (":memory:", "skipped: How the engines did: the bot alone knows, since the database is kept in its memory."),
        ("text.db", "skipped: How the engines did: the database can't be used."),
    ],
)
async def test_where_it_cant_be_known(
    doctor: Doctor, settings: dict[str, object], tmp_path: Path, database: str, said: str
) -> None:
    """DOC-03, DOC-18: then that's said with the reason, and the other checks are made."""
    (tmp_path / "text.db").write_text("no database at all " * 999, "utf-8")
    settings["web-database"] = database if database == ":memory:" else str(tmp_path / database)
    found = await doctor()
    assert found.find("How the engines did") == said
    assert found.find("Languages").startswith("ok: ")


async def test_searching_is_off(doctor: Doctor, settings: dict[str, object]) -> None:
    """DOC-07, DOC-18: where no engine is asked, nothing is told of any."""
    settings["enable-web-search"] = False
    assert "engines did" not in (await doctor()).shown
