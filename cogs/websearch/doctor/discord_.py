"""Check the bot at Discord: its token, its commands, its servers; without a connection to the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

import discord

from .. import discord_faults, errors, rights, wording
from . import commands
from .findings import ok, skipped, warning, wrong

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Iterator

    from .case import Case
    from .findings import Finding

T = TypeVar("T")

# What discord.py's own reading of an answer raises where it's no answer of Discord's.
_ODD: Final = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError)
# Discord's most in one answer, and far more such answers than any bot without shards has servers for.
_PAGE: Final = 200
_PAGES: Final = 50
# How many servers, and how many commands, are named.
_NAMED: Final = 10


class _Unanswered(Exception):
    """Hold what to say where Discord didn't answer as it should."""

    def __init__(self, finding: Finding) -> None:
        super().__init__()
        self.finding = finding


async def check(case: Case) -> AsyncIterator[Finding]:
    """Log in, then look at commands and servers, each whatever becomes of the other."""
    words = case.words
    try:
        discord_faults.check_token(case.token)
    except errors.DiscordUnusable as error:
        yield wrong(wording.explain(error, words))
        yield skipped(words("Commands and servers: Discord has to take the token first."))
        return
    if not case.live:
        yield skipped(words("Discord: --live asks it about the token, the commands and the servers."))
        return
    if not case.token and case.stored is None:
        yield skipped(words("Discord: whether there's a token can't be known while the configuration can't be used."))
        return
    if not case.token:
        yield skipped(
            words("Discord: there's no token. A bot of your own has it elsewhere."),
            words("To have it checked, set the environment variable DISCORD_TOKEN to it."),
        )
        return
    async with discord.Client(intents=discord.Intents.none()) as client:
        try:
            await _ask(case, client.login(case.token))
        except _Unanswered as error:
            yield error.finding
            yield skipped(words("Commands and servers: Discord has to take the token first."))
            return
        yield ok(words("Discord takes the token, which is that of {name}.", name=case.outside(str(client.user)) or "?"))
        for look in (_commands, _servers):
            try:
                async for finding in look(case, client):
                    yield finding
            except _Unanswered as error:
                yield error.finding


async def _ask(case: Case, asked: Awaitable[T]) -> T:
    """Wait for an answer; raise `_Unanswered` where there's none, or none that makes sense."""
    words = case.words
    try:
        async with asyncio.timeout(case.seconds):
            return await asked
    except discord_faults.FAILURES as error:
        # A deadline that passed is among them.
        fault = discord_faults.explain(error)
    except _ODD:
        fault = None
    if fault is not None:
        raise _Unanswered(wrong(wording.explain(fault, words)))
    raise _Unanswered(_senseless(case))


def _senseless(case: Case) -> Finding:
    return wrong(
        case.words("Discord's answer makes no sense."),
        case.words("Something between this machine and Discord may have answered instead: look for a proxy."),
    )


def _rows(case: Case, answer: object) -> list[Mapping[str, Any]]:
    if not isinstance(answer, list) or not all(isinstance(row, Mapping) for row in answer):
        raise _Unanswered(_senseless(case))
    return answer


async def _commands(case: Case, client: discord.Client) -> AsyncIterator[Finding]:
    words, read = case.words, case.config or case.stored
    if read is None:
        yield skipped(words("Commands: the configuration can't be used."))
        return
    found = _rows(case, await _ask(case, client.http.get_global_commands(client.application_id or 0)))
    compared = commands.compare(commands.ours(read), found)
    mend = words("Start the bundled bot, or mention it with: sync everywhere. In a bot of your own, call tree.sync().")
    if compared.missing:
        yield wrong(words("Discord doesn't know these commands: {names}.", names=_names(case, compared.missing)), mend)
    if compared.different:
        names = _names(case, compared.different)
        yield warning(words("Discord knows these commands in another form: {names}.", names=names), mend)
    if compared.known and not compared.missing and not compared.different:
        yield ok(words("Discord knows all commands: {names}.", names=_names(case, compared.known)))
    if compared.foreign:
        names = _names(case, compared.foreign)
        said = words(
            "This app has other commands, too: {names}. The bundled bot's sync everywhere would delete them.",
            names=names,
        )
        yield ok(said)


def _names(case: Case, names: tuple[str, ...]) -> str:
    shown = ", ".join(case.outside(name) or "?" for name in names[:_NAMED])
    return _and_more(case, shown, len(names) - _NAMED)


def _and_more(case: Case, shown: str, left: int) -> str:
    if left <= 0:
        return shown
    return case.words.plural("{shown} and {count} more", "{shown} and {count} more", left, shown=shown)


async def _servers(case: Case, client: discord.Client) -> AsyncIterator[Finding]:
    words = case.words
    guilds = await _all_guilds(case, client)
    if not guilds:
        address = rights.invitation(client.application_id)
        yield warning(words("The bot is in no server."), words("Invite it: {address}", address=address))
        return
    lacking = [(guild, labels) for guild in guilds if (labels := list(_missing(guild)))]
    in_servers = words.plural("The bot is in {count} server", "The bot is in {count} servers", len(guilds))
    if not lacking:
        yield ok(words("{in_servers}, and its roles have the permissions that it needs.", in_servers=in_servers))
        return
    for guild, labels in lacking[:_NAMED]:
        name = guild.get("name")
        name = (case.outside(name) if isinstance(name, str) else "") or "?"
        missing = rights.listed(labels, words)
        yield warning(
            words("In the server {name} the bot lacks: {missing}.", name=name, missing=missing),
            words("Grant that to the bot's role, in the server's settings."),
        )
    if (left := len(lacking) - _NAMED) > 0:
        yield warning(
            words.plural(
                "The bot lacks permissions in {count} more server.",
                "The bot lacks permissions in {count} more servers.",
                left,
            )
        )


async def _all_guilds(case: Case, client: discord.Client) -> list[Mapping[str, Any]]:
    guilds: dict[int, Mapping[str, Any]] = {}
    for _ in range(_PAGES):
        asked = client.http.get_guilds(_PAGE, after=max(guilds, default=None), with_counts=False)
        page = {_number(row.get("id")): row for row in _rows(case, await _ask(case, asked))}
        fresh = page.keys() - guilds.keys()
        guilds |= page
        if len(page) < _PAGE or not fresh:
            break
    return list(guilds.values())


def _missing(guild: Mapping[str, Any]) -> Iterator[str]:
    granted = discord.Permissions(_number(guild.get("permissions")))
    for name, label in rights.NEEDED.items():
        if not granted.administrator and not getattr(granted, name):
            yield label


def _number(value: object) -> int:
    """Return an id or a set of permissions, which Discord writes as text; 0 for what can be neither."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 25 else 0  # noqa: PLR2004 - 64 bits have 20 digits
