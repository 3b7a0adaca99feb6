"""Hold the gateway: sessions, shards, resuming, what the bot hears, and who is let in."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import TYPE_CHECKING

import discord
import pytest
from aiohttp import ClientSession, WSMsgType
from discord.gateway import DiscordWebSocket
from discord.http import Route

from cogs.websearch.playground.discord import Intent, LoopbackDiscord, Membership, Team, connect
from loopback.probe import ShardedProbeBot, Turn, make, running

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import Message
    from loopback.conftest import Scene
    from loopback.probe import Interaction


def test_addresses_are_put_back() -> None:
    """LOOP-01: the two class attributes point at the loopback within the context alone, also after an error."""
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    world = LoopbackDiscord()
    world.api_url, world.gateway_url = "http://127.0.0.1:1/api/v10", "ws://127.0.0.1:1/gateway"

    def break_off() -> None:
        with connect(world):
            assert (world.api_url, str(DiscordWebSocket.DEFAULT_GATEWAY)) == (Route.BASE, world.gateway_url)
            raise KeyError

    with pytest.raises(KeyError):
        break_off()
    assert before == (Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY)


async def test_wrong_token(world: LoopbackDiscord) -> None:
    """LOOP-02: a wrong token gets 401 from the routes, and the gateway closes with 4004."""
    with connect(world):
        async with make() as bot:
            with pytest.raises(discord.LoginFailure):
                await bot.login("wrong")
    async with ClientSession() as session, session.ws_connect(world.gateway_url) as socket:
        assert json.loads((await socket.receive()).data)["op"] == 10
        await socket.send_json({"op": 2, "d": {"token": "wrong", "intents": 0, "properties": {}}})
        closed = await socket.receive()
        assert (closed.type, closed.data) == (WSMsgType.CLOSE, 4004)
    assert len(world.problems) == 2
    world.problems.clear()


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("nonsense", 4002),
        ('{"op": 99}', 4003),
        ('{"op": 2, "d": {"token": "TOKEN", "intents": 1, "shard": [3, 2]}}', 4010),
        ('{"op": 2, "d": {"token": "TOKEN"}}', 4002),
        ('{"op": 6, "d": {"token": "TOKEN", "session_id": "none", "seq": 1}}', None),
    ],
)
async def test_odd_frames(world: LoopbackDiscord, sent: str, code: int | None) -> None:
    """LOOP-02: what is no frame, comes too early or names no shard closes the connection with its own code."""
    async with ClientSession() as session, session.ws_connect(world.gateway_url) as socket:
        await socket.receive()
        await socket.send_str(sent.replace("TOKEN", world.token))
        answer = await socket.receive()
        if code is None:
            assert json.loads(answer.data) == {"op": 9, "d": False, "s": None, "t": None}
        else:
            assert (answer.type, answer.data) == (WSMsgType.CLOSE, code)
    world.problems.clear()


async def test_resume_after_a_drop(scene: Scene) -> None:
    """LOOP-03: after a cut connection the client resumes, and what happened meanwhile is told then."""
    resumed = asyncio.create_task(scene.bot.wait_for("resumed"))
    await asyncio.sleep(0)
    scene.world.gateway.drop()
    await scene.world.until(lambda: scene.world.gateway.open_sessions() == 0, "the end of the connection")
    inv = await scene.member.invoke(scene.channel, "probe", text="missed")
    await resumed
    assert (await scene.outcomes.received()).extras["text"] == "missed"
    assert (scene.world.gateway.identified, scene.world.gateway.resumed) == (1, 1)
    assert not inv.was_acknowledged


async def test_asked_to_reconnect(scene: Scene) -> None:
    """LOOP-03: asked to reconnect, the client resumes its session."""
    resumed = asyncio.create_task(scene.bot.wait_for("resumed"))
    await asyncio.sleep(0)
    scene.world.gateway.ask_reconnect()
    await resumed
    assert (scene.world.gateway.identified, scene.world.gateway.resumed) == (1, 1)


async def test_invalid_session(world: LoopbackDiscord) -> None:
    """LOOP-03: a client whose session is invalid identifies anew and sees the same world."""
    guild = world.add_guild("Library")
    async with running(world, make(ShardedProbeBot)) as bot:
        world.gateway.invalidate()
        await world.until(lambda: world.gateway.identified == 2, "a second identify")
        inv = await guild.add_member("reader").invoke(guild.add_text_channel("general"), "probe")
        assert (await bot.outcomes.received()).id == inv.id
    assert world.gateway.resumed == 0


async def test_heartbeat(scene: Scene) -> None:
    """LOOP-03: a heartbeat that is asked for comes at once and is acknowledged."""
    before = scene.world.gateway.heartbeats
    scene.world.gateway.ask_heartbeat()
    await scene.world.until(lambda: scene.world.gateway.heartbeats > before, "a heartbeat")


async def test_shards() -> None:
    """LOOP-04: each shard hears of its own servers, and the first of direct messages."""
    async with LoopbackDiscord(shards=2) as world:
        guilds = [world.add_guild(f"Library {number}") for number in range(2)]
        # The shard is in the id's milliseconds, so a later server has another one.
        while (guilds[0].id >> 22) % 2 == (guilds[1].id >> 22) % 2:
            world.clock.advance(0.001)
            guilds[1] = world.add_guild("Library")
        async with running(world, make(ShardedProbeBot), sessions=2) as bot:
            for guild in guilds:
                channel, member = guild.add_text_channel("general"), guild.add_member("reader")
                await member.invoke(channel, "probe")
                interaction = await bot.outcomes.received()
                assert interaction.guild is not None
                assert interaction.guild.shard_id == (guild.id >> 22) % 2
            user = world.add_user("alone")
            await user.invoke(world.open_dm(user), "probe")
            assert (await bot.outcomes.received()).guild is None
        assert sorted(session.shard for session in world.gateway.sessions.values()) == [(0, 2), (1, 2)]
        assert [str(problem) for problem in world.problems] == []


async def test_disallowed_intents() -> None:
    """LOOP-02: a bot that asks for a privileged intent that its owner has not switched on is turned away."""
    allowed = Intent.GUILDS | Intent.GUILD_MESSAGES
    async with LoopbackDiscord(intents=allowed) as world:
        with pytest.raises(discord.PrivilegedIntentsRequired):
            async with running(world, make(intents=discord.Intents.all())):
                pytest.fail("it was let in")
        assert "DISALLOWED_INTENTS" in str(world.problems)


@pytest.mark.parametrize(("guilds", "events"), [(False, ["READY"]), (True, ["READY", "GUILD_CREATE", "GUILD_CREATE"])])
async def test_no_servers_without_their_intent(world: LoopbackDiscord, *, guilds: bool, events: list[str]) -> None:
    """LOOP-34: it has the ids of those that were there, as unavailable servers; with the intent it hears of all."""
    guild = world.add_guild("Library")
    async with running(world, make(intents=discord.Intents(guilds=guilds))) as bot:
        world.add_guild("Annex")
        (session,) = world.gateway.sessions.values()
        assert [json.loads(frame)["t"] for _, frame in session.sent] == events
        await bot.wait_until_ready()
        assert guild.id in {found.id for found in bot.guilds}


@pytest.mark.parametrize("code", [4004, 4010, 4013, 4014, 4999])
async def test_refusals(world: LoopbackDiscord, code: int) -> None:
    """LOOP-31: whoever identifies is turned away with that code, and nobody has broken a rule."""
    world.gateway.refusal = code
    async with ClientSession() as session, session.ws_connect(world.gateway_url) as socket:
        await socket.receive()
        await socket.send_json({"op": 2, "d": {"token": world.token, "intents": 1, "properties": {}}})
        closed = await socket.receive()
        assert (closed.type, closed.data) == (WSMsgType.CLOSE, code)
        assert socket.close_code == code
    assert world.gateway.identified == 0


async def test_what_clients_are_told_of_the_gateway(world: LoopbackDiscord) -> None:
    """LOOP-31: address, shards and starts are those that the test gave; a silent gateway says nothing."""
    world.gateway.shards, world.gateway.starts_left, world.gateway.silent = 3, 7, True
    with connect(world):
        async with make() as bot:
            await bot.login(world.token)
            shards, url, limit = await bot.http.get_bot_gateway()
    assert (shards, url, limit["remaining"]) == (3, world.gateway_url, 7)
    async with ClientSession() as session, session.ws_connect(world.gateway_url) as socket:
        with pytest.raises(TimeoutError):
            await socket.receive(timeout=0.05)


async def test_a_team(world: LoopbackDiscord) -> None:
    """LOOP-30: a client reads who is in the team, as what, and who hasn't joined yet."""
    owner, guest = world.add_user("head"), world.add_user("guest")
    world.team = Team(owner)
    world.team.add(guest, "read_only", Membership.INVITED)
    with connect(world):
        async with make() as bot:
            await bot.login(world.token)
            team = (await bot.application_info()).team
    assert team is not None
    assert team.owner_id == owner.id
    assert [(member.id, member.role, member.membership_state) for member in team.members] == [
        (owner.id, discord.TeamMemberRole.admin, discord.TeamMembershipState.accepted),
        (guest.id, discord.TeamMemberRole.read_only, discord.TeamMembershipState.invited),
    ]


