"""Be a Discord on loopback: a gateway and REST routes to which an unmodified discord.py client connects.

It speaks the protocol by itself, enforces what Discord enforces, and keeps everything in memory::

    clock = Clock()
    async with LoopbackDiscord(clock) as discord_:
        guild = discord_.add_guild("Library")
        channel = guild.add_text_channel("general")
        reader = guild.add_member("reader", locale="de")
        with connect(discord_):
            ...  # start a bot with discord_.token, let it sync, then:
            await discord_.connected()
            inv = await reader.invoke(channel, "search", query="cats", results=3)
            await inv.acknowledged()
            reply = await inv.reply()  # content, embeds, components, ephemeral, edits, deleted, visible_to(...)
            press = await reader.press(reply, "Next")
            await reader.choose(reply, "Read", ["1"])  # values or labels of a menu
            await reader.use_menu(message, "Search the web")
            choices = await reader.autocomplete(channel, "search", "site", "exa", query="cats")

`discord_.problems` holds every rule that the client broke and `discord_.requests` every request; a fixture does well
to assert at its end that there were no problems. `clock.advance(3)` is how three seconds pass. `discord_.fail`,
`.drop`, `.slow` and `.hold` disturb requests, `.disturb` a share of them in each way, `discord_.gateway.drop()`,
`.ask_reconnect()` and `.invalidate()` the gateway. `await discord_.until(lambda: message.deleted)` waits for anything
in this world, not for what a client keeps to itself. `discord_.forget()` keeps a long run small.
A discord.py client made with `guild_ready_timeout=0` is ready at once instead of two seconds later.
"""

from __future__ import annotations

from .changes import StillWaiting
from .channels import Channel
from .clock import Clock
from .connect import connect
from .faults import Chance
from .guilds import Guild, Member
from .interactions import Invocation, State
from .messages import Message
from .options import NotOffered
from .permissions import Permission
from .roles import Role
from .server import LoopbackDiscord
from .sessions import Intent
from .teams import Membership, Team
from .users import User

__all__ = [
    "Chance",
    "Channel",
    "Clock",
    "Guild",
    "Intent",
    "Invocation",
    "LoopbackDiscord",
    "Member",
    "Membership",
    "Message",
    "NotOffered",
    "Permission",
    "Role",
    "State",
    "StillWaiting",
    "Team",
    "User",
    "connect",
]
