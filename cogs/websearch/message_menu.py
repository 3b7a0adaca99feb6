"""Hold the entry of a message's menu that searches for the message's text; its replies are private."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import discord
from discord import app_commands

from . import delivery, errors, events, limits, message_text, places, replies
from .i18n import N_

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from .delivery import Host
    from .i18n import Words
    from .scope import Scope

    OnError = Callable[[replies.Interaction, app_commands.AppCommandError], Coroutine[Any, Any, None]]

_log = logging.getLogger(__name__)

NAME: Final = N_("Search the web")
_KIND: Final = discord.AppCommandType.message


class MessageMenu:
    """Add the entry to a tree of commands, and take it out again: discord.py has no decorator for one in a cog.

    `host` is what searches, `on_error` is told what fails. Where the bot's entries are as many as Discord takes, or one
    has this name, it's left out: the search is whole without it. Each server that has commands of its own has entries
    of its own.
    """

    def __init__(self, host: Host, on_error: OnError) -> None:
        self._host = host
        self._places: list[tuple[app_commands.CommandTree[Any], Scope]] = []
        self._is_whole = False
        self.command = app_commands.ContextMenu(name=NAME, callback=self._search, type=_KIND)
        self.command.error(on_error)

    def add(self, tree: app_commands.CommandTree[Any], scopes: Sequence[Scope]) -> None:
        """Add the entry where the other commands are, or say in the log why there's no room for it."""
        for scope in scopes:
            theirs = {entry.name for entry in tree.get_commands(guild=scope, type=_KIND)}
            where = "" if scope is None else f" in the server {scope.id}"
            if NAME in theirs:
                _log.info(
                    "the menu of messages has an entry “%s” of this bot's already%s, so ours is left out", NAME, where
                )
            elif len(theirs) >= limits.MESSAGE_MENUS:
                _log.info(
                    "the menu of messages has all %s entries that Discord takes%s, so ours is left out",
                    len(theirs),
                    where,
                )
            else:
                tree.add_command(self.command, guild=scope)
                self._places.append((tree, scope))
        self._is_whole = len(self._places) == len(scopes)

    def remove(self) -> None:
        """Take the entry out, where it's there; doing so twice does no harm."""
        while self._places:
            tree, scope = self._places.pop()
            # A host may have put its own in the place of ours since.
            if tree.get_command(NAME, guild=scope, type=_KIND) is self.command:
                tree.remove_command(NAME, guild=scope, type=_KIND)

    def lacking(self, words: Words) -> list[str]:
        """Say that the entry was left out, in a line of Markdown; nothing where it's there."""
        if self._is_whole:
            return []
        return [words("There's no room for “{name}” in the menu of messages.", name=words.name(NAME))]

    async def _search(self, interaction: replies.Interaction, message: discord.Message) -> None:
        host = self._host
        host.underway.begin()
        if host.underway.is_repeated(interaction.id):
            return
        asker, place = places.asker(interaction), places.here(interaction)
        try:
            host.service.permit(asker, place)
            query = message_text.query_of(message)
            if not query:
                raise errors.MessageEmpty
            request = host.service.prepare(asker, place, query=query)
        except errors.SearchError as error:
            await delivery.refuse(host, interaction, error, asker, events.Surface.MENU)
            return
        if not await replies.acknowledge(interaction, private=True):
            return
        order = delivery.Order(asker=asker, place=place, surface=events.Surface.MENU, private=True, query=request.query)
        await delivery.search(host, interaction, order, request)