async def test_contents_need_an_intent(scene: Scene) -> None:
    """LOOP-05: without the intent the bot reads only messages that mention it, and its own."""
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def listen(message: discord.Message) -> None:
        heard.put_nowait(message.content)

    scene.bot.add_listener(listen, "on_message")
    scene.member.send(scene.channel, "secret")
    scene.member.send(scene.channel, f"{scene.world.bot.mention} hello")
    assert [await heard.get(), await heard.get()] == ["", f"{scene.world.bot.mention} hello"]


async def test_what_changes_is_told(scene: Scene) -> None:
    """LOOP-05: the bot hears of servers, channels, threads, roles and deletions while they happen."""

    async def after(event: str, act: object) -> None:
        waiting = asyncio.create_task(scene.bot.wait_for(event))
        await asyncio.sleep(0)
        assert callable(act)
        act()
        async with asyncio.timeout(10):
            await waiting

    message: Message = scene.member.send(scene.channel, "hello")
    await after("raw_message_delete", message.delete)
    await after("guild_channel_create", lambda: scene.guild.add_text_channel("new"))
    await after("thread_create", lambda: scene.channel.add_thread("thread"))
    await after("guild_role_create", lambda: scene.guild.add_role("role"))
    await after("guild_channel_delete", scene.channel.delete)
    other = scene.world.add_guild("Elsewhere", installed=False)
    await after("guild_join", other.install)
    await after("guild_remove", other.kick_bot)
    assert scene.bot.get_guild(scene.guild.id) is not None


