"""Watch the logs of the whole suite: no line may hold a query or a key; share what tests of several folders need."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

import cogs.websearch  # noqa: F401 - there before each test, so that each can be given it back
import oracle
from cogs.websearch.playground.discord import Clock, LoopbackDiscord, connect
from cogs.websearch.store.sqlite import SqliteStore
from log_watch import LogWatch
from loopback_engine import LoopbackEngine
from loopback_exa import LoopbackExa
from markdown_watch import WATCH as MARKDOWN
from markdown_watch import MarkdownWatch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from store_sessions import Opener

WATCH = pytest.StashKey[LogWatch]()
CACHE = pytest.StashKey[TemporaryDirectory[str]]()
FOUND = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Start to listen to every logger, and to what the loopback engines are asked."""
    # A shell's background job ignores Ctrl-C, and what nohup runs a hang-up, and so would every process that the tests
    # start and signal.
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
    # What the tests start must not find, nor change, what whoever runs them has in their own cache.
    config.stash[CACHE] = TemporaryDirectory(prefix="websearch-tests-")
    # How long an example takes, or making one up, is the machine's business; what has a budget measures itself.
    patient = hypothesis.settings(deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
    hypothesis.settings.register_profile("patient", parent=patient)
    hypothesis.settings.load_profile("patient")
    os.environ["XDG_CACHE_HOME"] = config.stash[CACHE].name
    watch = LogWatch()
    watch.listen()
    LoopbackEngine.observers.append(watch.observe)
    config.stash[WATCH] = watch
    config.stash[FOUND] = []
    config.stash[MARKDOWN] = MarkdownWatch()
    LoopbackDiscord.observers.append(config.stash[MARKDOWN].observe)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Delete what the tests kept in their cache."""
    config.stash[CACHE].cleanup()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a suite whose logs hold what they must not (WEB-24), or whose replies hold live markup (TXT-18)."""
    leaks = session.config.stash[WATCH].leaks()
    found = [f"WEB-24: a log line holds a query or a key: {leak}" for leak in leaks]
    if oracle.is_there():
        found += [f"TXT-18: something is alive: {what}" for what in session.config.stash[MARKDOWN].alive()]
    elif os.environ.get("WEBSEARCH_CI"):
        found.append("TXT-18: no parser of Discord's Markdown is there; tests/oracle/install.sh installs it")
    told = getattr(session.config, "workeroutput", None)
    if told is not None:
        # One of several processes: the one that began them tells.
        told["found"] = found
        return
    others: list[str] = session.config.stash[FOUND]
    found += others
    for line in found[:10]:
        sys.stderr.write(f"{line}\n")
    if found:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 - its type has no stubs, and is there with xdist alone
    """Take over what another process of the suite found; one that died has failed the suite already."""
    found: list[str] = node.config.stash[FOUND]
    found.extend(getattr(node, "workeroutput", {}).get("found", ()))


@pytest.fixture(scope="module")
def parser() -> Iterator[oracle.Parser]:
    """Run the parser; where it isn't installed, leave these tests out, but for CI."""
    if not oracle.is_there():
        assert not os.environ.get("WEBSEARCH_CI"), "tests/oracle/install.sh installs the parser"
        pytest.skip("no parser of Discord's Markdown is there: tests/oracle/install.sh installs it")
    with oracle.Parser() as running:
        yield running


@pytest.fixture
async def exa() -> AsyncIterator[LoopbackExa]:
    """Run a stand-in for Exa."""
    async with LoopbackExa() as running:
        yield running


@pytest.fixture
async def discord_() -> AsyncIterator[LoopbackDiscord]:
    """Run a stand-in for Discord, and hold every body that the client sent against its document and rules."""
    async with LoopbackDiscord(Clock()) as running:
        with connect(running):
            yield running
        assert [str(problem) for problem in running.problems] == []


@pytest.fixture
async def opened() -> AsyncIterator[Opener]:
    """Return a function that opens a store, to be closed at the end of the test at the latest.

    A store's thread that outlives a failing test would keep the test run from ending.
    """
    async with AsyncExitStack() as stores:

        async def open_(path: str | Path) -> SqliteStore:
            store = await SqliteStore.open(path)
            stores.push_async_callback(store.close)
            return store

        yield open_


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Name a database that isn't there yet."""
    return tmp_path / "websearch.db"


@pytest.fixture
def near() -> Iterator[Path]:
    """Make a folder whose path is so short that nobody shortens it, whatever runs the tests."""
    with TemporaryDirectory(prefix="ws-") as folder:
        yield Path(folder)


@pytest.fixture
async def store(opened: Opener, path: Path) -> SqliteStore:
    """Open a store on that database."""
    return await opened(path)


@pytest.fixture(autouse=True)
def own_modules() -> Iterator[None]:
    """Give the modules back that loading an extension replaces or takes away: other tests hold on to their classes."""
    name = "cogs.websearch"
    before = {key: module for key, module in sys.modules.items() if key.startswith(name)}
    yield
    if sys.modules.get(name) is not before[name]:
        for key in [key for key in sys.modules if key.startswith(name)]:
            del sys.modules[key]
    sys.modules.update(before)
    sys.modules["cogs"].websearch = before[name]  # type: ignore[attr-defined] # the package is an attribute too
