"""Send to Discord: the one place from which anything leaves, never with a mention that pings.

What the bot may not show as embeds goes out as plain text.
"""

from __future__ import annotations

import asyncio
import logging
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import aiohttp
import discord
from discord.app_commands import Choice

from . import plain
from .faults import log_fault

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from discord.ui import View

    from .completion import Completed

_log = logging.getLogger(__name__)

# An interaction of any bot: nothing here asks what kind of client it belongs to.
Interaction: TypeAlias = discord.Interaction[Any]

_SILENT: Final = discord.AllowedMentions.none()
_UNKNOWN_CHANNEL: Final = 10003
_UNKNOWN_GUILD: Final = 10004
_UNKNOWN_MESSAGE: Final = 10008
_UNKNOWN_INTERACTION: Final = 10062
_UNKNOWN_WEBHOOK: Final = 10015
_TOKEN_EXPIRED: Final = 50027
_ACKNOWLEDGED: Final = 40060
# Discord closes idle connections, and the next request finds out: a second one fails for another reason.
_TRIES: Final = 3
# The reply was deleted, or came too late: whoever searched sees that already, and nothing is left to be told.
_GONE: Final = frozenset(
    {_UNKNOWN_CHANNEL, _UNKNOWN_GUILD, _UNKNOWN_MESSAGE, _UNKNOWN_INTERACTION, _UNKNOWN_WEBHOOK, _TOKEN_EXPIRED}
)
# How long discord.py itself waits, at the least, before it repeats what Discord answered with 500: in seconds.
_REPEATED_AFTER: Final = 1.0
# Where an interaction notes what discord.py doesn't know: that Discord took its acknowledgement, and whether what it
# answers by is the message whose button was pressed.
_TAKEN_NOTE: Final = "websearch-acknowledged"
_PRESSED_NOTE: Final = "websearch-answers-by-pressed"


class Sent(Enum):
    """Tell what became of what was sent: Discord took it, or its place is gone, or Discord failed."""

    TAKEN = auto()
    GONE = auto()
    FAILED = auto()


def may_embed(interaction: Interaction) -> bool:
    """Tell whether embeds are shown where an interaction happens; Discord drops them silently elsewhere."""
    return interaction.app_permissions.embed_links


async def acknowledge(interaction: Interaction, *, private: bool) -> bool:
    """Answer a command or a press within Discord's three seconds by "thinking"; tell whether Discord took it.

    Whether the reply is private is settled here for good.
    """
    return await _acknowledged(
        "acknowledge", interaction, lambda: interaction.response.defer(ephemeral=private, thinking=True)
    )


async def acknowledge_press(interaction: Interaction) -> bool:
    """Answer a press on a button by leaving the message as it is; tell whether Discord took it."""
    taken = await _acknowledged("acknowledge a press", interaction, interaction.response.defer)
    interaction.extras[_PRESSED_NOTE] = taken
    return taken


async def refuse(interaction: Interaction, embed: discord.Embed) -> None:
    """Answer privately and at once, instead of an acknowledgement."""
    text, embeds = _parts(interaction, [embed])
    await _sent(
        "refuse",
        lambda: interaction.response.send_message(
            text or None, embeds=embeds, ephemeral=True, allowed_mentions=_SILENT
        ),
    )


async def offer(interaction: Interaction, found: Sequence[Completed]) -> list[Choice[str]]:
    """Offer completions to somebody who types, and return them; those that come too late are no error."""
    choices = [Choice(name=one.shown, value=one.value) for one in found]
    response = interaction.response
    if await _sent("offer choices", lambda: response.autocomplete(choices)) is not Sent.TAKEN:
        # discord.py would send what it's returned once more, and log a traceback where that fails, too.
        response._response_type = discord.InteractionResponseType.autocomplete_result  # noqa: SLF001 - nothing public does
    return choices


async def complete(interaction: Interaction, shown: Sequence[discord.Embed] | str, view: View | None) -> Sent:
    """Put embeds or a text, and buttons, into the reply that was acknowledged, or into the message that was pressed.

    Embeds become a text where they aren't shown.
    """
    if view is not None:
        # A finished view is not kept by discord.py: presses come through the dynamic items, also after a restart.
        view.stop()
    text, embeds = _parts(interaction, shown)
    return await _sent(
        "complete",
        # Each replaces the other, since what the bot may do can have changed since the last page.
        lambda: interaction.edit_original_response(
            content=text or None, embeds=embeds, view=view, allowed_mentions=_SILENT
        ),
    )


async def retract(
    interaction: Interaction, embed: discord.Embed, *, private: bool, neutral: discord.Embed | None = None
) -> None:
    """End an acknowledged search without results, so that only its asker reads why.

    Of a public "thinking" the first follow-up would be public too: it is deleted, then a private one is sent. Where it
    can't be deleted, it says what is `neutral`: something that everybody may read.
    """
    if private:
        if await complete(interaction, [embed], None) is Sent.FAILED:
            # Discord may take this; of a private "thinking" it's private too.
            await tell(interaction, embed)
        return
    deleted = await delete(interaction)
    if deleted is Sent.TAKEN:
        await tell(interaction, embed)
    elif deleted is Sent.FAILED and neutral is not None:
        await complete(interaction, [neutral], None)


