"""Hold what a member asked of the bot, and what became of it: an interaction's whole life."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Final

from . import refusals
from .changes import StillWaiting
from .commands import USER_INSTALL
from .messages import SETTABLE, Flag, Message
from .permissions import Permission
from .snowflakes import time_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .channels import Channel
    from .refusals import Json
    from .users import User
    from .world import World

ACKNOWLEDGE_SECONDS: Final = 3
TOKEN_SECONDS: Final = 15 * 60
PREFIX: Final = "loopback-"
# How often an app may follow up where it acts for a user alone; a completed "thinking" is an edit and doesn't count.
FOREIGN_FOLLOW_UPS: Final = 5


class Kind(IntEnum):
    """Name Discord's types of interaction."""

    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class State(StrEnum):
    """Name what the member sees: nothing yet, the bot thinking, an answer, or that the app did not respond."""

    SENT = "sent"
    DEFERRED = "deferred"
    ANSWERED = "answered"
    FAILED = "failed"


def lapsed(token: str, now: float) -> bool:
    """Tell whether a token's time is up, also where its interaction was forgotten."""
    number = token.removeprefix(PREFIX)
    return number != token and number.isdecimal() and time_of(int(number)) + TOKEN_SECONDS <= now


class Invocation:
    """Be an interaction.

    `original` is the message that `@original` means: the reply, or the message on which a component was pressed.
    `ephemeral` is None until there is a reply. `answer` is the message that completed it. `choices` and `modal` hold
    what an autocompletion or a modal brought; `focused` is the kind of the option that is being completed. `sent` is
    the payload that went to the bot.
    """

    def __init__(
        self, world: World, kind: Kind, channel: Channel, user: User, *, source: Message | None = None
    ) -> None:
        self.world = world
        self.id = world.ids.next()
        self.token = f"{PREFIX}{self.id}"
        self.kind = kind
        self.channel = channel
        self.user = user
        self.source = source
        self.name = ""
        self.sent: Json = {}
        self.owners: dict[str, str] = {}
        self.app_permissions = Permission(0)
        self.menu = False
        self.forced_private = False
        self.state = State.SENT
        self.expired = False
        self.callbacks: list[Json] = []
        self.original: Message | None = None
        self.answer: Message | None = None
        self.followups: list[Message] = []
        self.focused: int | None = None
        self.choices: list[Json] | None = None
        self.modal: Json | None = None
        self._pending = False
        world.invocations[self.token] = self
        world.clock.call_at(world.clock.now() + ACKNOWLEDGE_SECONDS, self._unanswered)
        world.clock.call_at(world.clock.now() + TOKEN_SECONDS, self._expire)

    def __repr__(self) -> str:
        """Show what a test that waits in vain needs to know."""
        done = ", ".join(str(callback.get("type")) for callback in self.callbacks) or "none"
        return (
            f"<{self.kind.name} {self.name!r} {self.state.value}, callbacks of type {done}, original {self.original}>"
        )

    @property
    def ephemeral(self) -> bool | None:
        """Tell whether the reply is private; None where there is no reply yet."""
        return None if self.original is None else self.original.ephemeral

    @property
    def foreign(self) -> bool:
        """Tell whether the app acts for the member alone, in a server that the bot is not in."""
        return self.channel.guild is not None and not self.channel.guild.installed

    @property
    def for_user_alone(self) -> bool:
        """Tell whether an installation to a user alone is what lets the app act."""
        return set(self.owners) == {str(USER_INSTALL)}

    @property
    def was_acknowledged(self) -> bool:
        """Tell whether the bot has acknowledged it in time."""
        return bool(self.callbacks)

    def deliver(self) -> None:
        """Tell the bot, where it's there to hear it; a second time, as Discord may do after a resume."""
        guild = self.channel.guild
        self.world.gateway.send("INTERACTION_CREATE", self.sent, guild_id=None if guild is None else guild.id)

    async def acknowledged(self) -> Invocation:
        """Wait for the bot's acknowledgement; raise `StillWaiting` where it never comes or came too late."""
        await self.world.changes.until(
            lambda: self.was_acknowledged or self.state is State.FAILED, lambda: f"an acknowledgement of {self}", self
        )
        if not self.was_acknowledged:
            message = f"the app did not respond within {ACKNOWLEDGE_SECONDS} s to {self}"
            raise StillWaiting(message)
        return self

    async def reply(self) -> Message:
        """Wait for the finished answer and return it.

        That is a message sent at once, the edited "thinking", the message of a pressed component once it was changed or
        deleted, or the first follow-up.
        """
        await self.world.changes.until(
            lambda: self.answer is not None or self.state is State.FAILED, lambda: f"an answer to {self}", self
        )
        if self.answer is None:
            message = f"the app did not respond to {self}"
            raise StillWaiting(message)
        return self.answer

    def usable(self) -> None:
        """Raise `Refusal` where the token can't be used for `@original` and follow-ups."""
        if self.expired:
            raise refusals.expired_token()
        if not self.was_acknowledged or self.kind is Kind.AUTOCOMPLETE:
            raise refusals.unknown(refusals.UNKNOWN_WEBHOOK)
        self.placed()

    def placed(self) -> None:
        """Raise `Refusal` where the channel is gone, and everything in it."""
        if self.channel.deleted:
            raise refusals.unknown(refusals.UNKNOWN_CHANNEL)

    def may_embed(self) -> bool:
        """Tell whether embeds are shown here."""
        return bool(self.app_permissions & Permission.EMBED_LINKS)

    def new_message(self, flags: int) -> Message:
        """Make an empty message of this interaction, private where it must be."""
        wanted = Flag(flags) & SETTABLE
        if self.forced_private:
            wanted |= Flag.EPHEMERAL
        return Message(self.channel, self.world.bot, flags=wanted, interaction=self)

    def respond(self, message: Message) -> None:
        """Take a message as the immediate reply."""
        self.original = message
        message.post()
        self.complete(message)

    def think(self, message: Message) -> None:
        """Take an empty message as the reply that is still to come."""
        message.flags |= Flag.LOADING
        self.original = message
        self._pending = True
        self.state = State.DEFERRED
        message.post()
        self.world.changes.notify(self)

    def defer_update(self) -> None:
        """Leave the component's message as it is for now."""
        self.original = self.source
        self.state = State.DEFERRED
        self.world.changes.notify(self)

    def complete(self, message: Message) -> None:
        """Take a message as what completed the reply, unless another did before."""
        self._pending = False
        self.state = State.ANSWERED
        if self.answer is None:
            self.answer = message
        self.world.changes.notify(self)

    def find(self, message_id: str) -> Message:
        """Return a message that the token reaches; raise `Refusal` where there is none."""
        reachable = [self.original, self.source, *self.followups]
        for message in reachable:
            if message is None or message.deleted:
                continue
            if str(message.id) == message_id or (message_id == "@original" and message is self.original):
                return message
        raise refusals.unknown(refusals.UNKNOWN_MESSAGE)

    def edit(self, message: Message, body: Json, files: Sequence[tuple[str, bytes]]) -> None:
        """Edit a message; the first edit of the original completes the reply."""
        message.edit(body, files, may_embed=self.may_embed())
        if message is self.original:
            self.complete(message)

    def delete(self, message: Message) -> None:
        """Delete a message; a deleted "thinking" leaves the reply to a follow-up of whatever privacy."""
        was_component = message is self.source and message is self.original
        message.delete()
        if message is self.original:
            self._pending = False
        if was_component:
            self.complete(message)

    def follow_up(self, body: Json, files: Sequence[tuple[str, bytes]]) -> Message:
        """Send a follow-up; the first one after a deferral is the deferred reply itself and has its privacy.

        Where somebody else deleted that "thinking", there is nothing to edit, as Discord says as well.
        """
        if self._pending and self.original is not None:
            if self.original.deleted:
                raise refusals.unknown(refusals.UNKNOWN_MESSAGE)
            self.edit(self.original, {key: value for key, value in body.items() if key != "flags"}, files)
            self.followups.append(self.original)
            return self.original
        new = [message for message in self.followups if message is not self.original]
        if self.for_user_alone and len(new) >= FOREIGN_FOLLOW_UPS:
            raise refusals.too_many_follow_ups()
        message = self.new_message(body.get("flags") or 0)
        message.write(body, files, may_embed=self.may_embed())
        if message.is_empty():
            raise refusals.empty_message()
        self.followups.append(message)
        message.post()
        self.complete(message)
        return message

    def message_part(self, message: Message) -> Json:
        """Build what a message of this interaction says about it."""
        user = self.user.payload()
        about: Json = {
            "id": str(self.id),
            "type": int(self.kind),
            "user": user,
            "authorizing_integration_owners": self.owners,
        }
        part: Json = {
            "webhook_id": str(self.world.application_id),
            "application_id": str(self.world.application_id),
            "interaction_metadata": about,
        }
        if message is not self.original and self.original is not None:
            about["original_response_message_id"] = str(self.original.id)
        elif self.kind is Kind.COMMAND:
            part["type"] = 23 if self.menu else 20
            part["interaction"] = {"id": str(self.id), "type": int(self.kind), "name": self.name, "user": user}
        if self.kind is Kind.COMPONENT and self.source is not None:
            about["interacted_message_id"] = str(self.source.id)
        if self.kind is Kind.MODAL:
            about["triggering_interaction_metadata"] = about | {"type": int(Kind.COMMAND)}
        return part

    def _unanswered(self) -> None:
        if not self.was_acknowledged:
            self.state = State.FAILED
            self.world.changes.notify(self)

    def _expire(self) -> None:
        self.expired = True
        if self._pending:
            self.state = State.FAILED
        self.world.changes.notify(self)
