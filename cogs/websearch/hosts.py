"""Normalise host names, tell which are public, and show them without deceiving."""

from __future__ import annotations

import re
from typing import Final

import idna

from .patterns import late_re, late_regex

# RFC 1035: a name in ASCII; longer input is no host, whatever it decodes to.
_MOST: Final = 253
# An underscore is no host character, yet real sites have one in a label of their own.
_LABELS: Final = r"(?:[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)++"
# No top-level domain has a digit in it but those in punycode, so that this refuses IPv4 addresses in every spelling:
# what ends in a number is an address to browsers, decimal, octal, hexadecimal, short or in one number.
_LETTERS: Final = "[a-z]{2,63}"
_HOST: Final = late_re(rf"{_LABELS}({_LETTERS}|xn--[a-z0-9-]{{0,58}}[a-z0-9])")
# What `is_public` takes, for patterns of whole addresses: the host in a group, in it its top-level domain in another.
NAME: Final = rf"({_LABELS}({_LETTERS}))"
# IANA's special-use names (RFC 6761 and later), ICANN's `internal`, those that it will never delegate because
# networks at home and in offices use them, and other names of that kind.
_PRIVATE_TOP: Final = frozenset(
    {
        *("alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion", "test"),
        *("corp", "home", "mail"),
        *("belkin", "domain", "eth", "i2p", "intranet", "lan", "localdomain", "private", "router", "workgroup"),
        # What routers, clusters and ad blockers call themselves and what is behind them, none of it delegated.
        *("cluster", "consul", "docker", "fritz", "hole", "ip", "nas", "station", "svc"),
    }
)
# Public names made to answer with a private address that is spelled in front of them, or with the reader's own.
_ADDRESS_NAMES: Final = (
    *(".nip.io", ".sslip.io", ".xip.io", ".traefik.me", ".rbndr.us", ".1u.ms"),
    *(".localtest.me", ".lvh.me", ".lacolhost.com", ".vcap.me", ".fuf.me", ".local.gd", ".localho.st", ".localdev.me"),
    *(".smackaho.st", ".ddev.site", ".lndo.site", ".localhost.direct", ".localhost.localstack.cloud"),
)
# Names under public domains at which a router answers to whoever is behind it, as their makers print them on the box.
_ROUTER_NAMES: Final = (
    *(".fritz.box", ".easy.box", ".o2.box", ".hi.link", ".gateway.2wire.net"),
    *(".routerlogin.net", ".routerlogin.com", ".orbilogin.net", ".orbilogin.com", ".mywifiext.net", ".mywifiext.com"),
    *(".tplinkwifi.net", ".tplinklogin.net", ".tplinkmodem.net", ".tplinkextender.net", ".tplinkrepeater.net"),
    *(".tplinkap.net", ".tplinkplclogin.net", ".tendawifi.com", ".router.asus.com", ".repeater.asus.com"),
    *(".asusrouter.com", ".router.miwifi.com", ".router.synology.com", ".extender.linksys.com"),
)
_LOCAL_NAMES: Final = _ADDRESS_NAMES + _ROUTER_NAMES
# There are more names that spell an address than a list can hold. So none passes that spells an IPv4 address out in
# labels of its own, or a private one with hyphens. The digit comes first, since `re` skips quickly to one.
_SPELLED: Final = late_re(
    r"""
    [0-9] (?: (?<![a-z0-9_-].) [0-9]{0,2}\. (?:[0-9]{1,3}\.){3}
            | (?<![a-z0-9].) (?: (?:(?<=0)|(?<=1)(?:0|27))-[0-9]{1,3}
                               | (?<=1)(?:92-168|69-254|72-(?:1[6-9]|2[0-9]|3[01])) )
              -[0-9]{1,3}-[0-9]{1,3} (?![a-z0-9]) )
    """,
    re.VERBOSE,
)


# Scripts whose letters look like none of another script that is shown, nor like a dot or a slash.
_DISTINCT: Final = late_regex(r"(?V1)[[\p{Han}\p{Hiragana}\p{Katakana}ー]--[ノ丶丿一〇〳〵ゝゞ]]+|\p{Hangul}+")
# Western European letters, without those that differ from i, l, p and y by a speck.
_LATIN: Final = late_regex("[a-zß-ëñ-öø-ü]+")
# Scripts with look-alikes of Latin letters: they are shown where the top-level domain is in the same script.
_OWN_TOP: Final = (
    late_regex(r"\p{Cyrillic}+"),
    late_regex(r"\p{Greek}+"),
    late_regex(r"\p{Thai}+"),
    late_regex(r"\p{Devanagari}+"),
)
_ELLIPSIS: Final = "…"
_NEUTRAL: Final = str.maketrans("", "", "0123456789-")


def normalise(raw: str) -> str | None:
    """Return a host's name in ASCII and lower case, without a trailing dot, or None if it is none of a public host.

    A public host has a dot and a top-level domain that is neither reserved nor a number: no IP address passes, in no
    spelling, not even that of a public host, for a site that has no name is none that a search should lead to.
    """
    if not raw or len(raw) > _MOST:
        return None
    host = raw.lower()
    if not host.isascii() or "xn--" in host:
        try:
            # UTS 46, nontransitional, as browsers do it; what a label in punycode holds is checked as well.
            host = idna.encode(host, uts46=True, std3_rules=True).decode("ascii")
        except (idna.IDNAError, UnicodeError):
            return None
    host = host.removesuffix(".")
    found = _HOST.fullmatch(host)
    return host if found and is_public(host, found[1]) else None


def is_public(host: str, top: str) -> bool:
    """Tell whether a host, which is well-formed and has that top-level domain, is neither reserved nor too long.

    One that is made to answer with an address in numbers isn't public either, nor the name of a router at home.
    """
    if top in _PRIVATE_TOP or len(host) > _MOST or f".{host}".endswith(_LOCAL_NAMES):
        return False
    return _SPELLED.search(host) is None


def is_within(host: str, domain: str) -> bool:
    """Tell whether the host, in ASCII, is the domain or below it."""
    return host == domain or host.endswith(f".{domain}")


def shorten(host: str, most: int) -> str:
    """Return a host, as it is shown, in at most `most` code points: its end, from a dot on, behind an ellipsis.

    Whose site it is stands at the end; what stands before can be any name that the owner likes to be taken for.
    """
    if len(host) <= most:
        return host
    end = host[len(host) - max(0, most - len(_ELLIPSIS)) :]
    # Only a single label that is longer than all of that is cut where it has no dot.
    return _ELLIPSIS + (end[end.find(".") :] if "." in end[:-1].partition(".")[2] else end)


def show(host: str) -> str:
    """Return a normalised host as a reader should see it: in letters where these can't deceive, else in punycode.

    Letters are shown if every label keeps to one script that is told from all others at a glance: Western European,
    Chinese and Japanese, Korean; Cyrillic, Greek, Thai and Devanagari if all labels are, the top-level domain too.
    Hosts written from right to left stay in punycode, since they turn the order of what stands beside them.
    """
    if "xn--" not in host:
        return host
    try:
        shown = idna.decode(host)
    except (idna.IDNAError, UnicodeError):
        return host
    bare = [label.translate(_NEUTRAL) for label in shown.split(".")]
    own = [script for script in _OWN_TOP if script.fullmatch(bare[-1])]
    for label in bare:
        scripts = (*own, _DISTINCT, _LATIN)
        if label and not any(script.fullmatch(label) for script in scripts):
            return host
    # Below such a top-level domain a Latin label could be the look-alike.
    mixed = own and any(label.isascii() and label for label in bare)
    return host if mixed else shown
