"""Open the engine that the configuration names."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from cogs.websearch import backends
from cogs.websearch.config import Config
from cogs.websearch.models import SearchRequest
from loopback_jina import LoopbackJina
from loopback_searxng import LoopbackSearxng
from loopback_tavily import LoopbackTavily

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.models import SearchPage
    from loopback_exa import LoopbackExa

LOCAL = """
import asyncio, sys
from pathlib import Path
from cogs.websearch import backends
from cogs.websearch.config import Config
from cogs.websearch.models import SearchRequest

async def main() -> None:
    config = Config(web_backend="local", local_documents=Path(sys.argv[1]), local_base_url="https://docs.example.org/")
    searcher = await backends.open_searcher(config)
    page = await searcher.search(SearchRequest(query="bread", count=1))
    await searcher.close()
    print(page.results[0].url, {"aiohttp", "discord"} & set(sys.modules))

asyncio.run(main())
"""


async def searched(config: Config) -> SearchPage:
    """Open the engine that is configured, search once, and close it."""
    searcher = await backends.open_searcher(config)
    try:
        return await searcher.search(SearchRequest(query="bread", count=3))
    finally:
        await searcher.close()


async def test_exa(exa: LoopbackExa) -> None:
    """EXA-12: with `exa` configured, Exa is asked with the configured key, address, type and snippet length."""
    config = Config(
        web_backend="exa",
        exa_api_key=exa.key,
        exa_base_url=exa.url + "/",
        exa_search_type="lite",
        web_snippet_chars=60,
    )
    page = await searched(config)
    assert exa.requests[0].json["type"] == "lite"
    assert max(len(result.snippet) for result in page.results) <= 60


async def test_tavily() -> None:
    """EXA-12: with `tavily` configured, Tavily is asked with the configured key, address and snippet length."""
    async with LoopbackTavily() as engine:
        config = Config(
            web_backend="tavily", tavily_api_key=engine.key, tavily_base_url=engine.url, web_snippet_chars=60
        )
        page = await searched(config)
    assert [call.path for call in engine.requests] == ["/search"]
    assert max(len(result.snippet) for result in page.results) <= 60


async def test_jina() -> None:
    """EXA-12: with `jina` configured, Jina is asked with the configured key, address and snippet length."""
    async with LoopbackJina() as engine:
        config = Config(
            web_backend="jina",
            jina_api_key=engine.key,
            jina_search_url=engine.url,
            jina_reader_url="http://127.0.0.1:1",
            web_snippet_chars=60,
        )
        page = await searched(config)
    assert [call.method for call in engine.requests] == ["GET"]
    assert max(len(result.snippet) for result in page.results) <= 60


async def test_searxng() -> None:
    """EXA-12: with `searxng` configured, the instance at the configured address is asked."""
    async with LoopbackSearxng() as engine:
        page = await searched(Config(web_backend="searxng", searxng_url=engine.url, web_snippet_chars=60))
    assert [call.path for call in engine.requests] == ["/search"]
    assert max(len(result.snippet) for result in page.results) <= 60


def test_local_needs_no_client(tmp_path: Path) -> None:
    """EXA-12: with `local` configured, local documents are searched and no HTTP client is loaded."""
    (tmp_path / "bread.md").write_text("# Bread\n\nHow to bake bread at home.\n", "utf-8")
    done = subprocess.run(  # noqa: S603 - this Python, on a program of ours
        [sys.executable, "-c", LOCAL, str(tmp_path)], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stderr == ""
    assert done.stdout.startswith("https://docs.example.org/")
    assert done.stdout.endswith("set()\n")
