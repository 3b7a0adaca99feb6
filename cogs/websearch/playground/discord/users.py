"""Hold the people, and the bot, apart from any server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .actions import Actor

if TYPE_CHECKING:
    from .refusals import Json
    from .world import World


class User(Actor):
    """Be an account.

    `app_installed` is true where the app is installed to this user; `open_to_messages` is false where the user takes no
    direct messages from the bot.
    """

    def __init__(self, world: World, name: str, *, bot: bool = False, locale: str = "en-US") -> None:
        self.world = world
        self.id = world.ids.next()
        self.name = name
        self.bot = bot
        self.locale = locale
        self.app_installed = False
        self.open_to_messages = True

    @property
    def user(self) -> User:
        """Tell who acts."""
        return self

    def __repr__(self) -> str:
        """Show the name."""
        return f"<User {self.name}>"

    def install_app(self) -> None:
        """Install the app to this user, so that it can be used in servers that the bot is not in."""
        self.app_installed = True

    def payload(self) -> Json:
        """Build the user as Discord's answers hold it."""
        payload: Json = {
            "id": str(self.id),
            "username": self.name,
            "discriminator": "0",
            "global_name": None if self.bot else self.name,
            "avatar": None,
            "banner": None,
            "accent_color": None,
            "public_flags": 0,
            "flags": 0,
            "primary_guild": None,
        }
        if self.bot:
            payload["bot"] = True
        return payload
