"""Let people act: invoke commands, press buttons, choose in menus, fill in modals, write and delete messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import asking, components
from .people import Someone

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .channels import Channel
    from .interactions import Invocation
    from .messages import Message
    from .options import Value
    from .refusals import Json
    from .world import World


class Actor(Someone):
    """Be someone who acts; what is not possible in a client raises `NotOffered`.

    `locale` is the language of the client, the user's own where it is left out. `force` sends what a forged client
    could send: options of any value, components that are not there or disabled. What Discord itself checks (that the
    command exists, who may use it and where) stays checked.
    """

    world: World

    async def invoke(
        self,
        where: Channel,
        command: str,
        /,
        *,
        locale: str | None = None,
        user_install: bool = False,
        force: bool = False,
        **options: Value,
    ) -> Invocation:
        """Use a slash command, such as "search" or "websearch on", with options of any name.

        `user_install` makes the app act for the user alone, which installs it to the user.
        """
        ask = asking.Ask(self.user, where, locale, user_install=user_install)
        return asking.invoke(ask, command, options, force=force)

    async def autocomplete(
        self,
        where: Channel,
        command: str,
        focused: str,
        typed: str,
        /,
        *,
        locale: str | None = None,
        user_install: bool = False,
        **options: Value,
    ) -> list[Json]:
        """Type into an option and return the choices that the bot offers; `options` are those already filled in.

        Raise `StillWaiting` where none came within three seconds of the clock.
        """
        ask = asking.Ask(self.user, where, locale, user_install=user_install)
        inv = asking.autocomplete(ask, command, (focused, typed), options)
        await inv.acknowledged()
        return inv.choices or []

    async def use_menu(
        self, target: Message | Someone, name: str, /, where: Channel | None = None, *,
        locale: str | None = None, user_install: bool = False,
    ) -> Invocation:  # fmt: skip
        """Use the entry `name` of the menu of a message, or of someone in the channel `where`."""
        place = where or getattr(target, "channel", None)
        if place is None:
            message = "the menu of a person needs a channel"
            raise TypeError(message)
        return asking.use_menu(asking.Ask(self.user, place, locale, user_install=user_install), target, name)

    async def press(
        self, message: Message, button: str, *, locale: str | None = None, force: bool = False
    ) -> Invocation:
        """Press a button, named by its label or custom id."""
        ask = asking.Ask(self.user, message.channel, locale)
        return asking.use_component(ask, message, button, (components.BUTTON,), None, force=force)

    async def choose(
        self, message: Message, menu: str, values: Sequence[Value], *, locale: str | None = None, force: bool = False
    ) -> Invocation:
        """Choose values (or labels) in a select menu, named by its placeholder or custom id."""
        ask = asking.Ask(self.user, message.channel, locale)
        return asking.use_component(ask, message, menu, components.SELECTS, values, force=force)

    async def submit(self, inv: Invocation, values: Mapping[str, str], *, locale: str | None = None) -> Invocation:
        """Send off the modal that an interaction brought, with the texts by custom id or label."""
        return asking.submit(asking.Ask(self.user, inv.channel, locale), inv, values)

    def send(self, where: Channel, content: str) -> Message:
        """Write a message."""
        return asking.write(self.user, where, content)
