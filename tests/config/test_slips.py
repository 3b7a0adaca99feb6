"""Hold that keys which nobody reads, though they were probably meant to be, are told."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import slips
from cogs.websearch.config import Config
from cogs.websearch.config_source import ConfigCall, ConfigFile, ConfigValue, source_of
from cogs.websearch.errors import UnknownKey
from cogs.websearch.i18n import Words
from cogs.websearch.reload import Reloader
from cogs.websearch.slips import Slip
from cogs.websearch.wording import explain
from ticks import Ticks

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from cogs.websearch.config_source import Source

OUTSIDE: Final = "stands outside of [websearch], where it isn't read. Move it below [websearch]."


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ({"enable-websearch": True}, Slip("enable-websearch", "enable-web-search")),
        ({"enable_web_search": True}, Slip("enable_web_search", "enable-web-search")),
        ({"Enable-Web-Search": True}, Slip("Enable-Web-Search", "enable-web-search")),
        ({"websearch": {}, "enable-web-search": True}, Slip("enable-web-search", "enable-web-search")),
        ({"websearch": {}, "web-resuts": 3}, Slip("web-resuts", "web-results")),
        ({"WebSearch": {}}, Slip("[WebSearch]", "[websearch]")),
        ({"web_search": {"web-results": 3}}, Slip("[web_search]", "[websearch]")),
        ({"websaerch": {}}, Slip("[websaerch]", "[websearch]")),
        ({"websearch": {}, "web-search": {}}, Slip("[web-search]", "[websearch]")),
    ],
)
def test_what_was_meant_is_named(mapping: Mapping[str, object], expected: Slip) -> None:
    """CFG-17: a key or table that's nearly one of ours, and a key of ours beside the table, is found."""
    assert slips.find({"prefix": "!", "owner": 5, **mapping}) == (expected,)


@pytest.mark.parametrize(
    "mapping",
    [
        {},
        {"enable-web-search": False},
        {"websearch": {"enable-web-search": True}},
        {"token": "…", "database": {}, "search": {}, "web": {}, "webserver": {"port": 80}, "timezone": "UTC"},
        {"websearch": {"enable-web-search": True}, "logging": {"enable": True}},
        {3: 4, None: {}, "webresearch": 3},
    ],
)
def test_what_is_a_hosts_own_is_left_alone(mapping: Mapping[str, object]) -> None:
    """CFG-02: keys and tables of other parts of a bot aren't taken for slips."""
    assert slips.find(mapping) == ()


def test_a_hosts_own_token_is_left_alone() -> None:
    """CFG-17: the bundled bot alone has its token there; at most five slips are told."""
    mapping = {"websearch": {}, "discord-token": "…"}
    assert (slips.find(mapping), slips.find(mapping, bundled=False)) == ((Slip("discord-token", "discord-token"),), ())
    many = {"websearch": {}, **dict.fromkeys(("web-results", "web-backend", "exa-api-key", "exa-base-url"), 1)}
    assert len(slips.find({**many, "web-timezone": 1, "web-per-minute": 1})) == 5


@given(st.dictionaries(st.text() | st.integers(), st.none() | st.text() | st.dictionaries(st.text(), st.integers())))
@settings(max_examples=100)
def test_any_mapping_is_searched(mapping: dict[str | int, object]) -> None:
    """CFG-10: whatever keys there are, looking for slips ends, and no control character is shown."""
    assert all(slip.name.isprintable() and len(slip.name) < 100 for slip in slips.find(mapping))


@pytest.mark.parametrize("header", ["web-search", "web-Search", "web-searsh"])
def test_a_table_of_another_name_is_an_error(header: str) -> None:
    """CFG-03: where a table's name starts as our keys do, the error names the table, and no key."""
    with pytest.raises(UnknownKey) as caught:
        Config.from_mapping({header: {"enable-web-search": True}}, env={}, path="bot.toml")
    said = explain(caught.value, Words())
    assert said == f"bot.toml has an unknown key [{header}]: write [websearch], or take it out."


def followed(source: Source) -> Reloader:
    """Follow a source that was read."""

    async def take(_config: Config) -> None:
        return

    return Reloader(source, source.first(), take, sleep=Ticks().sleep)


def logged(caplog: pytest.LogCaptureFixture) -> list[str]:
    """List the warnings by now."""
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


@pytest.mark.parametrize("given_", [ConfigValue, ConfigCall], ids=["mapping", "function"])
async def test_a_misspelt_switch_is_logged(given_: type, caplog: pytest.LogCaptureFixture) -> None:
    """CFG-17: whoever hands a mapping over reads in the log that searching is off, and by which key, once."""
    mapping = {"enable_web_search": True, "exa_api_key": "J5hY1nBs0Gc4Ue8Dq7T"}
    reloader = followed(source_of(mapping if given_ is ConfigValue else lambda: mapping))
    reloader.start()
    await reloader.close()
    (said,) = logged(caplog)
    assert said == (
        "web search is switched off: "
        "The configuration: enable_web_search isn't read by the web search. If it's meant for that, write "
        "enable-web-search. "
        "The configuration: exa_api_key isn't read by the web search. If it's meant for that, write exa-api-key."
    )


async def test_keys_beside_a_table_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """CFG-17: of a file, the path is told; a searching bot's log says it, too; and where all is read, nothing."""
    path = tmp_path / "c.toml"
    path.write_text("enable-web-search = true\n[websearch]\n", "utf-8")
    reloader = followed(ConfigFile(path, {}))
    reloader.start()
    assert reloader.unread == (Slip("enable-web-search", "enable-web-search"),)
    await reloader.close()
    (said,) = logged(caplog)
    assert said.startswith("web search is switched off: ")
    assert said.endswith(f"/c.toml: enable-web-search {OUTSIDE}")
    caplog.clear()
    path.write_text('web-results = 3\n[websearch]\nenable-web-search = true\nweb-backend = "local"\n', "utf-8")
    reloader = followed(ConfigFile(path, {}))
    reloader.start()
    await reloader.close()
    (said,) = logged(caplog)
    assert said.startswith("some keys of the configuration aren't read: ")
    caplog.clear()
    path.write_text("[websearch]\n[log]\nfile = 3\n", "utf-8")
    reloader = followed(ConfigFile(path, {}))
    reloader.start()
    await reloader.close()
    assert logged(caplog) == []


async def test_a_change_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """CFG-17: what a later change leaves unread is logged when it's read, and not again while it's the same."""
    path, ticks = tmp_path / "config.toml", Ticks()
    path.write_text("[websearch]\nenable-web-search = false\n", "utf-8")

    async def take(_config: Config) -> None:
        return

    source = ConfigFile(path, {})
    reloader = Reloader(source, source.first(), take, sleep=ticks.sleep)
    reloader.start()
    await ticks.seconds(3)
    assert logged(caplog) == []
    for results in (3, 4):
        path.write_text(f"enable-web-search = true\n[websearch]\nweb-results = {results}\n", "utf-8")
        await ticks.seconds(4)
        assert reloader.unread == (Slip("enable-web-search", "enable-web-search"),)
    assert len(logged(caplog)) == 1
    path.write_text("[websearch]\nweb-results = 5\n", "utf-8")
    await ticks.seconds(4)
    assert reloader.unread == ()
    await asyncio.wait_for(reloader.close(), 10)
