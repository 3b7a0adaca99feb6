"""Take out of an address what tracks its reader, and what lets in whoever has it.

Both stand in queries, in fragments, in paths, and in an address that's a value in another one: there percent-encoded,
or not. What else stands there stays as it is and in its order.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

from .patterns import late_re

_TRACKING_PREFIXES: Final = ("utm_", "hsa_", "mtm_", "pk_", "piwik_", "oly_", "vero_", "__hs")
# What advertisers and mailers add to tell who came from where, as the filter lists of browsers name them.
_TRACKING_NAMES: Final = """
_ga _gl _hsenc _hsmi _kx _openstat dclid dm_i epik fbclid gad_campaignid gad_source gbraid gclid gclsrc gs_l
hsctatracking igsh igshid li_fat_id mc_cid mc_eid mkt_tok ml_subscriber ml_subscriber_hash msclkid rb_clickid s_cid
s_kwcid sc_cid sccid srsltid trk_contact trk_msg ttclid twclid wbraid wickedid yclid ymclid ysclid
"""
_TRACKING: Final = frozenset(_TRACKING_NAMES.split())
# Names of parameters that let whoever has the address in, of their letters alone.
_CREDENTIAL_NAMES: Final = """
aspsessionid auth authkey authorization awsaccesskeyid bearer jwt keypairid oauthverifier phpsessid pwd samlresponse
sess session sid sig xamzcredential xgoogcredential
"""
_CREDENTIALS: Final = frozenset(_CREDENTIAL_NAMES.split())
# What such a name ends in where it says more closely what it's for: `reset_password_token`, `userPassword`.
_CREDENTIAL_ENDS: Final = (
    *("token", "secret", "password", "passwordconfirmation", "passwd", "passphrase", "credential", "credentials"),
    *(
        "apikey",
        "accesskey",
        "accesskeyid",
        "secretkey",
        "privatekey",
        "sessionid",
        "sessid",
        "sessionkey",
        "signature",
    ),
)
# Of those the ones that say which page of a list comes next, or which coin is changed into which.
_ORDINARY_ENDS: Final = (
    *("pagetoken", "continuationtoken", "cursortoken", "nexttoken"),
    *("inputtoken", "outputtoken", "fromtoken", "buytoken", "selltoken"),
)
# A session that is a number, a year or a span of years is one of a conference or a parliament, such as 88R or 2023-24.
_SESSIONS: Final = frozenset({"sess", "session"})
_NUMBERED: Final = late_re(r"[0-9]{1,8}(?:[(.-][0-9A-Za-z]{1,4}\)?)?|[0-9]{1,4}[A-Za-z]{1,4}")
_UNNAMED: Final = late_re("[^a-z0-9]")
# No program nests the names of its parameters as deep; one that seems so is dropped without a look at each.
_DEEPEST: Final = 32

# What stands between parameters. An ampersand may have been encoded for HTML and never decoded; single-page sites have
# a query in their fragment; and inside of a value each of them is encoded, as is the sign before a fragment.
_BETWEEN: Final = late_re(r"(&(?:amp;){0,3}+|[;?])")
_BETWEEN_NESTED: Final = late_re(r"(%26(?:amp(?:;|%3B)){0,3}+|%3B|%3F|%23)", re.IGNORECASE)
_BETWEEN_IN_PATH: Final = late_re(r"(;|%26(?:amp(?:;|%3B)){0,3}+|%3B|%3F|%23)", re.IGNORECASE)
_EQUALS: Final = late_re("=|%3D", re.IGNORECASE)
_BEGINS: Final = frozenset({"", "?", "%3f"})
# Of these also a value may have one of its own.
_IN_VALUE: Final = frozenset({";", "?", "%3b", "%3f"})

_SLASH: Final = "(?:/|%2[Ff])"
# A session of ASP.NET in the path: `/(S(lit3py55t21z5v55vlm25s55))/`.
_PATH_SESSION: Final = late_re(
    rf"{_SLASH}(?:\(|%28)(?:X(?:\(|%28)[0-9](?:\)|%29))?"
    rf"(?:[A-Z](?:\(|%28)[A-Za-z0-9_-]{{12,}}+(?:\)|%29)){{1,4}}+(?:\)|%29)(?={_SLASH}|\Z)"
)
# Whoever has such an address may write into a channel of Discord or Slack, or act as a bot of Telegram.
_HOOK: Final = late_re(
    rf"{_SLASH}(?:webhooks{_SLASH}[0-9]{{15,20}}+(?={_SLASH}.)"
    rf"|services{_SLASH}T[A-Z0-9]{{6,}}+{_SLASH}B[A-Z0-9]{{6,}}+(?={_SLASH}.)"
    r"|bot[0-9]{6,12}+(?=(?::|%3[Aa])[A-Za-z0-9_-]{30}))"
)
_PART_ENDS: Final = late_re("[?#&;]|%(?:3F|23|26|3B)", re.IGNORECASE)
_NESTED_ADDRESS: Final = late_re("(?::|%3A)(?://|%2F%2F)", re.IGNORECASE)
_AUTHORITY_ENDS: Final = late_re("[/?#&;]|%(?:2F|3F|23|26|3B)", re.IGNORECASE)
# Without any of these nothing is nested in a query or a fragment, which ampersands alone part then.
_NESTS: Final = late_re("[#%(/;?@]")
# Taking something out can put together what is to be taken out; only what is built for it does so for long.
_ROUNDS: Final = 4


def clean_path(path: str) -> str:
    """Return a path, with its slashes, without what lets in; empty if it goes on bringing such to light."""
    if not (";" in path or "%" in path or "(" in path or "@" in path or _has_hook(path)):
        return path
    for _ in range(_ROUNDS):
        before = path
        if ";" in path or "%" in path:
            path = "/".join(_keep(_BETWEEN_IN_PATH.split(segment), judge_first=False) for segment in path.split("/"))
        path = _without_secrets(path)
        if path == before:
            return path
    return ""


def clean_tail(tail: str) -> str:
    """Return a query or a fragment, without its sign, what tracks and what lets in; empty if that's all.

    A fragment's sign in it comes back percent-encoded, since it's none there.
    """
    if _NESTS.search(tail) is None:
        # Whatever goes brings nothing to light.
        kept = "&".join([piece for piece in tail.split("&") if not _is_dropped(piece)])
        return kept if kept.strip("&") else ""
    tail = tail.replace("#", "%23")
    for _ in range(_ROUNDS):
        before = tail
        tail = _without_secrets(_keep(_BETWEEN.split(tail), judge_first=True))
        if tail == before:
            return tail if tail.strip("&;?") else ""
    return ""


def _keep(parts: list[str], *, judge_first: bool) -> str:
    """Put parameters, with the signs between them, together without those that are dropped.

    The first one is dropped only if `judge_first`; elsewhere it's none. With that also what values hold is looked at.
    """
    kept: list[str] = []
    lead: str | None = None
    dropped = False
    for number, (sign, piece) in enumerate(zip(("", *parts[1::2]), parts[::2], strict=True)):
        rest = dropped and sign.lower() in _IN_VALUE and not _EQUALS.search(piece.rstrip("="))
        dropped = rest or ((number > 0 or judge_first) and _is_dropped(piece))
        if dropped:
            lead = sign if lead is None else lead
            continue
        # What begins a query, of its own or in a fragment, still does once its first parameters are gone.
        begins = lead is not None and lead.lower() in _BEGINS and sign != "%23"
        kept.append(lead or "" if begins else sign)
        nested = judge_first and "%" in piece and _BETWEEN_NESTED.search(piece)
        kept.append(_keep(_BETWEEN_NESTED.split(piece), judge_first=False) if nested else piece)
        lead = None
    return "".join(kept)


def _is_dropped(piece: str) -> bool:
    name, equals, value = piece.partition("=")
    if "%" in name:
        if found := _EQUALS.search(name):
            name, equals, value = name[: found.start()], found[0], piece[found.end() :]
        if _BETWEEN_NESTED.search(name):
            # These are several, and looked at one by one.
            return False
        name = unquote(name)
    name = name.lower()
    if name in _TRACKING or name.startswith(_TRACKING_PREFIXES):
        return True
    if not equals:
        return False
    if "[" not in name:
        return _lets_in(name, value)
    return name.count("[") > _DEEPEST or any(_lets_in(part, value) for part in name.split("["))


def _lets_in(name: str, value: str) -> bool:
    bare = name if name.isalpha() else _UNNAMED.sub("", name).rstrip("0123456789")
    if bare in _SESSIONS:
        return _NUMBERED.fullmatch(unquote(value)) is None
    return bare in _CREDENTIALS or (bare.endswith(_CREDENTIAL_ENDS) and not bare.endswith(_ORDINARY_ENDS))


def _without_secrets(text: str) -> str:
    """Leave out sessions in a path, user info of an address in the address, and what makes a hook of an address."""
    if "(" in text or "%28" in text:
        text = _PATH_SESSION.sub("", text)
    if "@" in text or "%40" in text:
        text = _without_user_info(text)
    if not _has_hook(text):
        return text
    kept: list[str] = []
    start = 0
    for hook in _HOOK.finditer(text):
        if hook.start() >= start:
            # What follows the secret only says what to do with it.
            end = _PART_ENDS.search(text, hook.end())
            kept.append(text[start : hook.end()])
            start = end.start() if end else len(text)
    return "".join((*kept, text[start:]))


def _has_hook(text: str) -> bool:
    """Tell whether there could be what makes a hook of an address."""
    return "bot" in text or "services" in text or "webhooks" in text


def _without_user_info(text: str) -> str:
    kept: list[str] = []
    start = 0
    for scheme in _NESTED_ADDRESS.finditer(text):
        end = _AUTHORITY_ENDS.search(text, scheme.end())
        authority = text[scheme.end() : end.start() if end else len(text)]
        told = max(authority.rfind("@") + 1, authority.rfind("%40") + 3 if "%40" in authority else 0)
        if told:
            kept.append(text[start : scheme.end()])
            start = scheme.end() + told
    return "".join((*kept, text[start:]))
