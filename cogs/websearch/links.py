"""Vet the addresses that strangers wrote, and read the domains that people type.

What is a public host, and how it is shown, stands in `hosts`; what is dropped of the rest in `parameters`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import msgspec

from . import hosts, limits, parameters
from .patterns import late_re

if TYPE_CHECKING:
    from collections.abc import Sequence

# What is longer, in bytes, isn't looked at: half of it must be left out to be shown. What is longer after encoding is
# refused as well.
_RAW_MOST: Final = 2 * limits.EMBED_URL
_URL: Final = late_re(r"(https?)://([^/?#]*+)([^?#]*+)(?:\?([^#]*+))?(?:#(.*+))?", re.IGNORECASE | re.DOTALL)
# Nearly every address is like this: a host in small letters, no user info, no port, nothing that is refused and nothing
# to be encoded. Its parts need no second look, which saves two thirds of the time.
_PLAIN: Final = late_re(
    rf"(https?://){hosts.NAME}"
    r"(/(?:[A-Za-z0-9\-._~!$&+,=:@/]++|%[0-9A-Fa-f]{2})*+)?"
    r"(?:\?((?:[A-Za-z0-9\-._~!$&+,;=:@/?]++|%[0-9A-Fa-f]{2})*+))?"
    r"(?:#((?:[A-Za-z0-9\-._~!$&+,;=:@/?]++|%[0-9A-Fa-f]{2})*+))?"
)
_PORT_MOST: Final = 65535
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_AUTHORITY: Final = late_re(r"(?P<host>[^:@%\[\]]++)(?::(?P<port>[0-9]{0,5}))?")
# Browsers read a backslash as a slash and drop line breaks and tabs, so that both can move where the host ends; the
# invisible ones move where it seems to end. A plain space is left over: paths have them, hosts don't.
_TRICKS: Final = late_re(r"[^\S ]|[\x00-\x1f\x7f-\x9f\\\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")

# Left as they are: RFC 3986's unreserved characters and delimiters, but for brackets, quotes and the asterisk, with
# which an address could break out of a Markdown link. A percent sign stays only where it begins an escape.
_LEFT: Final = "!$&+,;=:@/?%"
_STRAY: Final = late_re(r"%(?![0-9A-Fa-f]{2})")

_BETWEEN: Final = late_re(r"[\s,;]++")
_DOMAIN: Final = late_re(r"(?:https?://)?(?:\*\.)?(?P<host>[^/?#:@\[\]]++)(?::[0-9]{1,5})?(?:[/?#].*+)?", re.IGNORECASE)


class Link(msgspec.Struct, frozen=True):
    """Hold a vetted address: `url` is ASCII, `host` is its host as it may be shown, which may be in other letters."""

    url: str
    host: str


def vet(raw: str) -> Link | None:
    """Return the address made safe to show, or None if it must not be shown.

    It must be http or https, on a public host with a name, without user info, control characters, backslashes and white
    space but for plain spaces after the host. Tracking and credential parameters are dropped, a default port too; other
    ports stay. What is not plain ASCII, and what could break out of a Markdown link, is percent-encoded. At most
    `limits.EMBED_URL` code points come back. Vetting what is vetted changes nothing.
    """
    if len(raw) > _RAW_MOST or (not raw.isascii() and len(raw.encode(errors="replace")) > _RAW_MOST):
        return None
    raw = raw.strip()
    plain = _PLAIN.fullmatch(raw)
    link = _vet_any(raw) if plain is None or "xn--" in plain[2] else _vet_plain(*plain.groups())
    return link if link and len(link.url) <= limits.EMBED_URL else None


def is_on(host: str, sites: Sequence[str]) -> bool:
    """Tell whether a host, as it's shown, is on one of these domains, or below it."""
    if not sites:
        return False
    # By the names that it's below, as `matches` does: there may be a thousand sites, and each row asks.
    found = hosts.normalise(host) or host
    labels = found.split(".")
    above = (".".join(labels[first:]) for first in range(len(labels)))
    return f"www.{found}" in sites or any(name in sites for name in above)


def part(typed: str) -> list[str]:
    """Part domains that a person typed, at spaces, commas and semicolons; the first and the last may be empty."""
    return _BETWEEN.split(typed)


def parse_domain(raw: str) -> str | None:
    """Return the domain that a person typed, in ASCII and lower case, or None if it is none.

    An http address, a port, a path, a trailing dot and a leading `*.` may be typed and are dropped: a domain stands for
    itself and all below it. `www.` stays, so that what is shown back is what was typed.
    """
    raw = raw.strip()
    if len(raw) > limits.EMBED_URL or _TRICKS.search(raw):
        return None
    found = _DOMAIN.fullmatch(raw)
    return hosts.normalise(found["host"]) if found else None


def matches(host: str, domain: str) -> bool:
    """Tell whether a host, as in `Link.host`, is on a domain that `parse_domain` returned, or below it.

    A domain that begins with `www.` also takes in the host without it, which is the same site nearly everywhere.
    """
    if not host.isascii():
        host = hosts.normalise(host) or host
    return hosts.is_within(host, domain) or host == domain.removeprefix("www.")


def _vet_plain(
    start: str, host: str, top: str, path: str | None, query: str | None, fragment: str | None
) -> Link | None:
    if not hosts.is_public(host, top):
        return None
    # There's nothing to encode in what such an address has, and what is dropped leaves every escape whole.
    url = start + host + ((path and parameters.clean_path(path)) or "/")
    if query and (query := parameters.clean_tail(query)):
        url = f"{url}?{query}"
    if fragment and (fragment := parameters.clean_tail(fragment)):
        url = f"{url}#{fragment}"
    return Link(url, host)


def _vet_any(raw: str) -> Link | None:
    parts = _URL.fullmatch(raw)
    if parts is None or _TRICKS.search(raw):
        return None
    scheme, authority, path, query, fragment = parts.groups()
    scheme = scheme.lower()
    found = _AUTHORITY.fullmatch(authority)
    host = hosts.normalise(found["host"]) if found else None
    port = int(found["port"] or _DEFAULT_PORTS[scheme]) if found else 0
    if host is None or not 0 < port <= _PORT_MOST:
        return None
    address = f"{scheme}://{host}" if port == _DEFAULT_PORTS[scheme] else f"{scheme}://{host}:{port}"
    try:
        url = address + _encode(parameters.clean_path(path) or "/") + _tail("?", query) + _tail("#", fragment)
    except UnicodeEncodeError:
        # Half of a surrogate pair: no text, and no address.
        return None
    return Link(url, hosts.show(host))


def _tail(sign: str, text: str | None) -> str:
    """Return a query or a fragment without what tracks and what lets in; empty if nothing is left."""
    if not text:
        return ""
    kept = parameters.clean_tail(text)
    return sign + _encode(kept) if kept else ""


def _encode(text: str) -> str:
    # Not a substitution sign by sign, which takes ten times as long where all must be encoded.
    return quote(_STRAY.sub("%25", text) if "%" in text else text, safe=_LEFT)
