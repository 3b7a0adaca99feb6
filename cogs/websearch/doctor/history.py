"""Tell how the engines did, as the bot last noted it in the database: it's another process, and may have ended."""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from .. import backends, engine_wording, errors
from ..breaker import State
from ..charges import Act
from ..days import day_at
from ..health import Signs
from ..lineup import engines_of
from ..store import inspection
from .findings import ok, skipped, warning

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

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
        joint="; ",
    )
    for finding in _findings(stored, noted, case, manner):
        yield finding


def _findings(
    config: Config, noted: Mapping[tuple[str, Act], Note], case: Case, manner: engine_wording.Manner
) -> Iterator[Finding]:
    words, searching = case.words, engines_of(config)
    answerer = backends.answerer_of(config)
    keys = searching if answerer is None else tuple(dict.fromkeys((*searching, answerer)))
    if not any(key in keys for key, _ in noted):
        yield ok(words("How the engines did: nothing is known yet, since the bot hasn't asked them."))
        return
    for number, key in enumerate(keys):
        answers, stands_in = key not in searching, 0 < number < len(searching)
        note = noted.get((key, Act.ANSWER if answers else Act.SEARCH))
        if note is None:
            yield ok(words("How {engine} did: nothing is known yet.", engine=key))
        else:
            yield _judge(note, words=words, manner=manner, stands_in=stands_in, answers=answers, live=case.live)
        if not answers:
            acts = (Act.READ, Act.ANSWER) if key == answerer or stands_in else (Act.READ,)
            own = {act: noted[key, act] for act in acts if (key, act) in noted}
            yield from _beside(Signs(name=key) if note is None else note.signs, own, words, manner)


def _judge(
    note: Note, *, words: Words, manner: engine_wording.Manner, stands_in: bool, answers: bool, live: bool
) -> Finding:
    signs = replace(note.signs, stands_in=stands_in, answers=answers)
    facts = engine_wording.facts(signs, words, manner)
    noted = words("noted {when}", when=manner.ago(note.at))
    said = manner.joint.join([engine_wording.name(signs, words, manner), *facts, noted]) + "."
    if signs.trouble is None and signs.state is State.CLOSED and signs.is_open:
        return ok(said)
    return warning(said, "" if live else words("It may be over by now: doctor --live asks the engine."))


def _beside(signs: Signs, own: Mapping[Act, Note], words: Words, manner: engine_wording.Manner) -> Iterator[Finding]:
    """Warn of what an engine that's searched with fails at beside, as it was noted."""
    signs = replace(signs, beside={act: note.signs for act, note in own.items()})
    for act, said in engine_wording.beside(signs, words, manner).items():
        noted = words("noted {when}", when=manner.ago(own[act].at))
        yield warning(f"{said}; {noted}.", words("It may be over by now: the bot's log has each failure."))
