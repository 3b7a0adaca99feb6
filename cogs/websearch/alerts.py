"""Tell the bot's owner of trouble: in the channel that the configuration names, else by direct message."""

from __future__ import annotations

import asyncio
import logging
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import discord

from . import alert_wording, discord_faults, marks, notices, replies
from .i18n import Words
from .troubles import Kind, Trouble

if TYPE_CHECKING:
    from collections.abc import Callable

    from discord.ext import commands

    from .i18n import Catalogues

_log = logging.getLogger(__name__)

# How long a load that fails waits for its alert, in seconds.
_LOAD_SECONDS: Final = 5.0
_JOINED: Final = discord.TeamMembershipState.accepted


class Alerts:
    """Send what `Notices` decides on. `channel` returns the id of the channel that is configured now, or None."""

    def __init__(self, bot: commands.Bot, catalogues: Catalogues, channel: Callable[[], int | None]) -> None:
        self._bot = bot
        self._catalogues = catalogues
        self._channel = channel

    async def tell(self, trouble: Trouble, over: bool) -> None:  # noqa: FBT001 - the shape that `Notices` calls
        """Tell of a trouble, or that it's over; where nobody can be told, the log is."""
        say = alert_wording.over if over else alert_wording.trouble
        channel = await self._find()
        if channel is not None:
            guild = getattr(channel, "guild", None)
            words = Words() if guild is None else self._catalogues.words(str(guild.preferred_locale))
            if await replies.post(channel, say(trouble, words)) is replies.Sent.TAKEN:
                return
        told = False
        for user_id in await self._owners():
            told = await self._message(user_id, say(trouble, Words())) or told
        if not told:
            _log.warning("nobody could be told of trouble: %s %s", trouble.kind, trouble.where)

    async def tell_unopened(self, database: str, *, now: float) -> None:
        """Tell that the database at a path can't be opened, `now` being in Unix seconds, once in an hour of starts.

        It takes a few seconds at most, since whoever loads the cog waits for its error. A bot that isn't logged in yet
        can't tell anybody.
        """
        if self._bot.user is None or not marks.claim(f"unopened {database}", now=now, seconds=notices.HOUR_SECONDS):
            return
        trouble = Trouble(kind=Kind.DATABASE, since=now, count=0, detail=PurePath(database).name)
        try:
            async with asyncio.timeout(_LOAD_SECONDS):
                await self.tell(trouble, over=False)
        except TimeoutError:
            _log.warning("Discord took too long to tell the bot's owner of trouble: %s", trouble.kind)

    async def _find(self) -> discord.abc.Messageable | None:
        """Return the configured channel, or None where there's none or it can't be written to."""
        channel_id = self._channel()
        if channel_id is None:
            return None
        found: object = self._bot.get_channel(channel_id)
        if found is None:
            # Of another process's shard, or a thread that was archived.
            try:
                found = await self._bot.fetch_channel(channel_id)
            except discord_faults.FAILURES as error:
                _log.warning("web-alert-channel can't be found: %s", _kind(error))
                return None
        if not isinstance(found, discord.abc.Messageable):
            _log.warning("web-alert-channel takes no messages: it's a %s", type(found).__name__)
            return None
        return found

    async def _message(self, user_id: int, said: str) -> bool:
        """Send a direct message; tell whether it was taken."""
        try:
            to = await self._bot.create_dm(discord.Object(user_id))
        except discord_faults.FAILURES as error:
            _log.warning("the bot's owner can't be written to: %s", _kind(error))
            return False
        return await replies.post(to, said) is replies.Sent.TAKEN

    async def _owners(self) -> list[int]:
        """List whom the host, else Discord, names as the bot's owner; of a team, its owner and its admins."""
        if self._bot.owner_id or self._bot.owner_ids:
            return sorted({*filter(None, (self._bot.owner_id,)), *(self._bot.owner_ids or ())})
        try:
            return owners_of(await self._bot.application_info())
        except discord_faults.FAILURES as error:
            _log.warning("Discord doesn't tell who owns the bot: %s", _kind(error))
            return []


def owners_of(application: discord.AppInfo) -> list[int]:
    """List the ids of an application's owner or, of a team, its owner and those of its admins who have joined."""
    team = application.team
    if team is None:
        return [application.owner.id]
    admins = {
        member.id
        for member in team.members
        if member.role is discord.TeamMemberRole.admin and member.membership_state is _JOINED
    }
    return sorted(admins | ({team.owner_id} if team.owner_id else set()))


def _kind(error: Exception) -> str:
    return f"{error.status}, code {error.code}" if isinstance(error, discord.HTTPException) else type(error).__name__
