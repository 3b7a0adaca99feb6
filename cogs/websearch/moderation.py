"""Hold /websearch: moderators say where searching is on and who sees replies, and ask why."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import discord
from discord import app_commands
from discord.ext import commands

from . import durations, errors, places, render, replies
from .i18n import N_
from .settings import PlaceKind
from .status import Panel

if TYPE_CHECKING:
    from collections.abc import Callable

    from .charges import Use
    from .i18n import Catalogues, Words
    from .reload import Reloader
    from .service import SearchService
    from .settings import Place, Spot

_CHANNEL: Final = N_("The channel, category or thread that is meant, if not this one")
_SERVER: Final = N_("The whole server")
_FOR: Final = N_("For how long, such as 30m, 2h or 7d; for good if left out")
_PUBLIC: Final = "public"
_PRIVATE: Final = "private"


class Moderation(commands.Cog):
    """Be the part of the cog that moderators use; every reply is private."""

    service: SearchService
    reloader: Reloader
    catalogues: Catalogues

    websearch = app_commands.Group(
        name=N_("websearch"),
        description=N_("Say where and how web search may be used"),
        default_permissions=discord.Permissions(manage_channels=True),
        allowed_contexts=app_commands.AppCommandContext(guild=True, dm_channel=False, private_channel=False),
        allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
    )

    @websearch.command(name=N_("on"), description=N_("Switch web search on"))
    @app_commands.rename(duration=N_("for"))
    @app_commands.describe(channel=_CHANNEL, server=_SERVER, duration=_FOR)
    async def switch_on(
        self,
        interaction: replies.Interaction,
        channel: app_commands.AppCommandChannel | app_commands.AppCommandThread | None = None,
        server: bool = False,  # noqa: FBT001, FBT002 - the options of a command are its parameters
        duration: str = "",
    ) -> None:
        """Switch searching on here, in the named place or in the server."""
        await self._switch(interaction, channel, server=server, duration=duration, on=True)

    @websearch.command(name=N_("off"), description=N_("Switch web search off"))
    @app_commands.rename(duration=N_("for"))
    @app_commands.describe(channel=_CHANNEL, server=_SERVER, duration=_FOR)
    async def switch_off(
        self,
        interaction: replies.Interaction,
        channel: app_commands.AppCommandChannel | app_commands.AppCommandThread | None = None,
        server: bool = False,  # noqa: FBT001, FBT002 - likewise
        duration: str = "",
    ) -> None:
        """Switch searching off here, in the named place or in the server."""
        await self._switch(interaction, channel, server=server, duration=duration, on=False)

    @websearch.command(name=N_("replies"), description=N_("Say who sees the replies to /search"))
    @app_commands.describe(
        visibility=N_("Everybody, or the member who searches alone"), channel=_CHANNEL, server=_SERVER
    )
    @app_commands.choices(
        visibility=[
            app_commands.Choice(name=N_("public"), value=_PUBLIC),
            app_commands.Choice(name=N_("private"), value=_PRIVATE),
        ]
    )
    async def set_replies(
        self,
        interaction: replies.Interaction,
        visibility: str,
        channel: app_commands.AppCommandChannel | app_commands.AppCommandThread | None = None,
        server: bool = False,  # noqa: FBT001, FBT002 - likewise
    ) -> None:
        """Make replies public or private here, in the named place or in the server."""
        place = await self._begin(interaction, partial(_target, interaction, channel, server=server))
        if place is None:
            return
        board, spot = self.service.switchboard, place.spots[0]
        try:
            await board.hide(spot, private=visibility == _PRIVATE, by=interaction.user.id)
        except errors.StoreFailed as error:
            await self._fail(interaction, error)
            return
        panel = self._panel(interaction, spot, channel)
        await replies.complete(interaction, [panel.embed([panel.privacy(self.service.privacy_at(place))])], None)

    @websearch.command(name=N_("status"), description=N_("Show whether web search is on, and which rule says so"))
    @app_commands.describe(channel=_CHANNEL)
    async def show_status(
        self,
        interaction: replies.Interaction,
        channel: app_commands.AppCommandChannel | app_commands.AppCommandThread | None = None,
    ) -> None:
        """Say what holds here or in the named place, and which rules decided."""
        place = await self._begin(interaction, partial(_seen, interaction, channel))
        if place is None:
            return
        place = await places.complete(interaction, place)
        panel = self._panel(interaction, place.spots[0], channel)
        lines = [
            *self._switch_lines(panel, place),
            panel.privacy(self.service.privacy_at(place)),
            *(line for signs in self.service.engines for line in panel.engine(signs)),
            *panel.limits(self.service.quota),
            panel.use(await self._used(place)),
            *panel.configuration(self.reloader.problem, self.reloader.pending),
        ]
        await replies.complete(interaction, [panel.embed(lines)], None)

    async def _switch(
        self, interaction: replies.Interaction, channel: places.Named | None, *, server: bool, duration: str, on: bool
    ) -> None:
        seconds: int | None = None

        def target() -> Place:
            nonlocal seconds
            seconds = durations.parse(duration) if duration.strip() else None
            return _target(interaction, channel, server=server)

        place = await self._begin(interaction, target)
        if place is None:
            return
        try:
            await self.service.switchboard.switch(place.spots[0], on=on, by=interaction.user.id, seconds=seconds)
        except errors.StoreFailed as error:
            await self._fail(interaction, error)
            return
        panel = self._panel(interaction, place.spots[0], channel)
        await replies.complete(interaction, [panel.embed(self._switch_lines(panel, place))], None)

    def _switch_lines(self, panel: Panel, place: Place) -> list[str]:
        above = [] if self.service.config.enable_web_search else [panel.owner_off()]
        return [*above, panel.switch(self.service.switch_at(place))]

    async def _used(self, place: Place) -> Use | None:
        try:
            return (await self.service.usage(guild_id=place.guild_id)).server
        except errors.StoreFailed:
            # The store logged it; the rest of the status is in memory, and needed all the more.
            return None

    async def _begin(self, interaction: replies.Interaction, find: Callable[[], Place]) -> Place | None:
        """Find the place that is meant, and acknowledge; where it can't be, say why at once and return None."""
        try:
            place = find()
        except errors.SettingError as error:
            await replies.refuse(interaction, render.failure(error, self._private_words(interaction)))
            return None
        return place if await replies.acknowledge(interaction, private=True) else None

    async def _fail(self, interaction: replies.Interaction, error: errors.StoreFailed) -> None:
        await replies.retract(interaction, render.failure(error, self._private_words(interaction)), private=True)

    def _panel(self, interaction: replies.Interaction, spot: Spot, channel: places.Named | None) -> Panel:
        def name_of(spot: Spot) -> str:
            return places.name(interaction, spot, channel)

        return Panel(spot, name_of, self._private_words(interaction))

    def _private_words(self, interaction: replies.Interaction) -> Words:
        """Return the words of whoever uses the command."""
        return self.catalogues.words(str(interaction.locale))


