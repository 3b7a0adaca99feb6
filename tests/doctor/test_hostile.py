"""Hold that the doctor shows nothing that it must not, whatever it meets."""

from __future__ import annotations

import asyncio
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from aiohttp import web
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import doctor
from cogs.websearch.config import KEYS
from cogs.websearch.i18n import Words
from cogs.websearch.playground.discord import connect

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY = "J5hY1nBs0Gc4Ue8Dq7T"
TOKEN = "Q9x4Zt7Kp2Vw8Lm3Rf6"  # noqa: S105 - nobody's
CHAT_KEY = "W3k7Bz5Xd9Ng2Qy6Th8"
# As long a part of a secret as gives it away.
PART = 6

TROUBLE = st.sampled_from(
    [
        KEY,
        TOKEN,
        CHAT_KEY,
        f"<b>{TOKEN}</b>",
        "\x1b]0;gone\x07",
        "\u202e",
        "\x00",
        "\ud800",
        "<@1>",
        "\r\n",
        "Traceback",
        "💥" * 50,
    ]
)
TEXT = st.lists(TROUBLE | st.text(max_size=5), max_size=4).map("".join)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
SNOWFLAKE = st.integers(min_value=0, max_value=2**64).map(str)
USER = st.fixed_dictionaries({"id": SNOWFLAKE | VALUE, "username": TEXT, "discriminator": TEXT, "avatar": TEXT})
APPLICATION = st.fixed_dictionaries({"id": SNOWFLAKE | VALUE, "name": TEXT, "bot": USER})
NAMED = st.fixed_dictionaries({"id": SNOWFLAKE | VALUE, "name": TEXT | VALUE, "permissions": SNOWFLAKE | VALUE})
COMMAND = st.fixed_dictionaries(
    {"name": TEXT | VALUE | st.sampled_from(["search", "websearch"]), "type": st.just(1) | VALUE, "options": VALUE}
)
ROW = st.fixed_dictionaries({"url": st.just("https://example.com") | TEXT, "title": TEXT, "text": TEXT})
SAID = st.fixed_dictionaries({"message": st.fixed_dictionaries({"content": TEXT | VALUE})})
COMPLETION = st.fixed_dictionaries(
    {"choices": st.lists(SAID, min_size=1, max_size=1), "usage": VALUE}
) | st.fixed_dictionaries({"error": st.fixed_dictionaries({"message": TEXT | VALUE, "code": VALUE})})
PAGE = st.fixed_dictionaries({"results": st.lists(ROW, max_size=2), "costDollars": VALUE})


def answer(shape: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[int, str]]:
    """Make answers of a shape, of any other, or of none; those that discord.py would wait to ask for again left out."""
    body = (shape | VALUE).map(json.dumps) | TEXT.map(lambda text: text.encode("utf-8", "replace").decode())
    return st.tuples(st.sampled_from([200, 200, 200, 201, 204, 301, 400, 401, 403, 404]), body)


ANSWERS = st.fixed_dictionaries(
    {
        "/users/@me": answer(USER),
        "/oauth2/applications/@me": answer(APPLICATION),
        "/commands": answer(st.lists(COMMAND, max_size=3)),
        "/users/@me/guilds": answer(st.lists(NAMED, max_size=15)),
        "/search": answer(PAGE),
        "/chat/completions": answer(COMPLETION),
    }
)


# What discord.py needs to take a bot for logged in, but for its name.
ME = {"id": "5", "discriminator": "0", "avatar": None, "global_name": None, "bot": True}
APP = {
    "id": "6",
    "name": "app",
    "description": "",
    "icon": None,
    "bot_public": True,
    "bot_require_code_grant": False,
    "verify_key": "0",
    "flags": 0,
    "owner": ME | {"username": "owner"},
}
KNOWN = st.fixed_dictionaries(
    {
        "/users/@me": TEXT.map(lambda name: (200, json.dumps(ME | {"username": name}))),
        "/oauth2/applications/@me": st.just((200, json.dumps(APP))),
        "/commands": answer(st.lists(COMMAND, max_size=3))
        | st.lists(COMMAND).map(lambda body: (200, json.dumps(body))),
        "/users/@me/guilds": st.lists(NAMED, max_size=15).map(lambda body: (200, json.dumps(body))),
        "/search": answer(PAGE),
        "/chat/completions": answer(COMPLETION),
    }
)


