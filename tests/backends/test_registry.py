"""Open the engine that the configuration names."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from cogs.websearch import backends
from cogs.websearch.config import Config
from cogs.websearch.models import SearchRequest

if TYPE_CHECKING:
    from pathlib import Path

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


async def test_exa(exa: LoopbackExa) -> None:
    """EXA-12: with `exa` configured, Exa is asked with the configured key, address, type and snippet length."""
    config = Config(
        web_backend="exa",
        exa_api_key=exa.key,
        exa_base_url=exa.url + "/",
        exa_search_type="lite",
        web_snippet_chars=60,
    )
    searcher = await backends.open_searcher(config)
    page = await searcher.search(SearchRequest(query="bread", count=3))
    await searcher.close()
    assert exa.requests[0].json["type"] == "lite"
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
