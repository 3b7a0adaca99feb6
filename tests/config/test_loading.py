"""Hold where the configuration file is looked for, and what is said of one that can't be read."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import permissions
from cogs.websearch import tomlfile
from cogs.websearch.config import Config, load, load_switched_off
from cogs.websearch.errors import ConfigError, ConfigMissing, ConfigSyntax, ConfigUnreadable, InvalidValue
from cogs.websearch.i18n import Words
from cogs.websearch.wording import explain

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """Return a function that writes a configuration file."""

    def write(content: str | bytes) -> Path:
        path = tmp_path / "bot.toml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_the_file_that_is_passed_is_read(write: Callable[[str], Path]) -> None:
    """CFG-08: a path that is passed wins over the environment's."""
    assert load(write("web-results = 3"), {"WEBSEARCH_CONFIG": "/nowhere.toml"}).web_results == 3


def test_the_file_that_the_environment_names_is_read(write: Callable[[str], Path]) -> None:
    """CFG-08: without a path the variable's file is read."""
    assert load(env={"WEBSEARCH_CONFIG": str(write("[websearch]\nweb-results = 4"))}).web_results == 4


def test_the_file_in_the_working_directory_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CFG-08: without either it's `config.toml` in the working directory; an empty variable counts as none."""
    monkeypatch.chdir(tmp_path)
    Path("config.toml").write_text("web-results = 2\n", "utf-8")
    assert load(env={}).web_results == 2
    assert load(env={"WEBSEARCH_CONFIG": ""}).web_results == 2


def test_relative_paths_start_at_the_file(write: Callable[[str], Path], tmp_path: Path) -> None:
    """CFG-08: database and documents are found from wherever the bot is started."""
    (tmp_path / "docs").mkdir()
    config = load(write('web-database = "data.db"\nlocal-documents = "docs"'), {})
    assert config.web_database == str(tmp_path / "data.db")
    assert config.local_documents == tmp_path / "docs"


def test_the_default_database_lies_beside_the_file(write: Callable[[str], Path], tmp_path: Path) -> None:
    """CFG-08: also the path of a key that's left out starts at the file."""
    assert load(write(""), {}).web_database == str(tmp_path / "websearch.db")


def test_relative_paths_survive_a_change_of_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CFG-08: also the folder of a relative path to the file is fixed when it's read."""
    monkeypatch.chdir(tmp_path)
    Path("config.toml").write_text('web-database = "data.db"\n', "utf-8")
    config = load(Path("config.toml"), {})
    assert config.web_database == str(tmp_path / "data.db")


