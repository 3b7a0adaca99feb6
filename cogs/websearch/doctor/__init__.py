"""Look at all that a bot needs to search, and say what to do: `python -m cogs.websearch doctor`.

Checks go on after one fails; what depends on a failed one is skipped, with the reason. Without `--live` neither the
search engine nor Discord is asked; with it, each engine is asked once, also one that only answers questions. Nothing is
made, migrated or changed, save the index of local documents in the user's cache.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from typing import TYPE_CHECKING, Final

from .. import console
from ..terminal import Style
from . import answerer, configuration, discord_, engine, history, look, machine, storage
from .findings import exit_code, wrong

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping

    from ..i18n import Words
    from .case import Case
    from .findings import Finding

# How long each answer of Discord's is waited for. discord.py tries again where Discord fails, after 1 and 3 seconds.
_SECONDS: Final = 15.0


def run(words: Words, *, live: bool, env: Mapping[str, str] = os.environ, seconds: float = _SECONDS) -> int:
    """Print what each check finds as it's found, then how much is wrong; return the exit code."""
    # Before a search is paid for.
    console.show("")
    # What goes wrong is told in sentences.
    logging.getLogger("discord").addHandler(logging.NullHandler())
    return asyncio.run(_run(words, env, live=live, seconds=seconds))


async def _run(words: Words, env: Mapping[str, str], *, live: bool, seconds: float) -> int:
    case, found = configuration.read(env, words, live=live, seconds=seconds)
    style, secrets = Style.of(sys.stdout), case.secrets
    shown: list[Finding] = []
    async for finding in _findings(case, found):
        shown.append(finding)
        console.show(look.block(finding, words, style, secrets))
    console.show(look.summary(shown, words))
    return exit_code(shown)


async def _findings(case: Case, found: list[Finding]) -> AsyncIterator[Finding]:
    checks = (
        _each(machine.versions(case.words)),
        _each(found),
        _each(configuration.switch(case)),
        storage.check(case),
        engine.check(case),
        answerer.check(case),
        history.check(case),
        _each(configuration.limits(case)),
        _each(machine.languages(case.words)),
        discord_.check(case),
    )
    for check in checks:
        try:
            async for finding in check:
                yield finding
        except Exception as error:  # noqa: BLE001 - it's told, and whoever asks what's wrong needs the other checks
            kind = type(error).__name__
            yield wrong(case.words("A check itself failed ({kind}): that's a fault of this program.", kind=kind))


async def _each(findings: Iterable[Finding]) -> AsyncIterator[Finding]:
    for finding in findings:
        yield finding
