"""Define how the loopback Discord says no: a status, a code and a message from Discord's own list of error codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

Json = dict[str, Any]


@dataclass(frozen=True)
class Flaw:
    """Hold one thing that is wrong with a body: where it is, Discord's code for it, and a sentence."""

    path: tuple[str | int, ...]
    code: str
    message: str

    def __str__(self) -> str:
        """Write it on one line."""
        return f"{'.'.join(map(str, self.path)) or 'body'}: {self.message} ({self.code})"


class Refusal(Exception):
    """Be raised where a request is answered with an error.

    `problem` is true where the client broke a rule that no client should break, rather than came too late.
    """

    def __init__(self, status: int, code: int, message: str, *, problem: bool = False) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message
        self.problem = problem
        self.flaws: tuple[Flaw, ...] = ()

    def body(self) -> Json:
        """Build the answer's body, the flaws nested as Discord nests them."""
        body: Json = {"message": self.message, "code": self.code}
        if self.flaws:
            body["errors"] = nested(self.flaws)
        return body


def nested(flaws: Iterable[Flaw]) -> Json:
    """Nest flaws by their paths, each under the `_errors` of its place."""
    root: Json = {}
    for flaw in flaws:
        place = root
        for step in flaw.path:
            place = place.setdefault(str(step), {})
        place.setdefault("_errors", []).append({"code": flaw.code, "message": flaw.message})
    return root


def invalid_body(flaws: Iterable[Flaw]) -> Refusal:
    """Refuse a body that breaks Discord's document or its rules."""
    refusal = Refusal(400, 50035, "Invalid Form Body", problem=True)
    refusal.flaws = tuple(flaws)
    return refusal


def check(flaws: Iterable[Flaw]) -> None:
    """Raise `invalid_body` where there is any flaw."""
    if found := tuple(flaws):
        raise invalid_body(found)


def unauthorized() -> Refusal:
    """Refuse a bot token that is missing or wrong."""
    return Refusal(401, 0, "401: Unauthorized", problem=True)


def unknown(code: int) -> Refusal:
    """Refuse what is not there."""
    return Refusal(404, code, f"Unknown {_UNKNOWN[code]}")


UNKNOWN_CHANNEL: Final = 10003
UNKNOWN_GUILD: Final = 10004
UNKNOWN_MEMBER: Final = 10007
UNKNOWN_MESSAGE: Final = 10008
UNKNOWN_USER: Final = 10013
UNKNOWN_WEBHOOK: Final = 10015
UNKNOWN_INTERACTION: Final = 10062
UNKNOWN_COMMAND: Final = 10063
_UNKNOWN: Final = {
    UNKNOWN_CHANNEL: "Channel",
    UNKNOWN_GUILD: "Guild",
    UNKNOWN_MEMBER: "Member",
    UNKNOWN_MESSAGE: "Message",
    UNKNOWN_USER: "User",
    UNKNOWN_WEBHOOK: "Webhook",
    UNKNOWN_INTERACTION: "interaction",
    UNKNOWN_COMMAND: "application command",
}


def missing_access() -> Refusal:
    """Refuse a place that the bot can't see."""
    return Refusal(403, 50001, "Missing Access")


def not_yours() -> Refusal:
    """Refuse an edit of a message that another wrote."""
    return Refusal(403, 50005, "Cannot edit a message authored by another user")


def empty_message() -> Refusal:
    """Refuse a message with nothing in it."""
    return Refusal(400, 50006, "Cannot send an empty message", problem=True)


def closed_to_messages() -> Refusal:
    """Refuse a direct message to someone who takes none."""
    return Refusal(403, 50007, "Cannot send messages to this user")


def missing_permissions() -> Refusal:
    """Refuse what the bot's permissions do not cover."""
    return Refusal(403, 50013, "Missing Permissions")


def expired_token() -> Refusal:
    """Refuse an interaction's token after its fifteen minutes."""
    return Refusal(401, 50027, "Invalid Webhook Token")


def invalid_json() -> Refusal:
    """Refuse a body that is no JSON."""
    return Refusal(400, 50109, "The request body contains invalid JSON.", problem=True)


def already_acknowledged() -> Refusal:
    """Refuse a second acknowledgement."""
    return Refusal(400, 40060, "Interaction has already been acknowledged.", problem=True)


def too_many_follow_ups() -> Refusal:
    """Refuse a sixth follow-up of an app that acts for the member alone."""
    return Refusal(400, 40094, "This interaction has reached the maximum number of follow-up messages", problem=True)


def too_many_commands(most: int) -> Refusal:
    """Refuse more commands of a kind than an app may have."""
    return Refusal(400, 30032, f"Maximum number of application commands reached ({most})", problem=True)