async def test_members_are_chunked(world: LoopbackDiscord) -> None:
    """LOOP-05: a client with the members intent asks for all members and gets them."""
    guild = world.add_guild("Library")
    names = {guild.add_member(f"reader {number}").user.name for number in range(3)}
    async with running(world, make(intents=discord.Intents.all())) as bot:
        await bot.wait_until_ready()
        seen = bot.get_guild(guild.id)
        assert seen is not None
        assert {member.name for member in await seen.chunk()} == names | {world.bot.name}


async def test_the_bot_comes_back(scene: Scene) -> None:
    """LOOP-06: the world stays while the bot is away, what is asked meanwhile fails, and buttons work after it."""
    world = scene.world

    async def behave(interaction: Interaction) -> None:
        await interaction.response.send_message("page 1", view=discord.ui.View(timeout=None).add_item(Turn(7)))

    scene.outcomes.behave = behave
    reply = await (await scene.member.invoke(scene.channel, "probe")).reply()
    await scene.bot.close()
    await world.until(lambda: world.gateway.open_sessions() == 0, "the bot's farewell")
    missed = await scene.member.press(reply, "Page 7")
    world.clock.advance(3)
    assert not missed.was_acknowledged
    async with running(world, make()):
        assert len(world.gateway.sessions) == 1
        assert (await (await scene.member.press(reply, "Page 7")).reply()).content == "page 7"


BOT = """
import asyncio, sys
import discord
from yarl import URL
from discord.gateway import DiscordWebSocket
from discord.http import Route
Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = sys.argv[1], URL(sys.argv[2])
client = discord.Client(intents=discord.Intents.default(), guild_ready_timeout=0)
tree = discord.app_commands.CommandTree(client)
@tree.command()
async def hello(interaction: discord.Interaction) -> None:
    "Say hello."
    await interaction.response.send_message("from afar")
@client.event
async def setup_hook() -> None:
    await tree.sync()
client.run(sys.argv[3], log_handler=None)
"""


async def test_another_process(world: LoopbackDiscord) -> None:
    """LOOP-06: a bot in another process is served as well."""
    guild = world.add_guild("Library")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", BOT, world.api_url, world.gateway_url, world.token
    )
    try:
        world.changes.patience = 30
        await world.connected()
        inv = await guild.add_member("reader").invoke(guild.add_text_channel("general"), "hello")
        assert (await inv.reply()).content == "from afar"
    finally:
        process.kill()
        await process.wait()
