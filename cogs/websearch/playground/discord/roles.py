"""Hold the roles of a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .guilds import Guild
    from .permissions import Permission
    from .refusals import Json


class Role:
    """Be a role of a server."""

    def __init__(self, guild: Guild, name: str, granted: Permission, role_id: int) -> None:
        self.guild = guild
        self.id = role_id
        self.name = name
        self.permissions = granted

    def __repr__(self) -> str:
        """Show the name."""
        return f"<Role {self.name}>"

    def grant(self, granted: Permission) -> None:
        """Replace what the role grants, and tell the bot."""
        self.permissions = granted
        payload = {"guild_id": str(self.guild.id), "role": self.payload()}
        self.guild.world.emit("GUILD_ROLE_UPDATE", payload, guild=self.guild)

    def payload(self) -> Json:
        """Build the role as Discord's answers hold it."""
        return {
            "id": str(self.id),
            "name": self.name,
            "permissions": str(int(self.permissions)),
            "position": self.guild.roles.index(self),
            "color": 0,
            "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "managed": False,
            "mentionable": False,
            "icon": None,
            "unicode_emoji": None,
            "flags": 0,
        }