def _target(interaction: replies.Interaction, channel: places.Named | None, *, server: bool) -> Place:
    """Return the place that is to be changed; raise the `SettingError` that says why it can't be.

    A channel or category is managed by who has that permission in it. A thread is, as on Discord, by who may manage
    threads, and also by who may manage its channel: its setting is less than what they may do anyway.
    """
    if server:
        if channel is not None:
            raise errors.PlacesExclusive
        if not _may(interaction.permissions, manage_guild=True):
            raise errors.ServerNotManaged
        return places.server(interaction.guild_id or 0)
    place = _named_or_here(interaction, channel)
    permissions = interaction.permissions if channel is None else channel.permissions
    if place.spots[0].kind is PlaceKind.THREAD:
        if not _may(permissions, manage_threads=True) and not _may(permissions, manage_channels=True):
            raise errors.ThreadNotManaged
    elif not _may(permissions, manage_channels=True):
        raise errors.ChannelNotManaged
    return place


def _seen(interaction: replies.Interaction, channel: places.Named | None) -> Place:
    """Return the place that is asked about; raise the `SettingError` that says why it's not told."""
    return _named_or_here(interaction, channel)


def _may_see(interaction: replies.Interaction, channel: places.Named) -> bool:
    """Tell whether whoever asks is known to see what they named.

    What is sent of a private thread doesn't say who is in it: who may not manage threads asks in the thread itself.
    """
    if not _may(channel.permissions, view_channel=True):
        return False
    private = channel.type is discord.ChannelType.private_thread
    return not private or channel.id == interaction.channel_id or _may(channel.permissions, manage_threads=True)


def _named_or_here(interaction: replies.Interaction, channel: places.Named | None) -> Place:
    place = places.here(interaction) if channel is None else places.named(interaction, channel)
    if channel is not None and not _may_see(interaction, channel):
        raise errors.ChannelNotSeen
    # A place of a kind that nobody knows is not the whole server.
    if not place.spots or PlaceKind.THREAD in place.missing:
        raise errors.PlaceUnknown
    return place


def _may(permissions: discord.Permissions, **needed: bool) -> bool:
    return permissions.administrator or permissions.is_superset(discord.Permissions(**needed))
