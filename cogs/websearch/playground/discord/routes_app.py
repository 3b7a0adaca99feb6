"""Answer what is asked about the app itself: who it is, where the gateway is, which commands it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import refusals
from .rest import Answer, Call, Route

if TYPE_CHECKING:
    from .refusals import Json


def _me(call: Call) -> Answer:
    user = {key: value for key, value in call.world.bot.payload().items() if key != "primary_guild"}
    return Answer({**user, "mfa_enabled": False, "locale": "en-US", "email": None, "verified": True})


def _application(call: Call) -> Answer:
    world = call.world
    body: Json = {
        "id": str(world.application_id),
        "name": world.bot.name,
        "icon": None,
        "description": "",
        "type": None,
        "bot": world.bot.payload(),
        "bot_public": True,
        "bot_require_code_grant": False,
        "integration_types_config": {"0": {}, "1": {}},
        "verify_key": "0" * 64,
        "flags": 0,
        "flags_new": "0",
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "owner": world.owner.payload(),
        "approximate_guild_count": sum(guild.installed for guild in world.guilds.values()),
        "approximate_user_install_count": sum(user.app_installed for user in world.users.values()),
        "approximate_user_authorization_count": 0,
        "explicit_content_filter": 0,
        "team": None if world.team is None else world.team.payload(),
        "eligible_oauth2_scopes": ["bot", "applications.commands"],
        "event_webhooks_status": 1,
        "rpc_origins": [],
        "summary": "",
    }
    return Answer(body)


def _gateway(call: Call) -> Answer:
    return Answer({"url": call.world.gateway.url})


def _gateway_bot(call: Call) -> Answer:
    hub = call.world.gateway
    limit = {"total": 1000, "remaining": hub.starts_left, "reset_after": 86_400_000, "max_concurrency": 16}
    return Answer({"url": hub.url, "shards": hub.shards, "session_start_limit": limit})


def _scope(call: Call) -> int | None:
    if call.number("application_id") != call.world.application_id:
        raise refusals.missing_access()
    return call.guild().id if "guild_id" in call.params else None


def _list(call: Call) -> Answer:
    return Answer([c.payload(call.world.application_id) for c in call.world.commands.all(_scope(call))])


def _overwrite(call: Call) -> Answer:
    made = call.world.commands.overwrite(_scope(call), call.items)
    return Answer([command.payload(call.world.application_id) for command in made])


def _create(call: Call) -> Answer:
    command, new = call.world.commands.upsert(_scope(call), call.data)
    return Answer(command.payload(call.world.application_id), 201 if new else 200)


def _get(call: Call) -> Answer:
    command = call.world.commands.get(_scope(call), call.number("command_id"))
    return Answer(command.payload(call.world.application_id))


def _update(call: Call) -> Answer:
    command = call.world.commands.update(_scope(call), call.number("command_id"), call.data)
    return Answer(command.payload(call.world.application_id))


def _delete(call: Call) -> Answer:
    call.world.commands.delete(_scope(call), call.number("command_id"))
    return Answer()


_COMMANDS: Final = (
    "/applications/{application_id}/commands",
    "/applications/{application_id}/guilds/{guild_id}/commands",
)

ROUTES: Final = (
    Route("GET", "/users/@me", _me),
    Route("GET", "/applications/@me", _application),
    Route("GET", "/oauth2/applications/@me", _application),
    Route("GET", "/gateway", _gateway, public=True),
    Route("GET", "/gateway/bot", _gateway_bot),
    *(Route("GET", path, _list) for path in _COMMANDS),
    *(Route("PUT", path, _overwrite) for path in _COMMANDS),
    *(Route("POST", path, _create) for path in _COMMANDS),
    *(Route("GET", f"{path}/{{command_id}}", _get) for path in _COMMANDS),
    *(Route("PATCH", f"{path}/{{command_id}}", _update) for path in _COMMANDS),
    *(Route("DELETE", f"{path}/{{command_id}}", _delete) for path in _COMMANDS),
)
