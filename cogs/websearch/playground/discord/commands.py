"""Keep the commands that the bot has synced, for all servers and for single ones."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final

from . import refusals
from .command_rules import check_command, check_together
from .permissions import Permission

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .refusals import Json
    from .world import World


class CommandKind(IntEnum):
    """Name Discord's types of command."""

    CHAT_INPUT = 1
    USER = 2
    MESSAGE = 3


GUILD_INSTALL: Final = 0
USER_INSTALL: Final = 1
IN_GUILD: Final = 0
IN_BOT_DM: Final = 1
IN_PRIVATE: Final = 2


class Command:
    """Be a synced command; `guild_id` is None where it is there for all servers."""

    def __init__(self, command_id: int, version: int, guild_id: int | None, data: Json) -> None:
        self.id = command_id
        self.version = version
        self.guild_id = guild_id
        self.data = data

    @property
    def name(self) -> str:
        """Tell the name."""
        return str(self.data["name"])

    @property
    def kind(self) -> CommandKind:
        """Tell the type; a command that names none is a slash command."""
        return CommandKind(self.data.get("type") or CommandKind.CHAT_INPUT)

    @property
    def options(self) -> list[Json]:
        """List the options, or the subcommands."""
        return self.data.get("options") or []

    @property
    def installs(self) -> frozenset[int]:
        """Tell which installations show the command: for all servers both, where the bot named none."""
        if self.guild_id is not None:
            return frozenset({GUILD_INSTALL})
        named = self.data.get("integration_types")
        return frozenset(named if named is not None else (GUILD_INSTALL, USER_INSTALL))

    @property
    def contexts(self) -> frozenset[int]:
        """Tell where the command is shown: everywhere, where the bot named nothing."""
        if self.guild_id is not None:
            return frozenset({IN_GUILD})
        named = self.data.get("contexts")
        if named is None:
            everywhere = {IN_GUILD, IN_BOT_DM, IN_PRIVATE}
            return frozenset(everywhere if self.data.get("dm_permission") is not False else {IN_GUILD})
        return frozenset(named)

    @property
    def default_permissions(self) -> Permission | None:
        """Tell what a member needs where a server has said nothing else; None is for everyone."""
        needed = self.data.get("default_member_permissions")
        return None if needed is None else Permission(int(needed))

    def payload(self, application_id: int) -> Json:
        """Build the command as Discord's answers hold it."""
        needed = self.default_permissions
        data = {key: value for key, value in self.data.items() if key != "handler"}
        answer: Json = {
            **data,
            "id": str(self.id),
            "application_id": str(application_id),
            "version": str(self.version),
            "type": int(self.kind),
            "description": self.data.get("description") or "",
            "default_member_permissions": None if needed is None else str(int(needed)),
            "nsfw": bool(self.data.get("nsfw")),
        }
        if self.guild_id is None:
            return {**answer, "integration_types": sorted(self.installs), "contexts": self.data.get("contexts")}
        for key in ("contexts", "integration_types"):
            answer.pop(key, None)
        return {**answer, "guild_id": str(self.guild_id)}


class Registry:
    """Hold the synced commands by scope: a server's id, or None for all servers."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._scopes: dict[int | None, dict[int, Command]] = {}

    def all(self, guild_id: int | None = None) -> list[Command]:
        """List the commands of a scope in the order in which they were created."""
        return list(self._scopes.get(guild_id, {}).values())

    def get(self, guild_id: int | None, command_id: int) -> Command:
        """Return a command; raise `Refusal` where there is none."""
        command = self._scopes.get(guild_id, {}).get(command_id)
        if command is None:
            raise refusals.unknown(refusals.UNKNOWN_COMMAND)
        return command

    def find(self, name: str, kind: CommandKind, guild_id: int | None) -> Command | None:
        """Find a command by its name, the server's own first."""
        for scope in (guild_id, None):
            for command in self.all(scope):
                if command.name == name and command.kind is kind:
                    return command
        return None

    def overwrite(self, guild_id: int | None, bodies: Iterable[Json]) -> list[Command]:
        """Replace the commands of a scope; one that stays keeps its id."""
        listed = list(bodies)
        refusals.check(flaw for index, body in enumerate(listed) for flaw in check_command(body, (index,)))
        check_together(listed)
        old = {(command.name, command.kind): command.id for command in self.all(guild_id)}
        made = [self._make(guild_id, body, old) for body in listed]
        self._scopes[guild_id] = {command.id: command for command in made}
        self._world.changes.notify()
        return made

    def upsert(self, guild_id: int | None, body: Json) -> tuple[Command, bool]:
        """Create a command, or replace the one of its name; tell whether it is new."""
        others = [c.data for c in self.all(guild_id) if (c.name, c.kind) != _identity(body)]
        new = len(others) == len(self.all(guild_id))
        made = self.overwrite(guild_id, [*others, body])
        return made[-1], new

    def update(self, guild_id: int | None, command_id: int, body: Json) -> Command:
        """Change parts of a command."""
        command = self.get(guild_id, command_id)
        data = {**command.data, **body}
        refusals.check(check_command(data, ()))
        others = [other.data for other in self.all(guild_id) if other is not command]
        check_together([*others, data])
        command.data = data
        command.version = self._world.ids.next()
        self._world.changes.notify()
        return command

    def delete(self, guild_id: int | None, command_id: int) -> None:
        """Delete a command."""
        self.get(guild_id, command_id)
        del self._scopes[guild_id][command_id]
        self._world.changes.notify()

    def _make(self, guild_id: int | None, body: Json, old: dict[tuple[str, CommandKind], int]) -> Command:
        version = self._world.ids.next()
        return Command(old.get(_identity(body), version), version, guild_id, body)


def _identity(body: dict[str, Any]) -> tuple[str, CommandKind]:
    return str(body["name"]), CommandKind(body.get("type") or CommandKind.CHAT_INPUT)
