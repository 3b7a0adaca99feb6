"""Hold /websearch: moderators say where searching is on and who sees replies, and ask why."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import discord
from discord import app_commands
from discord.ext import commands

from . import durations, errors, languages, places, render, replies, targets
from .i18n import N_
from .status import Panel

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from .charges import Use
    from .i18n import Catalogues, Words
    from .reload import Reloader
    from .service import SearchService
    from .settings import Place, Spot

# What a command is about.
Meant = TypeVar("Meant")

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
        place = await self._begin(interaction, partial(targets.to_change, interaction, channel, server=server))
        if place is None:
            return
        board, spot = self.service.switchboard, place.spots[0]
        if await self._store(interaction, board.hide(spot, private=visibility == _PRIVATE, by=interaction.user.id)):
            panel = self._panel(interaction, spot, channel)
            await self._tell(interaction, panel, self._privacy_lines(interaction, panel, place))

    @websearch.command(
        name=N_("inherit"), description=N_("Take a place's own settings away, so that what's above it holds again")
    )
    @app_commands.describe(channel=_CHANNEL, server=_SERVER)
    async def inherit(
        self,
        interaction: replies.Interaction,
        channel: app_commands.AppCommandChannel | app_commands.AppCommandThread | None = None,
        server: bool = False,  # noqa: FBT001, FBT002 - likewise
    ) -> None:
        """Let this place, the named one or the server follow what's above it, and say what holds then."""
        place = await self._begin(interaction, partial(targets.to_change, interaction, channel, server=server))
        if place is None:
            return
        if await self._store(interaction, self.service.switchboard.clear(place.spots[0])):
            place = await places.complete(interaction.client, place)
            panel = self._panel(interaction, place.spots[0], channel)
            await self._tell(interaction, panel, self._rule_lines(interaction, panel, place))

    @websearch.command(name=N_("status"), description=N_("Show whether web search is on, and which rule says so"))
    @app_commands.describe(channel=_CHANNEL, server=_SERVER)
    async def show_status(
        self,
        interaction: replies.Interaction,
        channel: app_commands.AppCommandChannel | app_commands.AppCommandThread | None = None,
        server: bool = False,  # noqa: FBT001, FBT002 - likewise
    ) -> None:
        """Say what holds here, in the named place or in the server, and which rules decided."""
        place = await self._begin(interaction, partial(targets.to_see, interaction, channel, server=server))
        if place is None:
            return
        place = await places.complete(interaction.client, place)
        panel = self._panel(interaction, place.spots[0], channel)
        engines = self.service.engines.signs.values()
        lines = [
            *self._rule_lines(interaction, panel, place),
            *panel.sites(self.service.site_rules(place.guild_id)),
            *(line for signs in engines for line in panel.engine(signs)),
            *panel.limits(self.service.quota),
            panel.use(await self._used(place)),
            *panel.configuration(self.reloader.problem, self.reloader.pending),
            *panel.beside(engines),
        ]
        await self._tell(interaction, panel, lines)

    async def _switch(
        self, interaction: replies.Interaction, channel: places.Named | None, *, server: bool, duration: str, on: bool
    ) -> None:
        def meant() -> tuple[Place, int | None]:
            seconds = durations.parse(duration) if duration.strip() else None
            return targets.to_change(interaction, channel, server=server), seconds

        begun = await self._begin(interaction, meant)
        if begun is None:
            return
        place, seconds = begun
        board, spot = self.service.switchboard, place.spots[0]
        if await self._store(interaction, board.switch(spot, on=on, by=interaction.user.id, seconds=seconds)):
            panel = self._panel(interaction, spot, channel)
            await self._tell(interaction, panel, self._switch_lines(interaction, panel, place))

    def _switch_lines(self, interaction: replies.Interaction, panel: Panel, place: Place) -> list[str]:
        """Say whether searching is on at a place, by which rule, and which places below it are apart."""
        spot, stopped = place.spots[0], not self.service.config.enable_web_search
        decision = self.service.switch_at(place)
        channels = places.channels_of(interaction, spot)
        apart = self.service.switchboard.switched_apart(spot, on=decision.value, channels=channels)
        return [
            *([panel.owner_off()] if stopped else []),
            panel.switch(decision, stopped=stopped),
            *panel.switched_apart(apart, on=not decision.value, stopped=stopped),
        ]

    def _privacy_lines(self, interaction: replies.Interaction, panel: Panel, place: Place) -> list[str]:
        """Say who sees replies at a place, by which rule, and which places below it are apart."""
        spot, decision = place.spots[0], self.service.privacy_at(place)
        channels = places.channels_of(interaction, spot)
        apart = self.service.switchboard.hidden_apart(spot, private=decision.value, channels=channels)
        return [panel.privacy(decision), *panel.hidden_apart(apart, private=not decision.value)]

    def _rule_lines(self, interaction: replies.Interaction, panel: Panel, place: Place) -> list[str]:
        lines = [*self._switch_lines(interaction, panel, place), *self._privacy_lines(interaction, panel, place)]
        # How to end what's apart is the same for both, and told once.
        return list(dict.fromkeys(lines))

    async def _used(self, place: Place) -> Use | None:
        try:
            return (await self.service.usage(guild_id=place.guild_id)).server
        except errors.StoreFailed:
            # The store logged it; the rest of the status is in memory, and needed all the more.
            return None

    async def _begin(self, interaction: replies.Interaction, find: Callable[[], Meant]) -> Meant | None:
        """Find what is meant, and acknowledge; where it can't be, say why at once and return None."""
        try:
            meant = find()
        except errors.SettingError as error:
            await replies.refuse(interaction, render.failure(error, self._private_words(interaction)))
            return None
        return meant if await replies.acknowledge(interaction, private=True) else None

    async def _store(self, interaction: replies.Interaction, change: Awaitable[None]) -> bool:
        """Wait until a change is stored; where it can't be, say so and return False."""
        try:
            await change
        except (errors.StoreFailed, errors.SettingError) as error:
            await replies.retract(interaction, render.failure(error, self._private_words(interaction)), private=True)
            return False
        return True

    async def _tell(self, interaction: replies.Interaction, panel: Panel, lines: Sequence[str]) -> None:
        await replies.complete(interaction, [panel.embed(lines)], None)

    def _panel(self, interaction: replies.Interaction, spot: Spot, channel: places.Named | None) -> Panel:
        return Panel(spot, places.name(interaction, spot, channel), self._private_words(interaction))

    def _private_words(self, interaction: replies.Interaction) -> Words:
        """Return the words of whoever uses the command."""
        return languages.words_of(self.catalogues, interaction)
