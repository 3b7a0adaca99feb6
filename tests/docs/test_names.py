"""Hold what the pages name, say and link to against what there is."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Final

import discord
import pytest
from discord.ext import commands
from yarl import URL

import cogs.websearch
import doc_names
from doc_pages import IS_CHECKOUT, PAGES, ROOT, WRITTEN, Page, page

if TYPE_CHECKING:
    from pathlib import Path

if not IS_CHECKOUT:
    pytest.skip("the pages are not beside these tests", allow_module_level=True)

# Sites that a reader may be sent to.
_SITES: Final = {
    *("discord.com", "docs.discord.com", "semver.org"),
    *("exa.ai", "api.exa.ai", "tavily.com", "api.tavily.com", "jina.ai", "s.jina.ai", "r.jina.ai"),
}


@pytest.mark.parametrize("one", WRITTEN, ids=lambda one: one.name)
def test_what_is_named_is_there(one: Page) -> None:
    """DOCS-04: each key, file, command, option, logger, module and variable that a page names is there."""
    assert [code for code in one.codes if not doc_names.is_there(code)] == []


@pytest.mark.parametrize(
    "code",
    [
        "web-result",
        "docs/none.md",
        "/serch",
        "make tea",
        "make .venv/.tea",
        "cogs.websearch.tea",
        "NO_SUCH_KEY",
        "/websuche tee",
        "/websuche aus tee:2h",
    ],
)
def test_what_is_not_there_is_noticed(code: str) -> None:
    """DOCS-04: a slip of the pen in any of these is found."""
    assert not doc_names.is_there(code)


def _foreign(tmp_path: Path) -> set[str]:
    """Return what a reader meets that isn't in our catalogues, as it's really said."""
    missing = subprocess.run(
        [sys.executable, "-I", "-S", "-c", "import msgspec"],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=tmp_path,
    )
    failed = missing.stderr.splitlines()[-1].partition(": ")[2]
    too_old = (
        (ROOT / "cogs" / "websearch" / "__init__.py").read_text("utf-8").partition('message = "')[2].partition('"')[0]
    )
    return {
        str(commands.ExtensionNotFound("cogs.websearch")),
        str(commands.ExtensionNotFound("cogs.web_search")),
        *(failed.replace("msgspec", name) for name in ("cogs", "cogs.websearch")),
        str(commands.ExtensionFailed("cogs.websearch", ModuleNotFoundError(failed))),
        too_old.format(3, 10, 12),
    }


@pytest.mark.parametrize("one", [*WRITTEN, page("docs/errors.md")], ids=lambda one: one.name)
def test_what_is_quoted_is_said(tmp_path: Path, one: Page) -> None:
    """DOCS-05: each sentence in “quotation marks” is one that the program says, or what it's run by says."""
    foreign = _foreign(tmp_path)
    assert [sentence for sentence in one.quotes if sentence not in foreign and not doc_names.is_said(sentence)] == []


def test_what_is_not_said_is_noticed() -> None:
    """DOCS-05: a sentence that isn't the program's is found."""
    assert not doc_names.is_said("There's no Discord token anywhere.")
    assert Page(ROOT / "README.md").quotes


@pytest.mark.parametrize("one", PAGES, ids=lambda one: one.name)
def test_links_lead_somewhere(one: Page) -> None:
    """PKG-07 DOCS-06: files, pictures and headings that a page links to are there, and sites are those we know."""
    lost = []
    for link in one.links:
        if link.startswith(("http://", "https://")):
            if one in WRITTEN and URL(link).host not in _SITES:
                lost.append(link)
            continue
        path, _, anchor = link.partition("#")
        target = one.path.parent / path if path else one.path
        if not target.exists() or (anchor and anchor not in Page(target.resolve()).anchors):
            lost.append(link)
    assert lost == []


def test_the_invitation_is_discords() -> None:
    """DOCS-07: the address that invites a bot asks for the scopes and permissions that the page names, no more."""
    (link,) = (link for link in page("README.md").links if "oauth2" in link)
    needed = discord.Permissions(view_channel=True, send_messages=True, embed_links=True)
    expected = discord.utils.oauth_url(
        URL(link).query["client_id"], permissions=needed, scopes=("bot", "applications.commands")
    )
    assert URL(link) == URL(expected)


def test_the_version_is_the_changelogs() -> None:
    """DOCS-08: the newest entry of the changelog is of the version that the package has."""
    assert f"\n## {cogs.websearch.__version__}" in page("CHANGELOG.md").text
