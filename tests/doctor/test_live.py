"""Hold what the doctor learns from the search engine and from Discord."""

from __future__ import annotations

import re
import signal
from typing import TYPE_CHECKING

import pytest
from yarl import URL

from bots import Place, searching_bot
from cogs.websearch.playground.discord import LoopbackDiscord, Permission
from loopback_engine import PAGES
from loopback_exa import KEY, Fault, LoopbackExa, faults
from loopback_searxng import LoopbackSearxng, Page
from loopback_tavily import LoopbackTavily
from terminal_tools import start

if TYPE_CHECKING:
    from pathlib import Path

    from doctor_tools import Doctor

MEND = "Start the bundled bot, or mention it with: sync everywhere. In a bot of your own, call tree.sync()."


@pytest.fixture
async def synced(discord_: LoopbackDiscord, settings: dict[str, object], tmp_path: Path) -> LoopbackDiscord:
    """Have a bot in a server whose commands were synced once."""
    Place.make(discord_)
    async with searching_bot(discord_, settings | {"web-database": str(tmp_path / "once.db")}):
        pass
    discord_.requests.clear()
    return discord_


async def test_all_is_well(doctor: Doctor, synced: LoopbackDiscord, exa: LoopbackExa) -> None:
    """DOC-02, DOC-10, DOC-11, DOC-12, DOC-13: one search, its price, the bot's name, its commands and its servers."""
    found = await doctor(live=True, DISCORD_TOKEN=synced.token)
    assert (found.code, found.marks(), found.errors) == (0, [], "")
    said = re.sub(r"took [\d.]+ s", "took 0 s", found.find("Exa takes the key"))
    assert said == "ok: Exa takes the key and answers; that took 0 s and cost 0.007 US dollars."
    assert found.find("Discord takes the token").endswith(f"which is that of {synced.bot.name}.")
    assert found.find("Discord knows all commands").startswith(
        "ok: Discord knows all commands: Search the web, search, "
    )
    assert found.find("The bot is in 1 server, and its roles have").startswith("ok: ")
    (call,) = exa.requests
    assert b'"numResults":1,' in call.body
    assert synced.token not in found.shown
    assert {request.path for request in synced.requests} == {
        "/users/@me",
        "/oauth2/applications/@me",
        f"/applications/{synced.application_id}/commands",
        "/users/@me/guilds",
    }


@pytest.mark.parametrize("live", [True, False])
async def test_a_token_in_quotes(doctor: Doctor, discord_: LoopbackDiscord, live: bool) -> None:  # noqa: FBT001 - a case
    """DOC-17: it's told in the bot's own sentence, which Discord needn't be asked for."""
    found = await doctor(live=live, DISCORD_TOKEN=f"'{discord_.token}'")
    assert found.code == 3
    assert found.find("The bot's token has quotes around it").startswith("wrong: ")
    assert "copy a new one" not in found.shown
    assert discord_.requests == []


async def test_a_token_that_cant_be_read(doctor: Doctor, settings: dict[str, object]) -> None:
    """DOC-17: a file that can't be used may hold a token, so that nobody is told that there's none."""
    settings.update({"discord-token": "Q9x4Zt7Kp2Vw8Lm3Rf6", "web-results": 99})
    found = await doctor(live=True)
    assert found.find("Discord: whether there's a token can't be known").startswith("skipped: ")
    assert "there's no token" not in found.shown


async def test_each_fallback_is_asked(
    doctor: Doctor, synced: LoopbackDiscord, settings: dict[str, object], exa: LoopbackExa
) -> None:
    """RES-19: each in its turn, and one that's wrong is said beside one that's right; without --live none is asked."""
    async with LoopbackTavily() as tavily:
        settings |= {"web-fallbacks": ["tavily"], "tavily-api-key": tavily.key, "tavily-base-url": tavily.url}
        found = await doctor(live=True, DISCORD_TOKEN=synced.token)
        assert (found.code, found.marks()) == (0, [])
        assert found.find("Tavily takes the key and answers").startswith("ok: ")
        exa.fail(always=faults.error(401, "INVALID_API_KEY"))
        found = await doctor(live=True, DISCORD_TOKEN=synced.token)
        assert found.marks() == ["wrong"]
        assert found.find("Exa doesn't accept the key").startswith("wrong: ")
        assert found.find("Tavily takes the key and answers").startswith("ok: ")
        await doctor()
        assert (len(exa.requests), len(tavily.requests)) == (2, 2)


