"""Show a member what they have searched, what is left, and what is kept of them; and lay out the buttons below."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
from discord.ui import Button, View

from . import customids, render, text

if TYPE_CHECKING:
    from .i18n import Words
    from .own_searches import Forgotten, Own


def panel(own: Own, words: Words, *, note: str = "") -> discord.Embed:
    """Make the embed; `note` says, as plain text, what was just done."""
    embed = discord.Embed(title=text.escape(words("Your searches")), colour=render.ACCENT)
    if note:
        embed.description = text.escape(note)
    embed.add_field(name=words("What you can search"), value="\n".join(_use(own, words)), inline=False)
    embed.add_field(name=words("What is stored of you"), value="\n".join(_stored(own, words)), inline=False)
    embed.add_field(name=words("Chat bots"), value=text.escape(_chat_bots(own, words)), inline=False)
    return embed


def buttons(own: Own, words: Words) -> View:
    """Lay out what stands below: a button that forgets, and the switch for chat bots."""
    view = View(timeout=None)
    view.add_item(_button(customids.FORGET_ME, words("Forget me"), discord.ButtonStyle.danger))
    if own.paused:
        view.add_item(_button(customids.RESUME, words("Let chat bots search for me")))
    else:
        view.add_item(_button(customids.PAUSE, words("Don't let chat bots search for me")))
    return view


def forgotten(done: Forgotten, words: Words) -> str:
    """Say what was forgotten, and what wasn't."""
    said = words("Forgotten. Today's count stays, so that no limit begins anew by this: it goes with its day.")
    if done.lifted:
        said = words(
            "Forgotten, and chat bots may search for you again. Today's count stays, so that no limit begins anew by "
            "this: it goes with its day."
        )
    if not done.settings:
        return said
    stays = words("What you set as a moderator stays with your id, which the bot's owner can take out.")
    return f"{said} {stays}"


def paused(words: Words) -> str:
    """Say that chat bots don't search for the member any more."""
    return words("Chat bots don't search for you from now on.")


def resumed(words: Words) -> str:
    """Say that chat bots may search for the member again."""
    return words("Chat bots may search for you again.")


def _use(own: Own, words: Words) -> list[str]:
    quota, end = own.quota, f"<t:{own.ends}:R>"
    most, left = words.number(quota.per_member), words.number(own.left_today)
    lines = [
        words.plural(
            "Today: {count} search, {left} of {most} left; the next day begins {when}",
            "Today: {count} searches, {left} of {most} left; the next day begins {when}",
            own.today.searches,
            most=most,
            left=left,
            when=end,
        ),
        _minute(own, words),
    ]
    if own.server is not None and own.left_in_server is not None:
        lines.append(
            words.plural(
                "This server today: {count} search, {left} of {most} left",
                "This server today: {count} searches, {left} of {most} left",
                own.server.searches,
                most=words.number(quota.per_server or 0),
                left=words.number(own.left_in_server),
            )
        )
    if own.spent:
        lines.append(words("What the bot can spend today is spent: nobody can search until {when}.", when=end))
    return lines


def _minute(own: Own, words: Words) -> str:
    most, left = words.number(own.quota.per_minute), words.number(own.left_in_minute)
    if not own.minute:
        return words("Per minute: {left} of {most} left", most=most, left=left)
    when = f"<t:{own.frees}:R>"
    return words("Per minute: {left} of {most} left; one more {when}", most=most, left=left, when=when)


def _stored(own: Own, words: Words) -> list[str]:
    lines = [words("No replies whose buttons work")]
    until = f"<t:{own.until}:f>"
    if own.sessions:
        lines = [
            words.plural(
                "{count} reply whose buttons work until {when}",
                "{count} replies whose buttons work until {when} at the latest",
                own.sessions,
                when=until,
            )
        ]
    if own.since is None:
        lines.append(words("No counts of searches"))
    else:
        since = text.escape(words.date(own.since))
        lines.append(
            words.plural(
                "How often you searched on {count} day, {since}",
                "How often you searched on {count} days, since {since}",
                own.days,
                since=since,
            )
        )
    if own.paused:
        lines.append(words("That chat bots don't search for you"))
    if own.settings:
        lines.append(
            words.plural(
                "Your id beside {count} setting that you made as a moderator, until it's changed or taken back",
                "Your id beside {count} settings that you made as a moderator, until they're changed or taken back",
                own.settings,
            )
        )
    return lines


def _chat_bots(own: Own, words: Words) -> str:
    if own.paused:
        return words(
            "They don't search for you until you let them, or press “{forget}”. You yourself can search as always.",
            forget=words("Forget me"),
        )
    return words("They may search for you where you talk to them; it counts as your search.")


def _button(custom_id: str, label: str, style: discord.ButtonStyle = discord.ButtonStyle.secondary) -> Button[View]:
    return Button(custom_id=custom_id, label=label, style=style)