async def tell(interaction: Interaction, embed: discord.Embed, view: View | None = None) -> None:
    """Tell whoever pressed a button something, privately."""
    if view is not None:
        view.stop()
    text, embeds = _parts(interaction, [embed])
    await _sent(
        "tell",
        lambda: interaction.followup.send(
            text or discord.utils.MISSING,
            embeds=embeds,
            view=discord.utils.MISSING if view is None else view,
            ephemeral=True,
            allowed_mentions=_SILENT,
        ),
    )


async def post(to: discord.abc.Messageable, shown: discord.Embed | str) -> Sent:
    """Send a message of its own, such as to the bot's owner; nobody is pinged.

    A message that answers another is sent to that message's channel.
    """
    if isinstance(shown, str):
        return await _sent("post", lambda: to.send(shown, allowed_mentions=_SILENT))
    return await _sent("post", lambda: to.send(embed=shown, allowed_mentions=_SILENT))


async def take_buttons_away(interaction: Interaction) -> Sent:
    """Leave the message whose button was pressed without buttons."""
    return await change_buttons(interaction, None)


async def change_buttons(interaction: Interaction, view: View | None) -> Sent:
    """Give the message whose button was pressed other buttons, and leave the rest of it as it is."""
    if view is not None:
        view.stop()
    message = interaction.message
    if message is None or interaction.extras.get(_PRESSED_NOTE):
        return await _sent(
            "change buttons", lambda: interaction.edit_original_response(view=view, allowed_mentions=_SILENT)
        )
    # The press has a reply of its own, which is what "original" means then.
    return await _sent(
        "change buttons",
        lambda: interaction.followup.edit_message(message.id, view=view, allowed_mentions=_SILENT),
    )


async def delete(interaction: Interaction) -> Sent:
    """Delete the reply, or the message whose button was pressed; one that is deleted already counts as taken.

    It may be this very deletion that did it: aiohttp repeats one whose connection broke, and tells nobody.
    """
    return await _sent("delete", interaction.delete_original_response, missing=Sent.TAKEN)


async def report_fault(
    interaction: Interaction, error: BaseException, embed: discord.Embed, neutral: discord.Embed | None = None
) -> None:
    """Tell the member of a fault of our own, and the log where it is, without what was typed.

    `neutral` says it in a public "thinking" that can't be deleted.
    """
    log_fault(_log, error)
    if not interaction.response.is_done() and _TAKEN_NOTE not in interaction.extras:
        await refuse(interaction, embed)
    elif interaction.extras.get(_PRESSED_NOTE):
        await tell(interaction, embed)
    else:
        await retract(interaction, embed, private=False, neutral=neutral)


def _parts(interaction: Interaction, shown: Sequence[discord.Embed] | str) -> tuple[str, list[discord.Embed]]:
    if isinstance(shown, str):
        return shown, []
    return ("", list(shown)) if may_embed(interaction) else (plain.of(shown), [])


async def _acknowledged(action: str, interaction: Interaction, send: Callable[[], Awaitable[object]]) -> bool:
    taken = await _sent(action, send) is Sent.TAKEN
    if taken:
        interaction.extras[_TAKEN_NOTE] = True
    return taken


async def _sent(action: str, send: Callable[[], Awaitable[object]], *, missing: Sent = Sent.GONE) -> Sent:
    """Send; tell what became of it, and log why it was not taken, without content.

    A reply that vanished or came too late is no error; `missing` is what it counts as where its message is unknown. A
    connection that broke is tried again: each of these may arrive twice without harm.
    """
    clock = asyncio.get_running_loop().time
    for attempt in range(1, _TRIES + 1):
        began = clock()
        try:
            await send()
        except discord.HTTPException as error:
            # Of the try before, we or discord.py heard nothing but that something broke.
            if error.code == _ACKNOWLEDGED and (attempt > 1 or clock() - began >= _REPEATED_AFTER):
                return Sent.TAKEN
            return missing if error.code == _UNKNOWN_MESSAGE else _refused(action, error)
        except discord.InteractionResponded:
            _log.info("could not %s: the interaction was answered already", action)
            return Sent.GONE
        except (aiohttp.ClientError, OSError) as error:
            _log.warning("could not %s: the connection to Discord broke (%s)", action, type(error).__name__)
        else:
            return Sent.TAKEN
    return Sent.FAILED


def _refused(action: str, error: discord.HTTPException) -> Sent:
    if error.code == _ACKNOWLEDGED:
        _log.info("could not %s: the interaction arrived twice, and was answered already", action)
        return Sent.GONE
    if error.code in _GONE:
        _log.info("could not %s: the reply is gone (%s)", action, error.code)
        return Sent.GONE
    _log.warning("could not %s: Discord answered %s, code %s", action, error.status, error.code)
    return Sent.FAILED