@pytest.mark.parametrize(
    ("fault", "said", "advice"),
    [
        (faults.error(401, "INVALID_API_KEY", "Invalid API key"), "Exa doesn't accept the key.", "Copy the key anew"),
        (faults.error(402, "NO_MORE_CREDITS", "No more credits"), "The credit at Exa is used up.", "Buy credit there"),
        (faults.error(404, "NOT_FOUND", "Cannot POST"), "Exa isn't at the address", "Correct that address"),
    ],
)
async def test_an_engine_that_refuses(doctor: Doctor, exa: LoopbackExa, fault: Fault, said: str, advice: str) -> None:
    """DOC-02, DOC-10: asked once, its refusal is told with what to do, and the code is 3; Discord is skipped."""
    exa.fail(fault)
    found = await doctor(live=True)
    assert (found.code, len(exa.requests)) == (3, 1)
    assert found.find(said).startswith("wrong: ")
    assert advice in found.find(said)
    assert KEY not in found.shown
    assert "set the environment variable DISCORD_TOKEN" in found.find("there's no token")


async def test_an_engine_that_isnt_there(doctor: Doctor, settings: dict[str, object]) -> None:
    """DOC-03, DOC-10: without a connection that's told, and the other checks are made."""
    settings["exa-base-url"] = "http://127.0.0.1:9"
    found = await doctor(live=True)
    assert found.code == 3
    assert "Check this machine's connection" in found.find("Exa can't be reached")
    assert found.find("Languages").startswith("ok: ")


async def test_a_wrong_token(doctor: Doctor, discord_: LoopbackDiscord) -> None:
    """DOC-02, DOC-03, DOC-11: Discord's refusal is told, what needs the token is skipped, and the code is 3."""
    found = await doctor(live=True, DISCORD_TOKEN="Q9x4Zt7Kp2Vw8Lm3Rf6")  # noqa: S106 - none
    assert found.code == 3
    assert found.find("Discord doesn't know the bot's token").startswith("wrong: ")
    assert found.find("Commands and servers").startswith("skipped: ")
    assert "Q9x4Zt" not in found.shown
    assert [problem.where for problem in discord_.problems] == ["GET /users/@me"]


async def test_without_a_configuration(discord_: LoopbackDiscord, doctor: Doctor, tmp_path: Path) -> None:
    """DOC-03, DOC-11: where no file can be used, the token of the environment is looked at all the same."""
    Place.make(discord_)
    found = await doctor(live=True, DISCORD_TOKEN=discord_.token, WEBSEARCH_CONFIG=str(tmp_path / "missing.toml"))
    assert found.code == 2
    assert found.find("Discord takes the token").startswith("ok: ")
    assert found.find("Commands: the configuration can't be used.").startswith("skipped: ")
    assert found.find("The bot is in 1 server").startswith("ok: ")


async def test_commands_that_were_never_synced(doctor: Doctor, discord_: LoopbackDiscord) -> None:
    """DOC-12: they are named as wrong, with both ways to mend that."""
    Place.make(discord_)
    found = await doctor(live=True, DISCORD_TOKEN=discord_.token)
    assert found.code == 3
    assert found.find("Discord doesn't know these commands") == (
        f"wrong: Discord doesn't know these commands: Search the web, search, searches, websearch. {MEND}"
    )


async def test_commands_that_changed(doctor: Doctor, synced: LoopbackDiscord, settings: dict[str, object]) -> None:
    """DOC-12: one that is offered elsewhere since, and one of an older version, are named as warnings."""
    settings["web-user-install"] = True
    found = await doctor(live=True, DISCORD_TOKEN=synced.token)
    assert found.code == 0
    names = "Search the web, search, searches"
    assert found.find("in another form") == f"warning: Discord knows these commands in another form: {names}. {MEND}"


async def test_commands_of_others(doctor: Doctor, synced: LoopbackDiscord) -> None:
    """DOC-12: they are named, since the bundled bot would delete them, and nothing is wrong with them."""
    synced.commands.upsert(None, {"name": "play", "description": "Play a game", "type": 1})
    found = await doctor(live=True, DISCORD_TOKEN=synced.token)
    assert (found.code, found.marks()) == (0, [])
    assert found.find("other commands, too").startswith("ok: This app has other commands, too: play.")


async def test_a_menu_that_is_full(doctor: Doctor, synced: LoopbackDiscord) -> None:
    """DOC-12, MENU-08: where another bot's entries leave no room for ours, nothing is wrong with that."""
    for command in synced.commands.all():
        if command.name == "Search the web":
            synced.commands.delete(None, command.id)
    found = await doctor(live=True, DISCORD_TOKEN=synced.token)
    assert found.code == 3
    assert "these commands: Search the web. " in found.find("Discord doesn't know")
    for number in range(5):
        synced.commands.upsert(None, {"name": f"Entry {number}", "type": 3})
    found = await doctor(live=True, DISCORD_TOKEN=synced.token)
    assert (found.code, found.marks()) == (0, [])


async def test_rights_that_are_missing(doctor: Doctor, synced: LoopbackDiscord) -> None:
    """DOC-13: ten servers are named with what is missing in each, the others are counted."""
    for number in range(13):
        guild = synced.add_guild(f"Poor\u202e house {number}\x1b[31m @everyone")
        guild.everyone.permissions &= ~(Permission.EMBED_LINKS | Permission.SEND_MESSAGES)
    found = await doctor(live=True, DISCORD_TOKEN=synced.token)
    named = [said for mark, said in found.findings if said.startswith("In the server ") and mark == "warning"]
    assert len(named) == 10
    assert named[0].startswith("In the server Poor house 0")
    assert all(said.endswith("Grant that to the bot's role, in the server's settings.") for said in named)
    assert "lacks: Send Messages, Embed Links." in named[0]
    assert found.find("3 more servers") == "warning: The bot lacks permissions in 3 more servers."
    assert found.code == 0


