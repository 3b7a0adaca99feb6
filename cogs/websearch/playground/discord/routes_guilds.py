"""Answer what a bot asks about servers, members and other people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import permissions, refusals
from .rest import Answer, Call, Route

if TYPE_CHECKING:
    from .guilds import Guild
    from .refusals import Json
    from .users import User


def _guild(call: Call) -> Answer:
    guild = call.guild()
    counts = {"approximate_member_count": len(guild.members), "approximate_presence_count": len(guild.members)}
    return Answer({**guild.payload(), **(counts if call.flag("with_counts") else {})})


def _channels(call: Call) -> Answer:
    seen = [channel for channel in call.guild().channels.values() if not channel.is_thread]
    return Answer([channel.payload() for channel in seen])


def _active_threads(call: Call) -> Answer:
    guild = call.guild()
    threads = [c for c in guild.channels.values() if c.is_thread and not c.archived and c.seen_by_bot()]
    joined = [thread for thread in threads if call.world.bot.id in thread.members]
    members: list[Json] = [
        {"id": str(thread.id), "user_id": str(call.world.bot.id), "join_timestamp": thread.created, "flags": 0}
        for thread in joined
    ]
    return Answer({"threads": [thread.payload() for thread in threads], "members": members, "has_more": False})


def _roles(call: Call) -> Answer:
    return Answer([role.payload() for role in call.guild().roles])


def _member(call: Call) -> Answer:
    return Answer(call.member().payload())


def _members(call: Call) -> Answer:
    after, limit = int(call.query.get("after", 0)), int(call.query.get("limit", 1))
    later = sorted(member.id for member in call.guild().members.values() if member.id > after)
    return Answer([call.guild().members[one].payload() for one in later[:limit]])


def _found(call: Call, number: int) -> User:
    user = call.world.users.get(number)
    if user is None:
        raise refusals.unknown(refusals.UNKNOWN_USER)
    return user


def _user(call: Call) -> Answer:
    return Answer(_found(call, call.number("user_id")).payload())


def _open_dm(call: Call) -> Answer:
    user = _found(call, call.snowflake("recipient_id"))
    if user is call.world.bot:
        raise refusals.closed_to_messages()
    return Answer(call.world.open_dm(user).payload())


def _my_guilds(call: Call) -> Answer:
    after, limit = int(call.query.get("after", 0)), int(call.query.get("limit", 200))
    later = [guild for number, guild in sorted(call.world.guilds.items()) if guild.installed and number > after]
    return Answer([_my_guild(guild) for guild in later[:limit]])


def _my_guild(guild: Guild) -> Json:
    payload = guild.payload()
    kept = {key: payload[key] for key in ("id", "name", "icon", "banner", "features")}
    return {**kept, "owner": False, "permissions": str(int(permissions.in_guild(guild, guild.bot_member)))}


_GUILD: Final = "/guilds/{guild_id}"

ROUTES: Final = (
    Route("GET", _GUILD, _guild),
    Route("GET", f"{_GUILD}/channels", _channels),
    Route("GET", f"{_GUILD}/threads/active", _active_threads),
    Route("GET", f"{_GUILD}/roles", _roles),
    Route("GET", f"{_GUILD}/members", _members),
    Route("GET", f"{_GUILD}/members/{{user_id}}", _member),
    Route("GET", "/users/@me/guilds", _my_guilds),
    Route("POST", "/users/@me/channels", _open_dm),
    Route("GET", "/users/{user_id}", _user),
)
