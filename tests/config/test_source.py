"""Hold what is noticed of a configuration that changes where it comes from."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import permissions
from cogs.websearch import config as config_module
from cogs.websearch import errors, tomlfile
from cogs.websearch.config import Config
from cogs.websearch.config_source import ConfigCall, ConfigFile, ConfigValue, source_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Write a configuration."""
    file = tmp_path / "config.toml"
    file.write_text("web-results = 3\n", "utf-8")
    return file


async def opened(path: Path) -> ConfigFile:
    """Read a file for the first time, and look until it's known."""
    source = ConfigFile(path, {})
    source.first()
    await source.look()
    assert await source.look() is None
    return source


def in_place(path: Path, content: bytes) -> None:
    """Write over what's there."""
    path.write_bytes(content)


def by_rename(path: Path, content: bytes) -> None:
    """Put another file in its place, as most editors do."""
    other = path.with_suffix(".new")
    other.write_bytes(content)
    other.replace(path)


def in_place_of(pipe: Path, content: bytes) -> None:
    """Put a file where a pipe was."""
    pipe.unlink()
    pipe.write_bytes(content)


def unnoticeably(path: Path, content: bytes) -> None:
    """Write over what's there, and set the time back."""
    before = path.stat()
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("change", [in_place, by_rename, unnoticeably])
async def test_a_change_is_noticed(path: Path, change: Callable[[Path, bytes], None]) -> None:
    """REL-02: it's read at the second look, and then there's nothing new any more."""
    source = await opened(path)
    change(path, b"web-results = 4\n")
    assert await source.look() is None
    found = await source.look()
    assert found is not None
    assert found.web_results == 4
    assert await source.look() is None


@pytest.mark.parametrize("content", [b"web-results = 4\r\n", b"\xef\xbb\xbfweb-results = 4\n"])
async def test_other_editors_are_understood(path: Path, content: bytes) -> None:
    """REL-02: line ends of Windows and a byte order mark change nothing."""
    source = await opened(path)
    in_place(path, content)
    await source.look()
    found = await source.look()
    assert found is not None
    assert found.web_results == 4


