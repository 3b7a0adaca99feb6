"""Hold that what members type and what places are called is dead in every reply, and reads as it was meant."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

import pytest

from bots import sentence
from cogs.websearch import limits, text
from loopback_exa import faults
from text import alive, hostile

if TYPE_CHECKING:
    from bots import Place
    from cogs.websearch.playground.discord import LoopbackDiscord
    from loopback_exa import LoopbackExa
    from staff import Staff

# What members type, with what they read above the results.
QUERIES = {
    "who is <@81384788765712384>": "who is <@81384788765712384>",
    "@everyone look": "@everyone look",
    "# big\n- list\n> quote": "# big - list > quote",
    "[free nitro](https://evil.example)": "[free nitro](https://evil.example)",
    "**bold** __init__ a*b*c `x`": "**bold** __init__ a*b*c `x`",
    "C# or C++? <T> & Vec<u8>": "C# or C++? <T> & Vec<u8>",
    "what does <br> do": "what does <br> do",
    "!g cats": "!g cats",
    "!!images cats": "!!images cats",
    "  two\n\n  lines\t here ": "two lines here",
    "a\u200bb\u202ec\u2066d": "abcd",
    "\U000e0041\U000e0042 tags": "tags",
    "https://example.com/?q=1": "https://example.com/?q=1",
    "<t:1700000000:R> <id:customize> </search:81384788765712384>":
    "<t:1700000000:R> <id:customize> </search:81384788765712384>",
    "\\*escaped\\*": "\\*escaped\\*",
    "می‌خواهم कर्म": "می‌خواهم कर्म",
    "😀" * 400: "😀" * (limits.TITLE - 1) + "…",
}  # fmt: skip
SITES = {
    "https://Example.com:8443/path?q=1": ["example.com"],
    "*.example.com": ["example.com"],
    "müller.de": ["xn--mller-kva.de"],
    "example.com.": ["example.com"],
    "www.example.com, example.org;example.net": ["www.example.com", "example.org", "example.net"],
}
NO_SITES = [
    *(
        "127.0.0.1",
        "localhost",
        "10.0.0.1:80",
        "http://[::1]/",
        "no_domain",
        "a..b",
        "@everyone",
        "<@81384788765712384>",
    ),
    *("[x](https://evil.example)", "`code`", "exa\u202emple", "**bold**", "||x||", "# a", "com"),
]
# Half a character: what no JSON can carry, no client sends.
HALF = re.compile("[\ud800-\udfff]")


@pytest.fixture
def settings(settings: dict[str, object]) -> dict[str, object]:
    """Let a member search as often as these tests do."""
    return settings | {"web-per-minute": 1000, "web-daily-per-user": 1000}


async def search(place: Place, **options: Any) -> Any:  # noqa: ANN401 - options of several types, a message
    """Use /search as a client may that was tampered with."""
    return await (await place.member.invoke(place.channel, "search", force=True, **options)).reply()


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.usefixtures("bot")
async def test_a_query_reads_as_it_was_typed(place: Place, exa: LoopbackExa, query: str) -> None:
    """WEB-29: above its results a query is dead, and reads as it was typed but for what nobody sees."""
    exa.fail(faults.rows({"title": "t", "url": "https://example.com/", "text": "x"}))
    title = (await search(place, query=query)).embeds[0]["title"]
    assert alive.alive(title) == []
    assert alive.reading(title) == QUERIES[query]


@pytest.mark.usefixtures("bot")
async def test_sites_are_read_as_people_type_them(place: Place, exa: LoopbackExa) -> None:
    """WEB-29, LNK-12: with scheme, port, path, wildcard or letters of any script."""
    for site in SITES:
        await search(place, query="sky", site=site)
    assert [call.json["includeDomains"] for call in exa.requests] == list(SITES.values())


@pytest.mark.usefixtures("bot")
async def test_what_is_no_site_is_said(place: Place, exa: LoopbackExa) -> None:
    """WEB-29, WEB-15: it's repeated dead, in one sentence, and nothing is searched."""
    for site in NO_SITES:
        said = sentence(await search(place, query="sky", site=site))
        assert "is no domain of the public web" in said
        assert alive.alive(said) == []
    assert exa.requests == []


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.usefixtures("bot", "no_mistakes")
async def test_no_query_comes_alive(place: Place, exa: LoopbackExa, discord_: LoopbackDiscord, seed: int) -> None:
    """WEB-29, WEB-19: of pieces of markup, entities and troublemakers in any order, nothing is alive, nothing pings."""
    dice = random.Random(seed)  # noqa: S311 - the same each time, and nobody's secret
    pieces = [*hostile.MARKDOWN, *hostile.HTML, *hostile.ENTITIES, *hostile.TROUBLE, *hostile.WORDS]
    pieces = [piece for piece in pieces if not HALF.search(piece)]
    for _ in range(15):
        query = "".join(dice.choices(pieces, k=dice.randrange(1, 40)))
        exa.fail(faults.rows({"title": query, "url": "https://example.com/", "text": query}))
        reply = await search(place, query=query, site=dice.choice(["", *SITES]))
        shown = text.tidy(query, 1000)
        if 0 < len(shown) <= 400:
            read = alive.reading(reply.embeds[0]["title"])
            # What has much to be escaped is cut earlier.
            assert shown == read or (read.endswith("…") and shown.startswith(read[:-1]))
        for embed in reply.embeds:
            small = embed["description"].rpartition("\n")[2] if "url" in embed else ""
            assert alive.alive(embed.get("title", "")) == []
            assert alive.alive(embed["description"].removesuffix(small)) == []
    assert all(not message.pings for message in discord_.messages.values())


@pytest.mark.usefixtures("bot", "no_mistakes")
async def test_names_of_places_are_dead(staff: Staff, discord_: LoopbackDiscord) -> None:
    """WEB-29, SW-13: whatever a channel or a thread is called, in /websearch its name is dead and pings nobody."""
    names = [name for name in (*hostile.MARKDOWN, *hostile.TROUBLE) if not HALF.search(name)]
    for number, name in enumerate(names):
        channel = staff.guild.add_text_channel(f"a{name}"[:100])
        place = channel.add_thread(f"t{name}"[:100]) if number % 2 else channel
        reply = await (await staff.moderator.invoke(place, "websearch status")).reply()
        assert alive.alive(reply.embeds[0]["title"]) == []
        assert alive.reading(reply.embeds[0]["title"])
    assert all(not message.pings for message in discord_.messages.values())
