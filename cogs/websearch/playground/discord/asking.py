"""Check what a member's client would allow, and send the interaction on its way to the bot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import components, options, payloads
from .commands import GUILD_INSTALL, USER_INSTALL, Command, CommandKind
from .interactions import Invocation, Kind
from .messages import Message
from .options import NotOffered, Resolved, Value
from .permissions import Permission

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .channels import Channel
    from .guilds import Guild
    from .people import Someone
    from .refusals import Json
    from .users import User


@dataclass
class Ask:
    """Hold who asks, where, and in what language; `user_install` is true where the app acts for the user alone."""

    user: User
    where: Channel
    locale: str | None = None
    user_install: bool = False

    def __post_init__(self) -> None:
        """Check that the user is there at all."""
        if self.user_install:
            self.user.install_app()
        if not self.where.seen_by(self.user):
            message = f"{self.user} does not see {self.where}"
            raise NotOffered(message)

    def start(self, kind: Kind, name: str, owners: dict[str, str], source: Message | None = None) -> Invocation:
        """Make an interaction for whom `owners` says."""
        inv = Invocation(self.user.world, kind, self.where, self.user, source=source)
        inv.name = name
        inv.owners = owners
        inv.app_permissions = payloads.app_permissions(self.user.world, self.where, self.user)
        granted = self.where.granted_to(self.user)
        inv.forced_private = inv.foreign and not granted & Permission.USE_EXTERNAL_APPS
        return inv

    def send(self, inv: Invocation, data: Json) -> Invocation:
        """Tell the bot, where it is there to hear it."""
        inv.sent = payloads.interaction(inv, data, self.locale or self.user.locale)
        inv.deliver()
        return inv


def invoke(ask: Ask, name: str, values: Mapping[str, Value], *, force: bool) -> Invocation:
    """Use a slash command."""
    command, owners, path = _offered(ask, name, CommandKind.CHAT_INPUT)
    steps, offered = options.descend(command, path)
    resolved = Resolved(ask.user)
    sent = options.wrapped(steps, options.filled(offered, values, resolved, force=force))
    inv = ask.start(Kind.COMMAND, name, owners)
    return ask.send(inv, _command_data(command, sent, resolved))


def autocomplete(ask: Ask, name: str, focused: tuple[str, str], values: Mapping[str, Value]) -> Invocation:
    """Type into an option of a slash command that completes it."""
    command, owners, path = _offered(ask, name, CommandKind.CHAT_INPUT)
    steps, offered = options.descend(command, path)
    option, typed = focused
    if not any(one["name"] == option and one.get("autocomplete") for one in offered):
        message = f"/{name} does not complete {option}"
        raise NotOffered(message)
    resolved = Resolved(ask.user)
    sent = options.filled(offered, values, resolved, force=False, partly=True)
    inv = ask.start(Kind.AUTOCOMPLETE, name, owners)
    inv.focused = next(int(one["type"]) for one in offered if one["name"] == option)
    sent.append({"name": option, "type": inv.focused, "value": typed, "focused": True})
    return ask.send(inv, _command_data(command, options.wrapped(steps, sent), Resolved(ask.user)))


def use_menu(ask: Ask, target: Message | Someone, name: str) -> Invocation:
    """Use an entry of the menu of a message or of a person."""
    resolved = Resolved(ask.user)
    if isinstance(target, Message):
        if not target.visible_to(ask.user):
            message = f"{ask.user} does not see {target}"
            raise NotOffered(message)
        kind, key = CommandKind.MESSAGE, str(target.id)
        resolved.parts["messages"] = {key: target.payload()}
    else:
        kind, key = CommandKind.USER, resolved.add(target)
    command, owners, _ = _offered(ask, name, kind)
    inv = ask.start(Kind.COMMAND, name, owners)
    inv.menu = True
    return ask.send(inv, {**_command_data(command, None, resolved), "target_id": key})


def _command_data(command: Command, sent: list[Json] | None, resolved: Resolved) -> Json:
    data: Json = {"id": str(command.id), "name": command.name, "type": int(command.kind)}
    if sent:
        data["options"] = sent
    if resolved.parts:
        data["resolved"] = resolved.parts
    if command.guild_id is not None:
        data["guild_id"] = str(command.guild_id)
    return data


def _offered(ask: Ask, name: str, kind: CommandKind) -> tuple[Command, dict[str, str], list[str]]:
    world, guild = ask.user.world, ask.where.guild
    first, *path = name.split(" ") if kind is CommandKind.CHAT_INPUT else [name]
    command = world.commands.find(first, kind, guild.id if guild is not None else None)
    if command is None:
        message = f"there is no {kind.name} command {first}; synced are {[c.name for c in world.commands.all()]}"
        raise NotOffered(message)
    installs = command.installs & {USER_INSTALL} if ask.user_install else command.installs
    owners = payloads.owners_of(world, ask.where, ask.user, installs)
    if not owners:
        message = f"{first} is installed neither here nor to {ask.user}"
        raise NotOffered(message)
    if payloads.context_of(world, ask.where) not in command.contexts:
        message = f"{first} is not offered in {ask.where}"
        raise NotOffered(message)
    if command.data.get("nsfw") and not ask.where.age_restricted:
        message = f"{first} is offered in age-restricted channels alone"
        raise NotOffered(message)
    if guild is not None:
        _permitted(ask, command, guild, owners)
    return command, owners, path


def _permitted(ask: Ask, command: Command, guild: Guild, owners: Mapping[str, str]) -> None:
    granted = ask.where.granted_to(ask.user)
    if not granted & Permission.USE_APPLICATION_COMMANDS:
        message = f"{ask.user} may not use commands in {ask.where}"
        raise NotOffered(message)
    if str(GUILD_INSTALL) not in owners or granted & Permission.ADMINISTRATOR:
        return
    rules = guild.command_rules.get(command.name, {})
    in_channel = rules.get(ask.where.place.id)
    member = guild.members[ask.user.id]
    about_roles = [rules[role.id] for role in (*member.roles, guild.everyone) if role.id in rules]
    said = rules.get(member.id, any(about_roles) if about_roles else None)
    needed = command.default_permissions
    if said is None:
        # A command whose permissions are "0" is for administrators, who were let through above.
        said = needed is None or (bool(needed) and granted & needed == needed)
    if not said or in_channel is False:
        message = f"{ask.user} lacks what {command.name} needs in {ask.where}: {needed!r}"
        raise NotOffered(message)


def use_component(
    ask: Ask, message: Message, name: str, kinds: Sequence[int], values: Sequence[Value] | None, *, force: bool
) -> Invocation:
    """Press a button, or choose in a menu."""
    if not message.visible_to(ask.user):
        why = f"{ask.user} does not see {message}"
        raise NotOffered(why)
    try:
        component = message.component(name)
    except KeyError:
        if not force:
            there = [c.get("custom_id") for c in (*message.buttons(), *message.menus())]
            why = f"{message} has no {name}; it has {there}"
            raise NotOffered(why) from None
        component = {"type": kinds[0], "custom_id": name, "id": 0}
    if not force and (component["type"] not in kinds or component.get("disabled") or "custom_id" not in component):
        why = f"{name} can't be used: {component}"
        raise NotOffered(why)
    data: Json = {"component_type": component["type"], "custom_id": component["custom_id"], "id": component["id"]}
    if values is not None:
        data |= _chosen(ask, component, values, force=force)
    if message.interaction is not None:
        owners = message.interaction.owners
    else:
        owners = payloads.owners_of(ask.user.world, ask.where, ask.user, frozenset({GUILD_INSTALL}))
    return ask.send(ask.start(Kind.COMPONENT, name, owners, message), data)


def _chosen(ask: Ask, select: Json, values: Sequence[Value], *, force: bool) -> Json:
    resolved = Resolved(ask.user)
    offered = {option["value"] for option in select.get("options") or ()}
    labels = {option["label"]: option["value"] for option in select.get("options") or ()}
    sent: list[str] = []
    for value in values:
        if isinstance(value, str | int | float):
            sent.append(str(value) if str(value) in offered else labels.get(str(value), str(value)))
        else:
            sent.append(resolved.add(value))
    least, most = select.get("min_values", 1), select.get("max_values", 1)
    strange = select["type"] == components.STRING_SELECT and not set(sent) <= offered
    twice = len(set(sent)) < len(sent)
    if not force and (strange or twice or not least <= len(sent) <= most):
        message = f"{sent} can't be chosen; offered are {least} to {most} of {sorted(offered)}"
        raise NotOffered(message)
    return {"values": sent, "resolved": resolved.parts} if resolved.parts else {"values": sent}


def submit(ask: Ask, asked: Invocation, values: Mapping[str, str]) -> Invocation:
    """Send off a modal."""
    if asked.modal is None or asked.user is not ask.user:
        message = f"{asked} brought no modal to {ask.user}"
        raise NotOffered(message)
    rows = [_submitted(row, values) for row in asked.modal["components"]]
    data = {"custom_id": asked.modal["custom_id"], "components": rows}
    return ask.send(ask.start(Kind.MODAL, asked.name, asked.owners, asked.source), data)


def _submitted(row: Json, values: Mapping[str, str]) -> Json:
    inside = row.get("components") or ([row["component"]] if row.get("component") else [])
    fields = []
    for one in inside:
        value = values.get(one["custom_id"], values.get(one.get("label") or row.get("label") or "", ""))
        if (one.get("required", True) and not value) or len(value) > (one.get("max_length") or 4000):
            message = f"{one['custom_id']} can't be {value!r}"
            raise NotOffered(message)
        fields.append({"type": one["type"], "custom_id": one["custom_id"], "value": value, "id": one.get("id", 0)})
    if "component" in row:
        return {"type": row["type"], "id": row.get("id", 0), "component": fields[0]}
    return {"type": row["type"], "id": row.get("id", 0), "components": fields}


def write(user: User, where: Channel, content: str) -> Message:
    """Write a message as a member."""
    needed = Permission.SEND_MESSAGES_IN_THREADS if where.is_thread else Permission.SEND_MESSAGES
    may = where.guild is None or where.granted_to(user) & needed
    if not where.seen_by(user) or not may:
        why = f"{user} may not write in {where}"
        raise NotOffered(why)
    message = Message(where, user)
    message.write({"content": content}, (), may_embed=True)
    message.post()
    return message
