"""Take the bot's acknowledgement of an interaction, of each type that Discord documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from . import refusals
from .command_rules import check_choices
from .interactions import Invocation, Kind, State
from .messages import Flag
from .refusals import Flaw, Json
from .rules import check_message, check_modal

if TYPE_CHECKING:
    from .messages import Message

Files = Sequence[tuple[str, bytes]]
_CHOICES: Final = 25


class Callback(IntEnum):
    """Name Discord's types of callback."""

    MESSAGE = 4
    DEFERRED_MESSAGE = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    CHOICES = 8
    MODAL = 9


def acknowledge(inv: Invocation, body: Json, files: Files) -> Message | None:
    """Take a callback and return the message that it made or changed; raise `Refusal` where it can't be taken.

    What is wrong with the body is found first, so that a client that broke a rule hears of it even if it was too late.
    """
    kind: int = body.get("type") or 0
    data: Json = body.get("data") or {}
    refusals.check(_flaws(inv, kind, data, files))
    if inv.was_acknowledged:
        raise refusals.already_acknowledged()
    if inv.state is State.FAILED or inv.expired:
        raise refusals.unknown(refusals.UNKNOWN_INTERACTION)
    inv.placed()
    return _TAKERS[Callback(kind)](inv, data, files, body)


def _flaws(inv: Invocation, kind: int, data: Json, files: Files) -> list[Flaw]:
    if kind not in _FITTING[inv.kind] or (kind in (Callback.DEFERRED_UPDATE, Callback.UPDATE) and inv.source is None):
        return [Flaw(("type",), "INTERACTION_TYPE_INVALID", f"A {inv.kind.name} can't be answered with type {kind}")]
    if kind in (Callback.MESSAGE, Callback.UPDATE):
        return check_message(data, files, at=("data",), edit=kind == Callback.UPDATE)
    if kind == Callback.CHOICES:
        return _choice_flaws(inv, _offered(data))
    return check_modal(data, ("data",)) if kind == Callback.MODAL else []


def _choice_flaws(inv: Invocation, choices: Sequence[Json]) -> list[Flaw]:
    flaws = list(check_choices(choices, ("data", "choices"), inv.focused))
    if len(choices) > _CHOICES:
        message = f"Must be {_CHOICES} or fewer in length."
        flaws.append(Flaw(("data", "choices"), "BASE_TYPE_MAX_LENGTH", message))
    return flaws


def _offered(data: Json) -> list[Json]:
    # Discord's document lets a choice be null, which offers nothing.
    return [choice for choice in data.get("choices") or () if choice is not None]


def _message(inv: Invocation, data: Json, files: Files, body: Json) -> Message:
    message = inv.new_message(data.get("flags") or 0)
    message.write(data, files, may_embed=inv.may_embed())
    if message.is_empty():
        raise refusals.empty_message()
    inv.callbacks.append(body)
    inv.respond(message)
    return message


def _think(inv: Invocation, data: Json, _files: Files, body: Json) -> Message:
    # Privacy is all that a deferral can say about the reply to come.
    message = inv.new_message((data.get("flags") or 0) & Flag.EPHEMERAL)
    inv.callbacks.append(body)
    inv.think(message)
    return message


def _defer_update(inv: Invocation, _data: Json, _files: Files, body: Json) -> None:
    inv.callbacks.append(body)
    inv.defer_update()


def _update(inv: Invocation, data: Json, files: Files, body: Json) -> Message:
    message = inv.source
    if message is None or message.deleted:
        raise refusals.unknown(refusals.UNKNOWN_MESSAGE)
    inv.callbacks.append(body)
    inv.original = message
    inv.edit(message, data, files)
    return message


def _choices(inv: Invocation, data: Json, _files: Files, body: Json) -> None:
    inv.callbacks.append(body)
    inv.choices = _offered(data)
    inv.state = State.ANSWERED
    inv.world.changes.notify(inv)


def _modal(inv: Invocation, data: Json, _files: Files, body: Json) -> None:
    inv.callbacks.append(body)
    inv.modal = data
    inv.state = State.ANSWERED
    inv.world.changes.notify(inv)


_TAKERS: dict[Callback, Callable[[Invocation, Json, Files, Json], Message | None]] = {
    Callback.MESSAGE: _message,
    Callback.DEFERRED_MESSAGE: _think,
    Callback.DEFERRED_UPDATE: _defer_update,
    Callback.UPDATE: _update,
    Callback.CHOICES: _choices,
    Callback.MODAL: _modal,
}
_MESSAGES: Final = frozenset({Callback.MESSAGE, Callback.DEFERRED_MESSAGE})
_UPDATES: Final = frozenset({Callback.DEFERRED_UPDATE, Callback.UPDATE})
_FITTING: dict[Kind, frozenset[Callback]] = {
    Kind.COMMAND: _MESSAGES | {Callback.MODAL},
    Kind.COMPONENT: _MESSAGES | _UPDATES | {Callback.MODAL},
    Kind.AUTOCOMPLETE: frozenset({Callback.CHOICES}),
    Kind.MODAL: _MESSAGES | _UPDATES,
}