async def test_an_administrator_may_do_all(doctor: Doctor, discord_: LoopbackDiscord) -> None:
    """DOC-13: whoever has that right lacks no other."""
    page = [{"id": "7", "name": "Castle", "permissions": str(int(Permission.ADMINISTRATOR))}]
    discord_.fail("GET", "/users/@me/guilds", status=200, body=page)  # type: ignore[arg-type] # a list is JSON, too
    found = await doctor(live=True, DISCORD_TOKEN=discord_.token)
    assert found.find("The bot is in 1 server, and its roles have").startswith("ok: ")


async def test_many_servers(doctor: Doctor, synced: LoopbackDiscord) -> None:
    """DOC-13: those that Discord lists in further answers are counted, too."""
    for number in range(250):
        synced.add_guild(f"Server {number}")
    found = await doctor(live=True, DISCORD_TOKEN=synced.token)
    assert found.find("The bot is in 251 servers, and").startswith("ok: ")


async def test_no_server(doctor: Doctor, discord_: LoopbackDiscord) -> None:
    """DOC-13: the address that invites the bot is shown in one piece."""
    found = await doctor(live=True, DISCORD_TOKEN=discord_.token)
    said = found.find("The bot is in no server.")
    url = URL(said.partition("Invite it: ")[2])
    assert said.startswith("warning: ")
    assert (url.host, url.query["client_id"]) == ("discord.com", str(discord_.application_id))
    assert url.query["scope"] == "bot applications.commands"


@pytest.mark.parametrize("path", ["/users/@me$", "/oauth2/applications/@me", "/commands$", "/users/@me/guilds"])
async def test_discord_doesnt_answer(doctor: Doctor, synced: LoopbackDiscord, path: str) -> None:
    """DOC-03, DOC-16: each answer is waited for within its deadline, and the checks that don't need it are made."""
    held = synced.hold("GET", path)
    found = await doctor(live=True, seconds=0.3, DISCORD_TOKEN=synced.token)
    held.release()
    assert found.code == 3
    assert found.find("Discord can't be reached").startswith("wrong: ")
    assert ("Discord takes the token" in found.shown) == (path in {"/commands$", "/users/@me/guilds"})
    assert ("The bot is in 1 server" in found.shown) == (path == "/commands$")
    assert ("Discord knows all commands" in found.shown) == (path == "/users/@me/guilds")


async def test_discord_cuts_the_connection(doctor: Doctor, synced: LoopbackDiscord) -> None:
    """DOC-03, DOC-15: a connection that breaks is a sentence, and the servers are looked at all the same."""
    synced.drop("GET", "/commands$", times=None)
    found = await doctor(live=True, DISCORD_TOKEN=synced.token)
    assert found.find("Discord can't be reached").startswith("wrong: ")
    assert found.find("The bot is in 1 server").startswith("ok: ")
    assert found.errors == ""


async def test_ctrl_c_while_the_engine_is_asked(doctor: Doctor, exa: LoopbackExa, tmp_path: Path) -> None:
    """DOC-16: whoever has waited enough ends it by 130, and sees what was found by then and no traceback."""
    await doctor()
    exa.hold()
    process = await start(tmp_path, "doctor", "--live", WEBSEARCH_CONFIG=str(tmp_path / "config.toml"))
    await exa.received(1)
    process.send_signal(signal.SIGINT)
    out, err = await process.communicate()
    exa.release()
    assert (process.returncode, err) == (130, b"")
    assert b"Searching is switched on." in out


@pytest.mark.parametrize(
    ("pages", "json", "said"),
    [
        (PAGES, True, "ok: SearXNG answers; that took 0 s."),
        ((), True, "ok: SearXNG answers; that took 0 s."),
        (
            PAGES,
            False,
            "wrong: SearXNG isn't set to answer in JSON. It says: “Forbidden Forbidden”. Add json to search.formats.",
        ),
    ],
    ids=["answers", "finds nothing", "has no JSON"],
)
async def test_an_engine_of_ones_own(
    doctor: Doctor, settings: dict[str, object], pages: tuple[Page, ...], *, json: bool, said: str
) -> None:
    """DOC-10: of an engine that has no key none is told, and what its owner must set there is said."""
    async with LoopbackSearxng(pages=pages, json=json) as engine:
        settings |= {"web-backend": "searxng", "searxng-url": engine.url, "exa-api-key": ""}
        found = await doctor(live=True)
    found_ = re.sub(r"took [\d.]+ s", "took 0 s", found.find("SearXNG"))
    assert found_.replace(" in its settings.yml, and restart it", "") == said
