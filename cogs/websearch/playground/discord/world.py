"""Hold everything that there is: people, servers, places, messages, commands, and what the bot is told of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from .changes import Changes
from .channels import Channel, ChannelKind
from .commands import Registry
from .gateway import Hub
from .guilds import Guild
from .sessions import Intent
from .snowflakes import Snowflakes
from .users import User

if TYPE_CHECKING:
    from collections.abc import Callable

    from .clock import Clock
    from .interactions import Invocation
    from .messages import Message
    from .refusals import Json
    from .teams import Team


@dataclass(frozen=True)
class Problem:
    """Hold a rule that the client broke: with which request, and what is wrong with it."""

    where: str
    what: str

    def __str__(self) -> str:
        """Write it on one line."""
        return f"{self.where}: {self.what}"


class World:
    """Be a Discord without its network.

    `patience` is how long, in real seconds, anything here waits before it fails. `intents` are those that the app's
    owner has switched on; a bot that identifies with a privileged one that is not among them is turned away.
    `observers` see each message of any world when it's sent, edited or deleted.
    """

    observers: ClassVar[list[Callable[[Message], None]]] = []

    def __init__(self, clock: Clock, token: str, *, patience: float, intents: Intent) -> None:
        self.clock = clock
        self.token = token
        self.ids = Snowflakes(clock)
        self.changes = Changes(patience)
        self.problems: list[Problem] = []
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.messages: dict[int, Message] = {}
        self.invocations: dict[str, Invocation] = {}
        self.bot = self.add_user("loopback", bot=True)
        self.owner = self.add_user("owner")
        self.team: Team | None = None
        self.application_id = self.bot.id
        self.commands = Registry(self)
        self.gateway = Hub(self, intents)

    def add_user(self, name: str, *, bot: bool = False, locale: str = "en-US") -> User:
        """Add an account that is in no server yet."""
        user = User(self, name, bot=bot, locale=locale)
        self.users[user.id] = user
        return user

    def add_guild(self, name: str, *, installed: bool = True, locale: str = "en-US") -> Guild:
        """Add a server, with the bot in it if `installed`."""
        guild = Guild(self, name, installed=installed, locale=locale)
        self.guilds[guild.id] = guild
        if installed:
            self.emit("GUILD_CREATE", guild.create_payload(), guild=guild)
        return guild

    def open_dm(self, user: User, other: User | None = None) -> Channel:
        """Return the direct messages between a user and the bot, or another user."""
        pair = {user.id: user, (other or self.bot).id: other or self.bot}
        for channel in self.channels.values():
            if channel.kind is ChannelKind.DM and channel.members == pair:
                return channel
        channel = Channel(self, ChannelKind.DM, "")
        channel.members = pair
        return channel

    def report(self, where: str, what: str) -> None:
        """Remember that the client broke a rule."""
        self.problems.append(Problem(where, what))
        self.changes.notify()

    def forget(self) -> None:
        """Forget what nobody can reach any more, so that a long run stays small.

        That is: interactions whose tokens are spent, deleted messages, private ones whose interaction is forgotten, and
        the bodies of edits. Whoever holds one of these still can look at it, and press a message that they see.
        """
        self.invocations = {token: inv for token, inv in self.invocations.items() if not inv.expired}
        self.messages = {number: message for number, message in self.messages.items() if not message.forgettable()}
        for channel in self.channels.values():
            channel.messages = [message for message in channel.messages if not message.forgettable()]
        for message in self.messages.values():
            message.edits.clear()

    async def until(self, holds: Callable[[], bool], what: str = "a condition of the test") -> None:
        """Wait for something in the world to come true; fail loudly, naming `what`, where it never does."""
        await self.changes.until(holds, what)

    async def connected(self, sessions: int = 1) -> None:
        """Wait until so many of the bot's gateway sessions are identified and open."""
        await self.changes.until(
            lambda: self.gateway.open_sessions() >= sessions, f"{sessions} sessions of the bot at the gateway"
        )

    def emit(self, event: str, payload: Json, *, guild: Guild, intents: int = 1) -> None:
        """Send an event of a server to the bot, where the bot is in it and asked for one of the intents."""
        if guild.installed and guild.id in self.guilds:
            self.gateway.send(event, payload, guild_id=guild.id, intents=intents)
        self.changes.notify()

    def tell(self, event: str, message: Message) -> None:
        """Tell the bot about a message, as far as it sees it.

        A private message goes the way of direct messages and names no server, as Discord documents it.
        """
        for observe in self.observers:
            observe(message)
        guild = message.channel.guild
        if message.channel.seen_by_bot() and (guild is None or guild.installed):
            direct = guild is None or message.ephemeral
            payload = self._event(event, message, guild=None if direct else guild)
            intents = Intent.DIRECT_MESSAGES if direct else Intent.GUILD_MESSAGES
            hidden = not direct and message.author is not self.bot and str(self.bot.id) not in message.pings
            self.gateway.send(
                event,
                payload,
                guild_id=None if direct or guild is None else guild.id,
                intents=intents,
                needs_content=hidden,
            )
        self.changes.notify()

    def _event(self, event: str, message: Message, *, guild: Guild | None) -> Json:
        if event == "MESSAGE_DELETE":
            payload: Json = {"id": str(message.id), "channel_id": str(message.channel.id)}
        else:
            payload = message.payload()
        if guild is not None:
            payload["guild_id"] = str(guild.id)
            member = guild.members.get(message.author.id)
            if member is not None and event != "MESSAGE_DELETE":
                payload["member"] = member.payload(user=False)
        return payload
