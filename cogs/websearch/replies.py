"""Send to Discord: the one place from which anything leaves, never with a mention that pings."""

from __future__ import annotations

import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import discord

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from discord.ui import View

_log = logging.getLogger(__name__)

# An interaction of any bot: nothing here asks what kind of client it belongs to.
Interaction: TypeAlias = discord.Interaction[Any]

_SILENT: Final = discord.AllowedMentions.none()
_UNKNOWN_MESSAGE: Final = 10008
_UNKNOWN_INTERACTION: Final = 10062
_UNKNOWN_WEBHOOK: Final = 10015
_TOKEN_EXPIRED: Final = 50027
# The reply was deleted, or came too late: whoever searched sees that already, and nothing is left to be told.
_GONE: Final = frozenset({_UNKNOWN_MESSAGE, _UNKNOWN_INTERACTION, _UNKNOWN_WEBHOOK, _TOKEN_EXPIRED})


async def acknowledge(interaction: Interaction, *, private: bool) -> bool:
    """Answer a command within Discord's three seconds by "thinking"; tell whether Discord took it.

    Whether the reply is private is settled here for good.
    """
    async with _sending("acknowledge") as sent:
        await interaction.response.defer(ephemeral=private, thinking=True)
        sent.append(True)
    return bool(sent)


async def acknowledge_press(interaction: Interaction) -> bool:
    """Answer a press on a button by leaving the message as it is; tell whether Discord took it."""
    async with _sending("acknowledge a press") as sent:
        await interaction.response.defer()
        sent.append(True)
    return bool(sent)


async def refuse(interaction: Interaction, embed: discord.Embed) -> None:
    """Answer privately and at once, instead of an acknowledgement."""
    async with _sending("refuse"):
        await interaction.response.send_message(embed=embed, ephemeral=True, allowed_mentions=_SILENT)


async def complete(interaction: Interaction, embeds: Sequence[discord.Embed], view: View | None) -> None:
    """Put embeds and buttons into the reply that was acknowledged, or into the message whose button was pressed."""
    if view is not None:
        # A finished view is not kept by discord.py: presses come through the dynamic items, also after a restart.
        view.stop()
    async with _sending("complete"):
        await interaction.edit_original_response(embeds=list(embeds), view=view, allowed_mentions=_SILENT)


async def retract(interaction: Interaction, embed: discord.Embed, *, private: bool) -> None:
    """End an acknowledged search without results, so that only its asker reads why.

    Of a public "thinking" the first follow-up would be public too: it is deleted, then a private one is sent.
    """
    async with _sending("retract"):
        if private:
            await interaction.edit_original_response(embed=embed, allowed_mentions=_SILENT)
            return
        await _delete(interaction)
        await interaction.followup.send(embed=embed, ephemeral=True, allowed_mentions=_SILENT)


async def tell(interaction: Interaction, embed: discord.Embed) -> None:
    """Tell whoever pressed a button something, privately."""
    async with _sending("tell"):
        await interaction.followup.send(embed=embed, ephemeral=True, allowed_mentions=_SILENT)


async def take_buttons_away(interaction: Interaction) -> None:
    """Leave the message whose button was pressed without buttons."""
    async with _sending("take buttons away"):
        await interaction.edit_original_response(view=None, allowed_mentions=_SILENT)


async def delete(interaction: Interaction) -> bool:
    """Delete the message whose button was pressed; tell whether it is gone."""
    async with _sending("delete") as sent:
        await _delete(interaction)
        sent.append(True)
    return bool(sent)


async def _delete(interaction: Interaction) -> None:
    try:
        await interaction.delete_original_response()
    except discord.NotFound as error:
        if error.code != _UNKNOWN_MESSAGE:
            raise


@asynccontextmanager
async def _sending(action: str) -> AsyncIterator[list[bool]]:
    """Let a reply that vanished or came too late be no error, and log what else Discord refused, without content."""
    try:
        yield []
    except discord.HTTPException as error:
        if error.code in _GONE:
            _log.info("could not %s: the reply is gone (%s)", action, error.code)
        else:
            _log.warning("could not %s: Discord answered %s, code %s", action, error.status, error.code)
    except discord.InteractionResponded:
        _log.info("could not %s: the interaction was answered already", action)
