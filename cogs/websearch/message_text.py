"""Find in a message what to search for: its words, without what means something to Discord alone."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from . import limits, links, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    import discord

# What is longer has no place in a query, and needs no look.
_MOST: Final = 6000
# Members, roles, channels, commands, emoji, moments, and pages of the server.
_MARKUP: Final = re.compile(
    r"<(?:@[!&]?\d{1,20}|\#\d{1,20}|/[^<>:\n]{1,110}:\d{1,20}|a?:\w{1,32}:\d{1,20}|t:-?\d{1,17}(?::[A-Za-z])?"
    r"|id:\w{1,20}(?::\d{1,20})?)>"
    r"|(?<!\S)@(?:everyone|here)\b",
    re.ASCII,
)
# A block of code, the name of its language first; the last one may lack its end.
_BLOCK: Final = re.compile(r"```(?:[A-Za-z0-9_+\-.#]*\n)?(.*?)(?:```|\Z)", re.DOTALL)
_MASKED: Final = re.compile(r"\[([^\[\]\n]{1,300})\]\(<?(https?://[^\s<>()]+)>?(?:[ ][^()\n]{0,100})?\)", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"<?(https?://[^\s<>]+)>?", re.IGNORECASE)
# What ends a sentence or is markup behind an address, rather than its end.
_AFTER: Final = ".,;:!?'\"*|`"
# A mark on each side of words, or before a line.
_MARKS: Final = re.compile(r"\*\*|~~|\|\||`|^[ ]*(?:>{1,3}[ ]|#{1,3}[ ]|-\#[ ])", re.MULTILINE)
_ELLIPSIS: Final = "…"


def query_of(message: discord.Message) -> str:
    """Return what to search for, cleaned, in at most `limits.QUERY` code points; nothing where the message has no text.

    That's what its author wrote, else what was forwarded, else what a poll asks, else what stands in embeds.
    """
    return next(filter(None, map(to_query, _texts(message))), "")


def to_query(written: str) -> str:
    """Return what somebody wrote as a query: without mentions, custom emoji and the fences of code.

    Blocks of code are left out where there are words beside them. Addresses stay, without what tracks or lets in
    whoever has them; those that aren't public go.
    """
    written = written[:_MOST]
    words = _plain(_BLOCK.sub(" ", written))
    return words or _plain(_BLOCK.sub(r" \1 ", written))


def _plain(written: str) -> str:
    addressed = _ADDRESS.sub(_vetted, _MASKED.sub(r" \1 \2 ", written))
    bare = _MARKS.sub("", _MARKUP.sub(" ", addressed))
    # What a cut leaves is for an engine to read, which makes nothing of an ellipsis.
    return text.tidy(bare, limits.QUERY).removesuffix(_ELLIPSIS).rstrip()


def _vetted(found: re.Match[str]) -> str:
    raw = found[1].rstrip(_AFTER)
    # Brackets may be around an address, or in it.
    for opened, closed in ("()", "[]"):
        if raw.endswith(closed) and opened not in raw:
            raw = raw.rstrip(closed + _AFTER)
    link = links.vet(raw)
    return " " if link is None else f" {link.url} "


def _texts(message: discord.Message) -> Iterator[str]:
    yield message.content
    for forwarded in message.message_snapshots:
        yield forwarded.content
    if message.poll is not None:
        yield message.poll.question or ""
    for embed in chain(message.embeds, *(forwarded.embeds for forwarded in message.message_snapshots)):
        yield "\n".join(filter(None, (embed.title, embed.description)))
