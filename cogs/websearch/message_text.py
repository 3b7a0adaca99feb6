"""Find in a message what to search for: its words, without what means something to Discord alone."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from . import limits, links, text
from .patterns import late_re

if TYPE_CHECKING:
    from collections.abc import Iterator

    import discord

# What is longer has no place in a query, and needs no look.
_MOST: Final = 6000
# Members, roles, channels, commands, emoji, moments, and pages of the server.
_MARKUP: Final = late_re(
    r"<(?:@[!&]?\d{1,20}|\#\d{1,20}|/[^<>:\n]{1,110}:\d{1,20}|a?:\w{1,32}:\d{1,20}|t:-?\d{1,17}(?::[A-Za-z])?"
    r"|id:\w{1,20}(?::\d{1,20})?)>"
    r"|(?<!\S)@(?:everyone|here)\b",
    re.ASCII,
)
# A block of code, the name of its language first; the last one may lack its end.
_BLOCK: Final = late_re(r"```(?:[A-Za-z0-9_+\-.#]*+\n)?((?:(?!```).)*+)(?:```)?", re.DOTALL)
_MASKED: Final = late_re(r"\[([^\[\]\n]{1,300}+)\]\(<?(https?://[^\s<>()]++)>?(?:[ ][^()\n]{0,100}+)?\)", re.IGNORECASE)
_ADDRESS: Final = late_re(r"<?([A-Za-z][A-Za-z0-9+.\-]{0,30})://([^\s<>]++)>?")
_HTTP: Final = frozenset({"http", "https"})
# Over SSH, also where git goes over it, a name before the host lets nobody in without its key.
_SSH: Final = "ssh"
_USER: Final = late_re(r"[A-Za-z0-9_.\-]{1,64}+@")
_WORD: Final = late_re(r"[^\s<>]++")
# What a word has that may be an address without its scheme: what follows a host, or what stands before one.
_SIGNS: Final = late_re("[/?#&@]")
# Schemes of what has a name in it by its kind, and no secret.
_NAMING: Final = late_re("(?:mailto|acct|xmpp|sips?):", re.IGNORECASE)
# A name, or a token in the place of one, behind what begins an address; where a host follows, it lets in. What none
# follows is taken, too, so that it isn't read again from each place in it.
_BEGUN: Final = late_re(r"(?:(?<!/)//|:/|https?:)/*+@*+(?:[^/?#@:]|:(?!/))*+(?P<host>@[^/?#])?+", re.IGNORECASE)
_PASSWORD: Final = late_re(r"[^:@]:[^@]++(?P<host>@)?+")
# As git and scp write where something is: what follows the host and its colon is no port.
_REMOTE: Final = late_re(r"[^:\[\]]++:[0-9]*+[A-Za-z_~]")
# Hosts of which no mail address and no handle is: numbers, and with a port.
_NO_MAIL: Final = late_re(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}|\[.*+|(?:[^:]*+:)++[0-9]++")
# Browsers read a scheme with fewer slashes, or none at all, all the same.
_LEAD: Final = late_re("(?:https?:)?/*+", re.IGNORECASE)
_HEAD: Final = late_re(r"[^/?#&]*+")
# Read from its end on.
_HOST_BACKWARDS: Final = late_re(r"(?:[0-9]{1,5}:)?[\w.\-]*+")
_PARTS: Final = late_re("[/?#]")
_PARAMETERS: Final = late_re("[?#&;](.*)")
# What ends a sentence or is markup behind an address, rather than its end.
_AFTER: Final = ".,;:!?'\"*|`"
# What may stand around a word.
_OPENED: Final = "([{\"'`*|_~"
_CLOSED: Final = _AFTER + ")]}_~"
# A mark on each side of words, or before a line.
_MARKS: Final = late_re(r"\*\*|~~|\|\||`|^[ ]*+(?:>{1,3}[ ]|#{1,3}[ ]|-\#[ ])", re.MULTILINE)
_ELLIPSIS: Final = "…"


def query_of(message: discord.Message) -> str:
    """Return what to search for, cleaned, in at most `limits.QUERY` code points; nothing where the message has no text.

    That's what its author wrote, else what was forwarded, else what a poll asks, else what stands in embeds.
    """
    return next(filter(None, map(to_query, _texts(message))), "")


def to_query(written: str) -> str:
    """Return what somebody wrote as a query: without mentions, custom emoji and the fences of code.

    Blocks of code are left out where there are words beside them. Addresses stay, also those without a scheme or with
    another than http's, without what tracks or lets in whoever has them; those that aren't public go.
    """
    # First of all: a character that nobody sees must not hide what an address is.
    written = "\n".join(text.tidy(line, _MOST) for line in written[:_MOST].splitlines())
    words = _plain(_BLOCK.sub(" ", written))
    return words or _plain(_BLOCK.sub(r" \1 ", written))


def _plain(written: str) -> str:
    bare = _MARKS.sub("", _MARKUP.sub(" ", _addressed(_MASKED.sub(r" \1 \2 ", written))))
    # What a cut leaves is for an engine to read, which makes nothing of an ellipsis.
    return text.tidy(bare, limits.QUERY).removesuffix(_ELLIPSIS).rstrip()


def _addressed(written: str) -> str:
    """Vet the addresses in a text."""
    kept: list[str] = []
    start = 0
    for found in _ADDRESS.finditer(written):
        kept += _WORD.sub(_vetted_word, written[start : found.start()]), _vetted(found)
        start = found.end()
    return "".join((*kept, _WORD.sub(_vetted_word, written[start:])))


def _vetted(found: re.Match[str]) -> str:
    scheme, rest = found[1], _trimmed(found[2])
    if scheme.lower() in _HTTP:
        link = links.vet(f"{scheme}://{rest}")
        return " " if link is None else f" {link.url} "
    name = _USER.match(rest) if _SSH in scheme.lower().split("+") else None
    user = name[0] if name else ""
    # What a public address must not have, one of another kind mustn't either.
    link = links.vet(f"https://{rest[len(user) :]}")
    return " " if link is None else f" {scheme}://{user}{link.url.removeprefix('https://')} "


def _vetted_word(word: re.Match[str]) -> str:
    """Vet what may be an address without its scheme; where it's none, it's a word such as and/or, and stays."""
    whole = word[0]
    if not _SIGNS.search(whole):
        return whole
    raw = _trimmed(whole)
    if _lets_in(raw):
        return " "
    raw = _led(raw)
    head = _HEAD.match(raw)[0]  # type: ignore[index] # it matches anything
    if head == raw:
        return whole
    if "@" in head:
        found = _PARAMETERS.search(raw)
        return " " if found and "=" in found[1] else whole
    start = len(head) - _HOST_BACKWARDS.match(head[::-1]).end()  # type: ignore[union-attr] # likewise
    address = raw[start:]
    link = links.vet(f"https://{address}")
    if link is None:
        found = _PARAMETERS.search(address)
        return " " if (found and "=" in found[1]) or len(address) > limits.EMBED_URL else whole
    vetted = link.url.removeprefix("https://")
    return whole if unquote(vetted).lower() == unquote(address).lower() else f"{raw[:start]}{vetted} "


def _lets_in(raw: str) -> bool:
    """Tell whether a password, or a token in the place of a name, may stand before a host.

    A mail address, a handle such as @name@host and what git gets over SSH have a name there, too. They're told apart by
    what they lack: slashes or a web address's scheme before the name, and a port, a path or numbers behind it.
    """
    raw = _NAMING.sub("", raw, count=1)
    if any(found["host"] for found in _BEGUN.finditer(raw)):
        return True
    authority, *rest = _PARTS.split(_led(raw))
    named = any(":" in part.rpartition("@")[0] for part in (authority, *rest))
    if named and (rest or any(found["host"] for found in _PASSWORD.finditer(authority))):
        return True
    name, _, host = authority.rpartition("@")
    name = name.lstrip(_OPENED)
    if not name or not host or name.startswith("@"):
        return False
    # Browsers read a backslash as a slash, too.
    if rest or "\\" in host:
        return _REMOTE.match(host) is None
    return _NO_MAIL.fullmatch(host.rstrip(_CLOSED)) is not None


def _led(raw: str) -> str:
    """Return an address without a scheme and slashes before it."""
    return raw[_LEAD.match(raw).end() :]  # type: ignore[union-attr] # likewise


def _trimmed(raw: str) -> str:
    """Return an address without what stands behind it."""
    raw = raw.rstrip(_AFTER)
    # Brackets may be around an address, or in it.
    for opened, closed in ("()", "[]"):
        if raw.endswith(closed) and opened not in raw:
            raw = raw.rstrip(closed + _AFTER)
    return raw


def _texts(message: discord.Message) -> Iterator[str]:
    yield message.content
    for forwarded in message.message_snapshots:
        yield forwarded.content
    if message.poll is not None:
        yield message.poll.question or ""
    for embed in chain(message.embeds, *(forwarded.embeds for forwarded in message.message_snapshots)):
        yield "\n".join(filter(None, (embed.title, embed.description)))
