"""Answer what a bot does with an interaction's token: acknowledge, edit, follow up, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import refusals
from .callbacks import Callback, acknowledge
from .interactions import lapsed
from .rest import Answer, Call, Route
from .rules import check_message

if TYPE_CHECKING:
    from .interactions import Invocation
    from .messages import Message
    from .refusals import Json


def _callback(call: Call) -> Answer:
    inv = call.world.invocations.get(call.params["interaction_token"])
    if inv is None or str(inv.id) != call.params["interaction_id"]:
        raise refusals.unknown(refusals.UNKNOWN_INTERACTION)
    message = acknowledge(inv, call.data, call.files)
    return Answer(_response(inv, message, call.data["type"])) if call.flag("with_response") else Answer()


def _response(inv: Invocation, message: Message | None, kind: int) -> Json:
    about: Json = {"id": str(inv.id), "type": int(inv.kind), "channel_id": str(inv.channel.id)}
    if inv.channel.guild is not None:
        about["guild_id"] = str(inv.channel.guild.id)
    if message is None:
        return {"interaction": about}
    about |= {
        "response_message_id": str(message.id),
        "response_message_loading": message.loading,
        "response_message_ephemeral": message.ephemeral,
    }
    if kind == Callback.DEFERRED_MESSAGE:
        return {"interaction": about}
    return {"interaction": about, "resource": {"type": kind, "message": message.payload()}}


def _invocation(call: Call) -> Invocation:
    token = call.params["webhook_token"]
    inv = call.world.invocations.get(token)
    if inv is None and lapsed(token, call.world.clock.now()):
        raise refusals.expired_token()
    if inv is None or call.number("webhook_id") != call.world.application_id:
        raise refusals.unknown(refusals.UNKNOWN_WEBHOOK)
    inv.usable()
    return inv


def _target(call: Call, inv: Invocation) -> Message:
    return inv.find(call.params.get("message_id", "@original"))


def _get(call: Call) -> Answer:
    return Answer(_target(call, _invocation(call)).payload())


def _edit(call: Call) -> Answer:
    _check(call, edit=True)
    inv = _invocation(call)
    message = _target(call, inv)
    inv.edit(message, call.data, call.files)
    return Answer(message.payload())


def _delete(call: Call) -> Answer:
    inv = _invocation(call)
    inv.delete(_target(call, inv))
    return Answer()


def _follow_up(call: Call) -> Answer:
    _check(call, edit=False)
    return Answer(_invocation(call).follow_up(call.data, call.files).payload())


def _check(call: Call, *, edit: bool) -> None:
    refusals.check(check_message(call.data, call.files, edit=edit))


_WEBHOOK: Final = "/webhooks/{webhook_id}/{webhook_token}"
_MESSAGES: Final = (f"{_WEBHOOK}/messages/@original", f"{_WEBHOOK}/messages/{{message_id}}")

ROUTES: Final = (
    Route("POST", "/interactions/{interaction_id}/{interaction_token}/callback", _callback, public=True),
    *(Route("GET", path, _get, public=True) for path in _MESSAGES),
    *(Route("PATCH", path, _edit, public=True) for path in _MESSAGES),
    *(Route("DELETE", path, _delete, public=True) for path in _MESSAGES),
    Route("POST", _WEBHOOK, _follow_up, public=True),
)
