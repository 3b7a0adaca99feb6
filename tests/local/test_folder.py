"""Hold how documents in a folder are read, named and linked."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cogs.websearch import errors
from cogs.websearch.backends.local import folder as folders
from cogs.websearch.backends.local import formats, passages
from cogs.websearch.config import Config
from local_tools import SITE, open_folder, search_folder, titles, write

DOCUMENTS = {
    "markdown.md": "---\ntitle: 'Front matter'\n---\n# Heading\n\nA *starred* [link](https://a.example) to `pelican`.",
    "heading.md": "\r\n# Setting **up**\r\n\r\n> 1. pelican\r\n",
    "underlined.markdown": "Getting started\n===============\n\nThe pelican.",
    "page.html": "<html><head><title>A &amp; B</title></head><body><script>pelican()</script><p>One pel<b>ican</b></p>",
    "heading.htm": "<h1>First <i>heading</i></h1><p>pelican",
    "alone.txt": "On birds\n\nThe pelican is one.",
    "sphinx.rst": ".. _birds:\n\n.. toctree::\n   :hidden:\n\nBirds\n-----\n\nThe :class:`pelican`.",
    "module.py": '#!/usr/bin/env python\n\n"""Feed the pelican.\n\nDaily.\n"""\n\nimport os\n',
    "sub/dir/bare.py": "pelican = 1\n",
    "plain.text": "the pelican goes on\nand on\n",
}
TITLES = {
    "Front matter",
    "Setting up",
    "Getting started",
    "A & B",
    "First heading",
    "On birds",
    "Birds",
    "Feed the pelican.",
    "sub/dir/bare.py",
    "plain.text",
}


async def test_titles_are_what_documents_say(folder: Path, cache: Path) -> None:
    """LOC-11: each kind of document is found by its text, under its own title or else its path."""
    write(folder, DOCUMENTS)
    searcher = await open_folder(folder, cache)
    assert set(await titles(searcher, "pelican", count=10)) == TITLES
    await searcher.close()


async def test_snippets_are_what_readers_see(folder: Path, cache: Path) -> None:
    """LOC-11: markup, scripts, styles and menus are no part of the text."""
    write(
        folder,
        {
            "a.html": "<nav>Menu</nav><style>p{}</style><p>Plain &lt;text&gt;<br>with <!-- hidden --> two&nbsp;lines",
            "b.md": "Some **bold** plain text, an ![image](a.png) and\n\n```python\ncode()\n```\n\n[ref]: https://a.example\n",
        },
    )
    page = await search_folder(folder, cache, "plain text")
    assert {result.snippet for result in page.results} == {
        "Some bold plain text, an image and code()",
        "Plain <text> with two lines",
    }


async def test_links_are_the_site_and_the_path(folder: Path, cache: Path) -> None:
    """LOC-12: a path is encoded where a URL can't hold it as it is."""
    write(folder, {"a b/ü#?%.md": "zebra", "plain.md": "zebra"})
    page = await search_folder(folder, cache, "zebra")
    assert {result.url for result in page.results} == {f"{SITE}a%20b/%C3%BC%23%3F%25.md", f"{SITE}plain.md"}
    assert {result.host for result in page.results} == {"docs.example.org"}


async def test_a_file_name_of_any_bytes_is_linked(folder: Path, cache: Path) -> None:
    """LOC-12: a name that is no UTF-8 is linked byte by byte."""
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.txt")).write_text("zebra", encoding="utf-8")
    (result,) = (await search_folder(folder, cache, "zebra")).results
    assert result.url == f"{SITE}caf%E9.txt"


def test_folder_and_site_need_each_other(folder: Path) -> None:
    """LOC-12: a folder without a URL, one that isn't there, and a URL that no result may show are refused by key."""
    given: dict[str, object] = {"enable-web-search": True, "web-backend": "local", "local-documents": str(folder)}
    with pytest.raises(errors.KeyNeeded, check=lambda error: error.name == "local-base-url"):
        Config.from_mapping(given, env={})
    gone = {**given, "local-base-url": SITE, "local-documents": str(folder / "gone")}
    with pytest.raises(errors.InvalidValue, check=lambda error: error.name == "local-documents"):
        Config.from_mapping(gone, env={})
    with pytest.raises(errors.InvalidValue, check=lambda error: error.name == "local-base-url"):
        Config.from_mapping({**given, "local-base-url": "http://localhost:8000/"}, env={})


async def test_a_folder_that_is_gone_by_then_is_the_engines_failure(folder: Path, cache: Path) -> None:
    """LOC-12: a folder that vanished since the configuration was read can't be opened."""
    with pytest.raises(errors.BackendBroken):
        await open_folder(folder / "gone", cache)


async def test_a_folder_without_documents_is_told(folder: Path, cache: Path, caplog: pytest.LogCaptureFixture) -> None:
    """LOC-13: each start over a folder that holds no document says so once, with the folder."""
    write(folder, {"picture.png": b"zebra"})
    for _ in range(2):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert not (await search_folder(folder, cache, "zebra")).found
        (record,) = caplog.records
        assert str(folder) in record.getMessage()


