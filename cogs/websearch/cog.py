"""Hold the cog: its life cycle and `/search`, from a member's options to the reply."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from discord import app_commands
from discord.ext import commands, tasks

from . import (
    completion,
    delivery,
    errors,
    events,
    limits,
    own_buttons,
    owner_report,
    places,
    presses,
    replies,
    views,
    wording,
)
from .alerts import Alerts
from .config_source import source_of
from .departures import Departures
from .i18n import N_, Catalogues, Words
from .message_menu import MessageMenu
from .models import Asker
from .own_command import OwnCommand
from .reload import Reloader
from .scope import Scoped
from .service import SearchService
from .site_moderation import SiteModeration
from .tools import Shape, Toolbox
from .underway import Underway

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from .config import Config
    from .config_source import Given

_log = logging.getLogger(__name__)

# How long an unload waits for replies to reach Discord, in seconds: longer than it takes them, shorter than a host's
# supervisor gives a bot that is told to end.
_UNLOAD_SECONDS: Final = 5.0

_BUTTONS: Final = (*views.BUTTONS, *own_buttons.BUTTONS)

# As members see them in Discord's list; Discord itself shows the translation of their language.
_CATEGORIES: Final = [
    app_commands.Choice(name=label, value=category.value) for category, label in wording.CATEGORIES.items()
]
_MODES: Final = [app_commands.Choice(name=label, value=mode) for mode, label in wording.MODES.items()]
_PERIODS: Final = [app_commands.Choice(name=label, value=period.value) for period, label in wording.PERIODS.items()]


class WebSearch(SiteModeration, OwnCommand, Departures, Scoped, name=presses.COG_NAME):
    """Search the web from Discord: `/search`, `/searches`, a message's menu, and `/websearch` for moderators.

    `config` is a mapping with the keys of the configuration file, which is copied, a `Config`, or a function that
    returns either: it's called in the event loop, at most once a second, and its changes are taken on while the bot
    runs. `clock` tells Unix seconds, `sleep` waits for so many. Raise `ConfigError` for what can't be used.
    """

    service: SearchService
    reloader: Reloader

    def __init__(
        self,
        bot: commands.Bot,
        config: Given,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.bot = bot
        self._clock = clock
        self.sleep = sleep
        with wording.told_to_owner(Words()):
            self._source = source_of(config)
            self.config = self._source.first()
        # A host that sets no translator shows its members English names, whatever their language.
        self.catalogues = Catalogues(named=lambda: bot.tree.translator is not None)
        self.underway = Underway()
        self._alerts = Alerts(bot, self.catalogues, lambda: self.config.web_alert_channel)
        self._opened: SearchService | None = None
        self._closing: asyncio.Task[None] | None = None
        self._is_blind = False
        self.menu = MessageMenu(self, self.cog_app_command_error)
        self._offer()

    async def cog_load(self) -> None:
        """Look for a clash of names, then open what a search needs; raise `WebSearchError`, leaving nothing open."""
        with wording.told_to_owner(Words()):
            self.make_sure_of_room()
            self.service = self._opened = await self._open()
        self.service.notices.teller = self._alerts.tell
        self.reloader = Reloader(self._source, self.config, self._reconfigure, sleep=self.sleep)
        self.reloader.start()
        self.bot.add_dynamic_items(*_BUTTONS)
        self.menu.add(self.bot.tree, self.scopes)
        self._purge.start()
        # `add_cog` goes on without a pause, so that by the next turn of the loop it has added this cog or raised.
        asyncio.get_running_loop().call_soon(self._close_where_not_added)

    async def _open(self) -> SearchService:
        try:
            return await SearchService.open(self.config, clock=self._clock, sleep=self.sleep)
        except (errors.DatabaseUnusable, errors.StoreFailed):
            if self.config.enable_web_search:
                await self._alerts.tell_unopened(self.config.web_database, now=self._clock())
            raise

    def _close_where_not_added(self) -> None:
        # What only discord.py finds wrong, such as both `guild` and `guilds`: it does not unload the cog then.
        if self.bot.get_cog(self.qualified_name) is not self:
            self._closing = asyncio.create_task(self.cog_unload())

    async def _reconfigure(self, config: Config) -> None:
        await self.service.reconfigure(config)
        self.config = config
        self._offer()

    def _offer(self) -> None:
        """Say where members' commands are offered, which Discord learns when the host syncs its commands next."""
        by_members = self.config.web_user_install
        for command in (self.search, self.searches, self.menu.command):
            command.allowed_installs = app_commands.AppInstallationType(guild=True, user=by_members)
            command.allowed_contexts = app_commands.AppCommandContext(
                guild=True, dm_channel=True, private_channel=by_members
            )

    async def cog_unload(self) -> None:
        """End searches under way with a sentence, then close what was opened; unloading twice does no harm."""
        self._purge.cancel()
        self.bot.remove_dynamic_items(*_BUTTONS)
        self.menu.remove()
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.interrupt()
            try:
                await self.reloader.close()
                await self.underway.settle(_UNLOAD_SECONDS)
            finally:
                await opened.close()

    async def report(self, words: Words, waiting: Sequence[str] = ()) -> list[str]:
        """Tell the bot's owner how searching goes, in lines of Markdown that may be shown anywhere.

        `waiting` are keys of the configuration that the host knows to wait for a restart.
        """
        return [*await owner_report.lines(self.service, self.reloader, words, waiting), *self.menu.lacking(words)]

    async def tools(
        self,
        *,
        guild_id: int | None,
        channel_id: int,
        user_id: int,
        user_install: bool = False,
        shape: Shape | str = Shape.FUNCTION,
    ) -> list[dict[str, Any]]:
        """Describe the tools that a language model may call for a member now, as `Toolbox.offered` does.

        The ids are those of the message that's answered, never what a model wrote; `guild_id` is None in direct
        messages. `user_install` is true for an interaction by which the app acts for the member alone.
        """
        caller = Asker(user_id=user_id, channel_id=channel_id, guild_id=guild_id, user_install=user_install)
        return await self._toolbox(caller).offered(shape)

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, object] | str | None,
        *,
        guild_id: int | None,
        channel_id: int,
        user_id: int,
        user_install: bool = False,
    ) -> dict[str, Any]:
        """Call a tool by what a model wrote, as `Toolbox.call` does: a failure is a sentence in `error`.

        The ids are as for `tools`.
        """
        caller = Asker(user_id=user_id, channel_id=channel_id, guild_id=guild_id, user_install=user_install)
        return await self._toolbox(caller).call(name, arguments)

    def _toolbox(self, caller: Asker) -> Toolbox:
        if not (self._is_blind or self.bot.intents.guilds):
            # Once, since it's the same for each call.
            self._is_blind = True
            _log.warning("without the intent “guilds” the bot can't know where it's asked: tools search nothing")
        return Toolbox(self.bot, self._opened, self.underway, self._clock, caller)

    async def interaction_check(self, _interaction: replies.Interaction) -> bool:
        """Let every command through, and an unload wait for it."""
        self.underway.begin()
        return True

    @app_commands.command(name=N_("search"), description=N_("Search the web"))
    @app_commands.describe(
        query=N_("What to search for"),
        results=N_("How many results to show"),
        category=N_("Only pages of this kind"),
        period=N_("Only pages published in this period"),
        site=N_("Only these domains, separated by spaces or commas"),
        private=N_("Show the results to you alone"),
        mode=N_("Results, or an answer with its sources"),
    )
    @app_commands.choices(category=_CATEGORIES, period=_PERIODS, mode=_MODES)
    async def search(  # noqa: PLR0913, PLR0917 - the options of a command are its parameters
        self,
        interaction: replies.Interaction,
        query: app_commands.Range[str, 1, limits.QUERY],
        results: app_commands.Range[int, 1, limits.RESULTS] | None = None,
        category: str | None = None,
        period: str | None = None,
        site: str = "",
        private: bool = False,  # noqa: FBT001, FBT002 - likewise
        mode: str = wording.RESULTS,
    ) -> None:
        """Reply with a page of results or an answer, or privately with the reason why there is none."""
        if self.underway.is_repeated(interaction.id):
            return
        asker, place = places.asker(interaction), places.here(interaction)
        answering = mode == wording.ANSWER
        try:
            request = self.service.prepare(
                *(asker, place),
                query=query,
                count=results,
                category=category,
                period=period,
                sites=site,
                answering=answering,
            )
        except errors.SearchError as error:
            await delivery.refuse(self, interaction, error, asker, events.Surface.COMMAND)
            return
        private = private or self.service.privacy_at(place).value
        if not await replies.acknowledge(interaction, private=private):
            return
        order = delivery.Order(
            asker=asker, place=place, surface=events.Surface.COMMAND, private=private, query=request.query
        )
        if answering:
            await delivery.answer(self, interaction, order, request)
        else:
            await delivery.search(self, interaction, order, request)

    @search.autocomplete("site")
    async def _complete_site(self, interaction: replies.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        """Offer domains out of memory; nothing where no search would be made."""
        asker = places.asker(interaction)
        hosts: Iterable[str] = ()
        with suppress(errors.SearchRefused):
            self.service.permit(asker, places.here(interaction))
            hosts = self.service.offered_sites(asker)
        return await replies.offer(interaction, completion.complete(typed, hosts))

    async def cog_app_command_error(
        self, interaction: replies.Interaction, error: app_commands.AppCommandError
    ) -> None:
        """Tell the member that something went wrong here, and the log where, without what they typed."""
        await delivery.report_fault(self, interaction, error.__cause__ or error)

    @tasks.loop(hours=1)
    async def _purge(self) -> None:
        """Delete what has ended also where nobody searches."""
        # Loaded into a bot that is ready, nothing else tells of the channels that went before.
        compared = await self.compare(channels=self._purge.current_loop == 0)
        try:
            await self.service.purge()
            if compared:
                await self.forget_left()
        except errors.StoreFailed:
            # The store logged it; what has ended is not used either way, and the next hour tries again.
            return
