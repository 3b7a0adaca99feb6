"""Hold what a moderator is offered who types into /websearch sites, over a loopback Discord."""

from __future__ import annotations

import pytest

from loopback_exa import LoopbackExa, faults
from site_tools import CHANGES, lines, rule
from staff import Staff, search
from trouble import rename_table

pytestmark = pytest.mark.usefixtures("no_mistakes")


async def offered(staff: Staff, command: str, typed: str) -> list[str]:
    """Type into the option of a subcommand, and return what is shown."""
    name = f"websearch sites {command}"
    return [one["name"] for one in await staff.manager.autocomplete(staff.channel, name, "domains", typed)]


@pytest.mark.usefixtures("bot")
async def test_what_is_completed(staff: Staff, exa: LoopbackExa, settings: dict[str, object]) -> None:
    """RULE-14: one's own last results without such a rule, or what has one; the last of several, from memory."""
    for command in CHANGES:
        assert await offered(staff, command, "") == []
    rows = ({"title": "t", "url": f"https://{host}/", "text": "x"} for host in ("example.com", "a.org", "b.org"))
    exa.fail(faults.rows(*rows))
    await search(staff.manager, staff.channel)
    await rule(staff, "block", "b.org, bücher.de")
    calls = len(exa.requests)
    for table in ("counter", "session", "setting", "site_rule"):
        await rename_table(settings, table, f"hidden_{table}")
    assert await offered(staff, "block", "") == ["example.com", "a.org"]
    assert await offered(staff, "allow", "python.org, a") == ["python.org, a.org", "python.org, example.com"]
    assert await offered(staff, "remove", "") == ["b.org", "bücher.de"]
    assert await offered(staff, "remove", "b.org xn--b") == ["b.org, bücher.de"]
    for table in ("counter", "session", "setting", "site_rule"):
        await rename_table(settings, f"hidden_{table}", table)
    assert len(exa.requests) == calls
    await rule(staff, "allow", "a.org")
    assert await offered(staff, "allow", "") == ["example.com", "b.org"]
    assert await offered(staff, "block", "") == ["example.com", "a.org"]
    assert await offered(staff, "remove", "") == ["a.org", "b.org", "bücher.de"]
    (choice,) = await staff.manager.autocomplete(staff.channel, "websearch sites remove", "domains", "büch")
    assert lines(await rule(staff, "remove", choice["value"]))[0] == "Rule removed: bücher.de"
    assert await staff.moderator.autocomplete(staff.channel, "websearch sites block", "domains", "") == []


@pytest.mark.parametrize("typed", ["\x00\ud800", ",,,,", "a" * 6000, "https://[", "﷽" * 50, "a b c d e f"])
@pytest.mark.usefixtures("bot")
async def test_nonsense_is_completed_too(staff: Staff, typed: str) -> None:
    """RULE-14: whatever is typed is answered."""
    await rule(staff, "block", "example.com")
    for command in CHANGES:
        assert await offered(staff, command, typed) in ([], ["example.com"])