async def test_what_is_no_document_is_left_out(
    folder: Path, cache: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """LOC-13: everything else in the folder is found, and the log says what was left out and why."""
    (tmp_path / "secret.txt").write_text("zebra outside", encoding="utf-8")
    write(
        folder,
        {
            "good.txt": "zebra",
            "binary.txt": b"zebra\0\1\2",
            "large.txt": b"zebra " * (folders.FILE_BYTES // 6 + 1),
            "image.png": b"zebra",
            ".hidden.txt": "zebra",
            ".git/config.txt": "zebra",
            "node_modules/a.txt": "zebra",
        },
    )
    (folder / "inside.txt").symlink_to(folder / "good.txt")
    (folder / "outside.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "circle.txt").symlink_to(folder / "circle.txt")
    (folder / "dangling.txt").symlink_to(folder / "nothing.txt")
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    os.mkfifo(folder / "pipe.txt")
    with caplog.at_level(logging.WARNING):
        page = await search_folder(folder, cache, "zebra")
    assert {result.url.removeprefix(SITE) for result in page.results} == {"good.txt", "inside.txt"}
    (record,) = caplog.records
    said = record.getMessage()
    assert said.startswith("6 files under ")
    for reason in ("too large: 1", "no text: 1", "no file: 1", "a link out of the folder: 1", "a link to nothing: 2"):
        assert reason in said


def test_a_file_that_vanishes_is_left_out(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """LOC-13: what can't be read by the time that its turn comes is left out, and the log says so."""
    write(folder, {"a.txt": "zebra", "b.txt": "zebra"})
    survey = folders.Folder(folder, SITE).survey()
    (folder / "a.txt").unlink()
    documents = list(survey.documents(lambda _done, _total: None))
    assert [document.title for document in documents] == ["zebra"]
    assert "No such file" in caplog.text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("žluťoučký".encode(), "žluťoučký"),
        (b"\xef\xbb\xbf" + "kůň".encode(), "kůň"),
        ("kůň".encode("utf-16"), "kůň"),
        (b"\xfe\xff" + "kůň".encode("utf-16-be"), "kůň"),
        ("# -*- coding: iso-8859-2 -*- kůň".encode("iso-8859-2"), "# -*- coding: iso-8859-2 -*- kůň"),
        ("<meta charset='cp1251'>конь".encode("cp1251"), "<meta charset='cp1251'>конь"),
        (b"caf\xe9", "café"),
        (b"charset=base64 caf\xe9", "charset=base64 café"),
        (b"charset=nonsense caf\xe9", "charset=nonsense café"),
        (b"charset=ascii caf\xe9", "charset=ascii café"),
    ],
)
def test_encodings(data: bytes, text: str) -> None:
    """LOC-14: marks, declarations and at last Latin-1 say what the bytes mean."""
    assert folders.decode(data) == text


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=300) | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_a_text_or_none(data: bytes) -> None:
    """LOC-14 LOC-15: bytes give a text, or are said to hold none."""
    try:
        folders.decode(data)
    except ValueError:
        assert b"\0" in data


PIECES = [
    "<a",
    "<!--",
    "-->",
    "<![",
    "&",
    "&#",
    "</",
    "<script>",
    "</script>",
    "[x](",
    "[",
    "](",
    "`",
    "*",
    "# ",
    "---\n",
    "===\n",
]
PIECES += [
    "> ",
    "1. ",
    '"""',
    "\n",
    " ",
    ":a:`",
    "..",
    "<p>",
    "<title>",
    "<a b='",
    "<!",
    "<?",
    "あ",
    "\0",
    "\ud800",
    "\r\n",
    "\x1b[31m",
]


@settings(max_examples=200, deadline=None)
@given(source=st.text() | st.lists(st.sampled_from(PIECES), max_size=80).map("".join))
def test_any_source_gives_plain_text(source: str) -> None:
    """LOC-15: whatever a file holds, its title and text can be stored, and its passages are short."""
    for read in set(formats.READERS.values()):
        title, text = read(source)
        assert "\n" not in title
        for part in (title, *passages.split(text)):
            part.encode()
            assert not any(sign < " " and sign != "\n" for sign in part)
            assert title == part or 0 < len(part) <= passages.PASSAGE


@pytest.mark.parametrize("piece", PIECES)
def test_reading_takes_time_in_proportion(piece: str) -> None:
    """LOC-15: half a megabyte of any one piece of markup is read at once, where time squared would be minutes."""
    source = piece * (500_000 // len(piece))
    for read in set(formats.READERS.values()):
        passages.split(read(source)[1])


async def test_results_are_cleaned(folder: Path, cache: Path) -> None:
    """LOC-16: neither control characters nor entities nor tags of a document reach a result."""
    write(folder, {"a.txt": "Zebra\u202e\x1b[31m\n\nzebra \x07&lt;b&gt;bold&lt;/b&gt; \u200b<script>x</script>"})
    (result,) = (await search_folder(folder, cache, "zebra")).results
    assert result.title == "Zebra [31m"
    assert not {"\x1b", "\x07", "\u202e", "\u200b", "<"} & set(result.title + result.snippet)
