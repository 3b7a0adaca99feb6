"""Tell how the engines did, as the bot last noted it in the database: it's another process, and may have ended."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from .. import backends, engine_wording, errors
from ..breaker import State
from ..days import day_at
from ..lineup import engines_of
from ..store import inspection
from .findings import ok, skipped, warning

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from ..config import Config
    from ..health import Note
    from ..i18n import Words
    from .case import Case
    from .findings import Finding

_MEMORY: Final = ":memory:"


async def check(case: Case, *, clock: Callable[[], float] = time.time) -> AsyncIterator[Finding]:
    """Say of each engine what `/websearch status` would, and how old that is; `clock` tells Unix seconds."""
    words, stored = case.words, case.stored
    if stored is None:
        yield skipped(words("How the engines did: the configuration can't be used."))
        return
    if case.config is not None and not case.config.enable_web_search:
        # Told already, and none of them is asked.
        return
    if stored.web_database == _MEMORY:
        yield skipped(words("How the engines did: the bot alone knows, since the database is kept in its memory."))
        return
    now, zone = clock(), ZoneInfo(stored.web_timezone)
    try:
        noted = await asyncio.to_thread(inspection.notes, stored.web_database, day=day_at(now, zone).number)
    except errors.DatabaseUnusable:
        yield skipped(words("How the engines did: the database can't be used."))
        return
    manner = engine_wording.Manner(
        safe=str,
        date=lambda moment: words.moment(datetime.fromtimestamp(moment, zone)),
        ago=lambda moment: words.ago(now - moment),
    )
    for finding in _findings(stored, noted, case, manner):
        yield finding


def _findings(config: Config, noted: dict[str, Note], case: Case, manner: engine_wording.Manner) -> list[Finding]:
    words, searching = case.words, engines_of(config)
    answerer = backends.answerer_of(config)
    keys = searching if answerer is None else tuple(dict.fromkeys((*searching, answerer)))
    if not any(key in noted for key in keys):
        return [ok(words("How the engines did: nothing is known yet, since the bot hasn't asked them."))]
    judge = partial(_judge, words=words, manner=manner, live=case.live)
    return [
        judge(noted[key], stands_in=0 < number < len(searching), answers=key not in searching)
        if key in noted
        else ok(words("How {engine} did: nothing is known yet.", engine=key))
        for number, key in enumerate(keys)
    ]


def _judge(
    note: Note, *, words: Words, manner: engine_wording.Manner, stands_in: bool, answers: bool, live: bool
) -> Finding:
    signs = replace(note.signs, stands_in=stands_in, answers=answers)
    facts = engine_wording.facts(signs, words, manner)
    noted = words("noted {when}", when=manner.ago(note.at))
    said = "; ".join([engine_wording.name(signs, words, manner), *facts, noted]) + "."
    if signs.trouble is None and signs.state is State.CLOSED and signs.is_open:
        return ok(said)
    return warning(said, "" if live else words("It may be over by now: doctor --live asks the engine."))