def test_a_tilde_is_the_home(write: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CFG-08: a path may start at the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load(write('web-database = "~/data.db"'), {}).web_database == str(tmp_path / "data.db")


@pytest.mark.parametrize("name", ["missing.toml", "missing/config.toml", "bot.toml/config.toml", "a\0b"])
def test_a_missing_file_is_named(write: Callable[[str], Path], name: str) -> None:
    """CFG-09: where there's no file, the error names its path."""
    path = write("").parent / name
    with pytest.raises(ConfigMissing):
        load(path, {})


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """CFG-09: a folder can't be read, and the error says why in the system's words."""
    with pytest.raises(ConfigUnreadable) as caught:
        load(tmp_path, {})
    assert caught.value.reason == os.strerror(errno.EISDIR)
    assert str(tmp_path.name) in explain(caught.value, Words())


def test_a_file_without_permission_is_unreadable(write: Callable[[str], Path]) -> None:
    """CFG-09: a file that the bot may not read is named, with the system's reason."""
    path = write("")
    path.chmod(0)
    with permissions.enforced(), pytest.raises(ConfigUnreadable) as caught:
        load(path, {})
    assert caught.value.reason == os.strerror(errno.EACCES)


def test_another_encoding_is_unreadable(write: Callable[[bytes], Path]) -> None:
    """CFG-09: a file that isn't UTF-8 is refused; one with a byte order mark is read."""
    with pytest.raises(ConfigUnreadable) as caught:
        load(write("# größer".encode("latin-1")), {})
    assert caught.value.reason == "not-utf-8"
    assert load(write(b"\xef\xbb\xbfweb-results = 3"), {}).web_results == 3


def test_a_file_without_end_is_unreadable() -> None:
    """CFG-09: no more is read than a configuration can have."""
    with pytest.raises(ConfigUnreadable) as caught:
        load(Path("/dev/zero"), {})
    assert caught.value.reason == "too-large"


def test_a_pipe_that_says_nothing_is_unreadable(tmp_path: Path) -> None:
    """CFG-23: a pipe that nobody writes into, or that nobody closes, is waited for no longer than said."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ConfigUnreadable) as caught:
        tomlfile.parse(pipe, seconds=0.01)
    assert caught.value.reason == "silent"
    writer = os.open(pipe, os.O_RDWR)
    try:
        os.write(writer, b"web-results = 3\n")
        with pytest.raises(ConfigUnreadable):
            tomlfile.parse(pipe, seconds=0.01)
    finally:
        os.close(writer)


def test_what_comes_through_a_pipe_in_pieces_is_read(tmp_path: Path) -> None:
    """CFG-23: whoever writes a configuration into a pipe may open it late, and write it bit by bit."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with pipe.open("wb", buffering=0) as stream:
            for piece in (b"web-", b"results", b" = 3\n" + b"# much more\n" * 20_000):
                stream.write(piece)

    writer = threading.Thread(target=write)
    writer.start()
    assert tomlfile.parse(pipe) == {"web-results": 3}
    writer.join()


def test_broken_toml_names_the_line(write: Callable[[str], Path]) -> None:
    """CFG-09: an error of syntax names line and column."""
    with pytest.raises(ConfigSyntax) as caught:
        load(write("[websearch]\nweb-results = five\n"), {})
    assert (caught.value.line, caught.value.column) == (2, 15)
    assert "line 2, near column 15" in explain(caught.value, Words())


@pytest.mark.parametrize(
    ("value", "told"),
    [("True", True), ("False  # for now", True), ("TRUE", True), ("[true, False]", True), ("Truest", False)],
)
def test_a_switch_in_capitals_is_told(write: Callable[[str], Path], value: str, told: bool) -> None:  # noqa: FBT001 - a case's expectation
    """CFG-09: where True stands as Python writes it, the sentence says how TOML does."""
    with pytest.raises(ConfigSyntax) as caught:
        load(write(f"enable-web-search = {value}\n"), {})
    assert ("write true and false small, in line 1" in explain(caught.value, Words())) == told


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ("[websearch]\nweb-results = 1\nweb-results = 2\n", "what stands in line 3 is there already"),
        ("[websearch]\n[bot]\n[websearch]\n", "what stands in line 3 is there already"),
        ("a = 1\nexa-api-key = “abc”\n", "write straight quotes, not curly ones, in line 2, near column 15"),
        ("exa-api-key = \u2018abc\u2019\n", "write straight quotes, not curly ones, in line 1"),
        ("“exa-api-key” = 1\n", "write straight quotes, not curly ones, in line 1"),
        ("exa-api-key = 5d41402a-bc4b\n", "put straight quotes around the text in line 1"),
        ("exa-api-key = abc\n", "put straight quotes around the text in line 1, near column 15"),
        ("web-database = ~/data.db\n", "put straight quotes around the text in line 1"),
        ("web-fallbacks = [tavily]\n", "put straight quotes around the text in line 1"),
        ("web-timezone = Europe/Berlin\n", "put straight quotes around the text in line 1"),
        ('exa-api-key = "abc\nweb-results = 1\n', "a text isn't closed by a quote in or before line 1"),
        ("enable-web-search: true\n", "put = between key and value in line 1"),
        ("enable-web-search true\n", "put = between key and value in line 1"),
        ("a = 1\nexa-api-key =\n", "a value is missing in line 2"),
        ("exa-api-key = # from exa.ai\n", "a value is missing in line 1"),
        ("web-results = 5,\n", "look at line 1, near column 16"),
        ("web-results == 5\n", "look at line 1, near column 14"),
    ],
)
def test_a_frequent_slip_is_told(write: Callable[[str], Path], content: str, hint: str) -> None:
    """CFG-09: where the slip behind an error of syntax is known, the sentence says what to write instead."""
    with pytest.raises(ConfigSyntax) as caught:
        load(write(content), {})
    assert hint in explain(caught.value, Words())


def test_a_wrong_folder_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CFG-09: a path that was given in part is named as a whole, so that a wrong working directory is seen."""
    monkeypatch.chdir(tmp_path)
    path = str(tmp_path / "config.toml")
    with pytest.raises(ConfigMissing) as caught:
        load(env={})
    assert caught.value.path == path
    with pytest.raises(ConfigMissing) as caught:
        load_switched_off({"WEBSEARCH_CONFIG": "config.toml"})
    assert caught.value.path == path
    with pytest.raises(ConfigMissing) as caught:
        load(Path("config.toml"), {})
    assert caught.value.path == path


def test_a_working_directory_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CFG-09: there's no whole path then, and no file."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(ConfigMissing):
        load(env={})


@pytest.mark.parametrize("content", ["a = " + "9" * 5000, "a = " + "[" * 5000, "a" + ".a" * 3000 + " = 1"])
def test_monstrous_toml_is_an_error_of_syntax(write: Callable[[str], Path], content: str) -> None:
    """CFG-09: numbers and nesting beyond what the reader bears are an error like any other."""
    with pytest.raises(ConfigSyntax):
        load(write(f"web-results = 1\n{content}"), {})


def test_errors_name_the_file(write: Callable[[str], Path]) -> None:
    """CFG-04: what's wrong with a value is said with the file's path."""
    path = write("[websearch]\nweb-results = 99")
    with pytest.raises(InvalidValue) as caught:
        load(path, {})
    assert caught.value.path == str(path)
    assert explain(caught.value, Words()).endswith(
        "bot.toml: web-results is 99, but takes a whole number from 1 to 10."
    )


LINES = st.sampled_from(
    ["[websearch]", "[[websearch]]", "web-results = 5", "web-backend = 'exa'", "enable-web-search=true", "web-x = 1"]
)
FILES = st.lists(LINES | st.text(), max_size=6).map(lambda lines: "\n".join(lines).encode("utf-8", "surrogatepass"))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=200) | FILES)
def test_any_file_gives_a_configuration_or_an_error(write: Callable[[bytes], Path], content: bytes) -> None:
    """CFG-10: whatever bytes a file holds, it gives a configuration or a `ConfigError` that has words."""
    try:
        config = load(write(content), {})
    except ConfigError as error:
        assert explain(error, Words()).endswith(".")  # noqa: PT017 - either outcome is right
    else:
        assert isinstance(config, Config)