async def test_a_link_that_is_switched_is_noticed(tmp_path: Path) -> None:
    """REL-02: a folder of settings that an orchestrator swaps by one link, with the file's own link untouched."""
    for name, results in (("first", 3), ("second", 4)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.toml").write_text(f"web-results = {results}\n", "utf-8")
    (tmp_path / "..data").symlink_to("first")
    (tmp_path / "config.toml").symlink_to("..data/config.toml")
    source = await opened(tmp_path / "config.toml")
    (tmp_path / "..new").symlink_to("second")
    (tmp_path / "..new").replace(tmp_path / "..data")
    await source.look()
    found = await source.look()
    assert found is not None
    assert found.web_results == 4
    assert found.web_database == str(tmp_path / "websearch.db")


async def test_half_a_file_is_not_read(path: Path) -> None:
    """REL-03: what is still being written waits until it's whole."""
    source = await opened(path)
    in_place(path, b"")
    assert await source.look() is None
    in_place(path, b"web-res")
    assert await source.look() is None
    in_place(path, b"web-results = 4\n")
    assert await source.look() is None
    found = await source.look()
    assert found is not None
    assert found.web_results == 4


async def test_a_moment_without_a_file_is_nothing(path: Path) -> None:
    """REL-03: an editor that deletes before it writes isn't told of."""
    source = await opened(path)
    path.unlink()
    assert await source.look() is None
    in_place(path, b"web-results = 4\n")
    assert await source.look() is None
    assert await source.look() is not None


async def test_a_file_that_comes_back_is_read(path: Path) -> None:
    """REL-03, REL-05: gone for longer it's missing, and the same file moved back is good again."""
    source = await opened(path)
    path.rename(path.with_suffix(".away"))
    await source.look()
    with pytest.raises(errors.ConfigMissing):
        await source.look()
    assert await source.look() is None
    path.with_suffix(".away").rename(path)
    await source.look()
    assert await source.look() is not None


async def test_a_right_to_read_is_noticed(path: Path) -> None:
    """REL-02: a file that the bot may not read, and then may, is read without another change."""
    source = await opened(path)
    path.chmod(0)
    with permissions.enforced():
        # A thread that's started here has no more rights than this one.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        await source.look()
        with pytest.raises(errors.ConfigUnreadable):
            await source.look()
        path.chmod(0o600)
        await source.look()
        assert await source.look() is not None


async def test_a_restless_file_is_read(path: Path) -> None:
    """REL-03: a file that differs at each look takes effect all the same, only later."""
    source = await opened(path)
    found = []
    for number in range(12):
        in_place(path, b"web-results = 4\n" + b"#" * number)
        found.append(await source.look())
    assert [one is not None for one in found] == [False] * 5 + [True] + [False] * 5 + [True]


async def test_it_is_read_again_when_asked(path: Path) -> None:
    """REL-05: unchanged, a file is read where its reader wants to know whether it can be used by now."""
    source = await opened(path)
    assert await source.look(again=True) == config_module.load(path, {})
    assert await source.look() is None


async def test_a_first_look_reads_what_came_amid_the_first_reading(path: Path) -> None:
    """REL-02: also a change within the file system's shortest time is found, since the first look reads anyway."""
    source = ConfigFile(path, {})
    source.first()
    assert await source.look() == config_module.load(path, {})
    assert await source.look() is None


async def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """REL-04: what can be read but once is never looked at again, which would wait for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("web-results = 4\n", "utf-8"))
    writer.start()
    source = ConfigFile(pipe, {})
    assert source.first().web_results == 4
    writer.join()
    assert [await source.look(), await source.look(), await source.look(again=True)] == [None] * 3
    in_place_of(pipe, b"web-results = 5\n")
    await source.look()
    found = await source.look()
    assert found is not None
    assert found.web_results == 5


@pytest.mark.parametrize("known", [False, True])
async def test_a_file_that_becomes_a_pipe_is_told_and_never_opened(path: Path, *, known: bool) -> None:
    """REL-18: what had been a file and is none is a problem, told again when asked for, until a file is back."""
    source = ConfigFile(path, {})
    source.first()
    if known:
        await source.look()
    path.unlink()
    # Whoever opened it would wait for ever, for nobody writes.
    os.mkfifo(path)
    assert await source.look() is None
    with pytest.raises(errors.ConfigUnreadable) as caught:
        await source.look()
    assert caught.value.reason == "no-file"
    assert await source.look() is None
    with pytest.raises(errors.ConfigUnreadable):
        await source.look(again=True)
    in_place_of(path, b"web-results = 3\n")
    await source.look()
    assert await source.look() is not None


@pytest.mark.parametrize("emptied", [b"", b"# web-results = 3\n", b"[websearch]\n", b"prefix = '!'\n"])
async def test_a_file_that_lost_its_keys_is_broken(path: Path, emptied: bytes) -> None:
    """REL-18: an editor on a full disk switches nothing off; a key of ours ends it, also one that says the default."""
    source = await opened(path)
    in_place(path, emptied)
    await source.look()
    with pytest.raises(errors.ConfigUnreadable) as caught:
        await source.look()
    assert caught.value.reason == "no-keys"
    with pytest.raises(errors.ConfigUnreadable):
        await source.look(again=True)
    in_place(path, b"enable-web-search = false\n")
    await source.look()
    assert await source.look() == Config.from_mapping({}, env={}, path=str(path))
    in_place(path, emptied)
    await source.look()
    with pytest.raises(errors.ConfigUnreadable):
        await source.look()


async def test_a_file_that_had_no_keys_needs_none(path: Path) -> None:
    """REL-18: a host's own file without our keys, read at the start, is a configuration."""
    in_place(path, b"prefix = '!'\n")
    source = await opened(path)
    in_place(path, b"prefix = '?'\n")
    await source.look()
    assert await source.look() == Config.from_mapping({}, env={}, path=str(path))


async def test_the_working_directory_may_change(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """REL-02: a relative path means the file that it meant at first."""
    monkeypatch.chdir(path.parent)
    source = await opened(Path("config.toml"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    in_place(path, b"web-results = 4\n")
    await source.look()
    found = await source.look()
    assert found is not None
    assert found.web_results == 4


async def test_it_is_looked_at_in_a_thread(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """REL-04: neither the look nor the reading holds the event loop up."""
    source = await opened(path)
    threads: list[int] = []
    parse, stat = tomlfile.parse, Path.stat

    def seen_parse(file: Path) -> dict[str, Any]:
        threads.append(threading.get_ident())
        return parse(file)

    def seen_stat(self: Path, **options: bool) -> os.stat_result:
        if self.name == "config.toml":
            threads.append(threading.get_ident())
        return stat(self, **options)

    monkeypatch.setattr(tomlfile, "parse", seen_parse)
    monkeypatch.setattr(Path, "stat", seen_stat)
    in_place(path, b"web-results = 4\n")
    await source.look()
    assert await source.look() is not None
    assert len(threads) == 3
    assert threading.get_ident() not in threads


CONTENTS = st.sampled_from(
    [b"", b"web-results = 4\n", b"web-results = 99\n", b"web-res", b"\xff", b"web-per-minute = 7"]
)
CHANGES = st.tuples(st.sampled_from([in_place, by_rename]), CONTENTS) | st.sampled_from(["look", "delete"])


@settings(max_examples=40, deadline=None)
@given(changes=st.lists(CHANGES, max_size=8))
def test_whatever_happened_the_last_state_is_found(changes: list[Any]) -> None:
    """REL-02, REL-03, REL-05: after any changes and looks, what was found last is what the file holds."""

    def outcome(call: Callable[[], Config | None]) -> object:
        try:
            return call()
        except errors.ConfigError as error:
            return type(error)

    with TemporaryDirectory() as folder, asyncio.Runner() as runner:
        path = Path(folder) / "config.toml"
        path.write_bytes(b"web-results = 3\n")
        source = ConfigFile(path, {})
        last: object = source.first()
        for change in [*changes, "look", "look"]:
            if change == "look":
                last = outcome(lambda: runner.run(source.look())) or last
            elif change == "delete":
                path.unlink(missing_ok=True)
            else:
                change[0](path, change[1])
        # Emptied, it's broken: it had keys at first, and whatever is read later without any is never taken.
        emptied = path.exists() and not path.read_bytes()
        assert last == (errors.ConfigUnreadable if emptied else outcome(lambda: config_module.load(path, {})))


async def test_a_function_is_asked_at_each_look() -> None:
    """REL-12: one call a look, also where the host changes the mapping that it returned before."""
    given: dict[str, object] = {"web-results": 3, "web-block-sites": ["example.com"], "prefix": "!"}
    calls = []

    def call() -> Mapping[str, object]:
        calls.append(1)
        return given

    source = ConfigCall(call)
    assert source.first().web_results == 3
    assert await source.look() is None
    given["prefix"] = "?"
    assert await source.look() is None
    given["web-results"] = 4
    found = await source.look()
    assert found is not None
    assert found.web_results == 4
    sites = given["web-block-sites"]
    assert isinstance(sites, list)
    sites.append("example.org")
    found = await source.look()
    assert found is not None
    assert found.web_block_sites == ("example.com", "example.org")
    assert len(calls) == 5


async def test_what_is_equal_but_of_another_type_is_checked() -> None:
    """REL-12: true equals 1 to Python, not to the configuration."""
    given: dict[str, object] = {"web-results": 1}
    source = ConfigCall(lambda: given)
    source.first()
    given["web-results"] = True
    with pytest.raises(errors.InvalidValue):
        await source.look()
    assert await source.look() is None
    with pytest.raises(errors.InvalidValue):
        await source.look(again=True)


async def test_what_a_function_raises_is_named_by_its_kind() -> None:
    """REL-12: the text of what it raises may hold anything, so it's left out; the same mapping is news afterwards."""
    raised: list[Exception] = []

    def call() -> Mapping[str, object]:
        if raised:
            raise raised[0]
        return {"web-results": 3}

    source = ConfigCall(call)
    first = source.first()
    raised.append(LookupError("a-secret"))
    with pytest.raises(errors.ConfigNotGiven) as caught:
        await source.look()
    assert caught.value.reason == "LookupError"
    assert "a-secret" not in str(caught.value)
    raised.clear()
    assert await source.look() == first


async def test_an_asynchronous_function_is_refused() -> None:
    """REL-12: nobody awaits what it returns, and Python doesn't warn of that."""

    async def call() -> Mapping[str, object]:
        return {}

    for function in (call, asyncio.get_running_loop().create_future):
        with pytest.raises(errors.ConfigNotGiven) as caught:
            source_of(function).first()  # type: ignore[arg-type] # a host without type checks
        assert caught.value.reason == "awaitable"


async def test_a_function_may_return_a_checked_configuration() -> None:
    """REL-12: a host may read a file of its own by `load`."""
    source = ConfigCall(lambda: Config(web_results=4))
    assert source.first().web_results == 4
    assert await source.look() == Config(web_results=4)


class Odd(dict[str, object]):
    """Be a mapping of a host that fails when it's read."""

    def __getitem__(self, _key: str) -> object:
        """Fail."""
        raise ZeroDivisionError


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just(object()),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["websearch", "web-results", "web-timezone", "web-x", "x"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(values=st.lists(VALUES | st.just(Odd({"web-results": 3})), min_size=1, max_size=3))
def test_any_value_of_a_function_is_a_configuration_or_an_error(values: list[Any]) -> None:
    """REL-12: whatever a function returns, one look after the other, nothing but a `ConfigError` is raised."""
    source = ConfigCall(lambda: values[0])
    with asyncio.Runner() as runner:
        while values:
            try:
                found = runner.run(source.look())
            except errors.ConfigError:
                found = None
            assert found is None or isinstance(found, Config)
            values.pop(0)


async def test_a_mapping_is_copied() -> None:
    """REL-13: what the host does to its mapping later reaches nobody."""
    sites = ["example.com"]
    given: dict[str, object] = {"web-results": 3, "web-block-sites": sites}
    source = source_of(given)
    assert isinstance(source, ConfigValue)
    given["web-results"] = 4
    sites.append("example.org")
    assert (source.first().web_results, source.first().web_block_sites) == (3, ("example.com",))
    assert await source.look() is None
    assert await source.look(again=True) == source.first()
    assert source.fixed
