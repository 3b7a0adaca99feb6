"""Send to Discord: the one place from which anything leaves, never with a mention that pings."""

from __future__ import annotations

import logging
import traceback
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import aiohttp
import discord

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from discord.ui import View

_log = logging.getLogger(__name__)

# An interaction of any bot: nothing here asks what kind of client it belongs to.
Interaction: TypeAlias = discord.Interaction[Any]

_SILENT: Final = discord.AllowedMentions.none()
_UNKNOWN_MESSAGE: Final = 10008
_UNKNOWN_INTERACTION: Final = 10062
_UNKNOWN_WEBHOOK: Final = 10015
_TOKEN_EXPIRED: Final = 50027
_ACKNOWLEDGED: Final = 40060
# Discord closes idle connections, and the next request finds out: a second one fails for another reason.
_TRIES: Final = 3
# The reply was deleted, or came too late: whoever searched sees that already, and nothing is left to be told.
_GONE: Final = frozenset({_UNKNOWN_MESSAGE, _UNKNOWN_INTERACTION, _UNKNOWN_WEBHOOK, _TOKEN_EXPIRED})


async def acknowledge(interaction: Interaction, *, private: bool) -> bool:
    """Answer a command within Discord's three seconds by "thinking"; tell whether Discord took it.

    Whether the reply is private is settled here for good.
    """
    return await _sent("acknowledge", partial(interaction.response.defer, ephemeral=private, thinking=True))


async def acknowledge_press(interaction: Interaction) -> bool:
    """Answer a press on a button by leaving the message as it is; tell whether Discord took it."""
    return await _sent("acknowledge a press", interaction.response.defer)


async def refuse(interaction: Interaction, embed: discord.Embed) -> None:
    """Answer privately and at once, instead of an acknowledgement."""
    send = partial(interaction.response.send_message, embed=embed, ephemeral=True, allowed_mentions=_SILENT)
    await _sent("refuse", send)


async def complete(interaction: Interaction, embeds: Sequence[discord.Embed], view: View | None) -> None:
    """Put embeds and buttons into the reply that was acknowledged, or into the message whose button was pressed."""
    if view is not None:
        # A finished view is not kept by discord.py: presses come through the dynamic items, also after a restart.
        view.stop()
    edit = partial(interaction.edit_original_response, embeds=list(embeds), view=view, allowed_mentions=_SILENT)
    await _sent("complete", edit)


async def retract(interaction: Interaction, embed: discord.Embed, *, private: bool) -> None:
    """End an acknowledged search without results, so that only its asker reads why.

    Of a public "thinking" the first follow-up would be public too: it is deleted, then a private one is sent.
    """
    if private:
        await _sent("retract", partial(interaction.edit_original_response, embed=embed, allowed_mentions=_SILENT))
    elif await delete(interaction):
        await tell(interaction, embed)


async def tell(interaction: Interaction, embed: discord.Embed) -> None:
    """Tell whoever pressed a button something, privately."""
    await _sent("tell", partial(interaction.followup.send, embed=embed, ephemeral=True, allowed_mentions=_SILENT))


async def take_buttons_away(interaction: Interaction) -> None:
    """Leave the message whose button was pressed without buttons."""
    await _sent("take buttons away", partial(interaction.edit_original_response, view=None, allowed_mentions=_SILENT))


async def delete(interaction: Interaction) -> bool:
    """Delete the reply, or the message whose button was pressed; tell whether it is gone."""
    return await _sent("delete", interaction.delete_original_response, gone=True)


async def report_fault(interaction: Interaction, error: BaseException, embed: discord.Embed) -> None:
    """Tell the member of a fault of our own, and the log where it is, without what was typed."""
    where = "".join(traceback.format_tb(error.__traceback__))
    # Not the exception's text: it may quote a query.
    _log.error("a fault of our own: %s at\n%s", type(error).__name__, where)
    if not interaction.response.is_done():
        await refuse(interaction, embed)
    elif interaction.type is discord.InteractionType.component:
        await tell(interaction, embed)
    else:
        await retract(interaction, embed, private=False)


async def _sent(action: str, send: Callable[[], Awaitable[object]], *, gone: bool = False) -> bool:
    """Send; tell whether Discord took it, and log why not, without content.

    A reply that vanished or came too late is no error; `gone` is what it counts as where its message is unknown. A
    connection that broke is tried again: each of these may arrive twice without harm.
    """
    for attempt in range(1, _TRIES + 1):
        try:
            await send()
        except discord.HTTPException as error:
            if (error.code == _UNKNOWN_MESSAGE and gone) or (error.code == _ACKNOWLEDGED and attempt > 1):
                return True
            if error.code in _GONE:
                _log.info("could not %s: the reply is gone (%s)", action, error.code)
            else:
                _log.warning("could not %s: Discord answered %s, code %s", action, error.status, error.code)
            return False
        except discord.InteractionResponded:
            _log.info("could not %s: the interaction was answered already", action)
            return False
        except (aiohttp.ClientError, OSError) as error:
            _log.warning("could not %s: the connection to Discord broke (%s)", action, type(error).__name__)
        else:
            return True
    return False
