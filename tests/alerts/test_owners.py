"""Hold who counts as the owner of an application, by what Discord answers."""

from __future__ import annotations

from typing import Any, cast

import discord

from cogs.websearch.alerts import owners_of


def user(number: int) -> dict[str, Any]:
    """Return an account as Discord's answers hold it."""
    return {"id": str(number), "username": f"user {number}", "discriminator": "0", "avatar": None}


def member(number: int, role: str, state: int = 2) -> dict[str, Any]:
    """Return a member of a team, who has joined unless the state says otherwise."""
    return {"user": user(number), "role": role, "membership_state": state, "permissions": ["*"], "team_id": "7"}


def application(team: dict[str, Any] | None) -> discord.AppInfo:
    """Return an application that belongs to user 1 or to a team."""
    data: dict[str, Any] = {
        "id": "5", "name": "an app", "description": "", "icon": None, "rpc_origins": [], "bot_public": True,
        "bot_require_code_grant": False, "owner": user(1), "verify_key": "", "team": team,
    }  # fmt: skip
    state = discord.Client(intents=discord.Intents.none())._connection  # noqa: SLF001 - what makes users of answers
    return discord.AppInfo(state, cast("Any", data))


def test_an_owner_is_told() -> None:
    """ALR-10: where there's no team, the application's owner is."""
    assert owners_of(application(None)) == [1]


def test_a_teams_owner_and_admins_are_told() -> None:
    """ALR-10: neither developers, nor who only reads, nor an admin who hasn't joined; the account of a team isn't."""
    members = [
        member(2, "admin"), member(3, "admin", 1), member(4, "developer"), member(6, "read_only"),
        member(8, "developer"),
    ]  # fmt: skip
    team = {"id": "7", "name": "a team", "icon": None, "owner_user_id": "8", "members": members}
    assert owners_of(application(team)) == [2, 8]