@dataclass
class Liar:
    """Be an address of Discord, and of an engine, whose answers are given."""

    api_url: str
    gateway_url: str = "ws://127.0.0.1:9"


async def ask(answers: Mapping[str, tuple[int, str]], config: Path) -> int:
    """Call the doctor on a Discord and an engine that answer so."""

    async def handle(request: web.Request) -> web.Response:
        path = next(path for path in sorted(answers, key=len, reverse=True) if request.path.endswith(path))
        status, body = answers[path]
        # discord.py takes an answer for JSON only by exactly this type.
        return web.Response(status=status, body=body.encode(), headers={"Content-Type": "application/json"})

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        settings_ = {
            "enable-web-search": "true",
            "exa-base-url": repr(url),
            "web-timeout-s": "5",
            "web-answer-backend": "'chat'",
            "chat-base-url": repr(url),
            "chat-model": "'a-model'",
        }
        config.write_text("".join(f"{name} = {value}\n" for name, value in settings_.items()), "utf-8")
        env = {"WEBSEARCH_CONFIG": str(config), "EXA_API_KEY": KEY, "DISCORD_TOKEN": TOKEN}
        env["WEBSEARCH_CHAT_API_KEY"] = CHAT_KEY
        with connect(Liar(url)):
            return await asyncio.to_thread(doctor.run, Words(), live=True, env=env, seconds=2.0)
    finally:
        await runner.cleanup()


def check(code: int, out: str, err: str) -> None:
    """Assert what holds for whatever is shown."""
    assert code in {0, 2, 3}
    assert not err
    assert all(sign.isprintable() or sign == "\n" for sign in out)
    assert 'File "' not in out
    assert "A check itself failed" not in out
    for secret in (KEY, TOKEN, CHAT_KEY):
        assert not any(secret[start : start + PART].lower() in out.lower() for start in range(len(secret) - PART + 1))


@given(answers=ANSWERS | KNOWN)
@settings(max_examples=80, deadline=None)
def test_hostile_answers(answers: dict[str, tuple[int, str]]) -> None:
    """DOC-15, DOC-16: whatever engine and Discord answer, also with the secrets in it, is told in plain sentences."""
    with TemporaryDirectory() as folder, redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = asyncio.run(ask(answers, Path(folder) / "config.toml"))
    check(code, out.getvalue(), err.getvalue())


SETTING = st.sampled_from(sorted(KEYS)) | TEXT.map(lambda text: text.encode("utf-8", "replace").decode())
LINE = st.builds(
    lambda name, value: f"{json.dumps(name)} = {json.dumps(value)}",
    SETTING,
    st.booleans() | st.integers(-5, 5) | st.sampled_from(["local", "exa", "UTC", "on", KEY, TOKEN]),
)


@given(
    lines=st.lists(LINE, max_size=6),
    table=st.sampled_from(["", "[websearch]", "websearch = 5", "[[websearch]]"]),
    tail=st.binary(max_size=3),
)
@settings(max_examples=60, deadline=None)
def test_hostile_configurations(lines: list[str], table: str, tail: bytes) -> None:
    """DOC-15: whatever stands in the file, a secret at a wrong key too, is told in plain sentences."""
    with TemporaryDirectory() as folder, redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()):
        path = Path(folder) / "config.toml"
        path.write_bytes("\n".join([*lines[:2], table, *lines[2:]]).encode() + b"\n" + tail)
        env = {"WEBSEARCH_CONFIG": str(path), "EXA_API_KEY": KEY, "DISCORD_TOKEN": TOKEN}
        code = doctor.run(Words(), live=False, env=env)
    check(code, out.getvalue(), "")
