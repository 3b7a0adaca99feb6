"""Turn the embed of a request into the embed of an answer, as Discord does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .refusals import Json

_PICTURES: Final = ("image", "thumbnail")


def returned(embed: Json) -> Json:
    """Trim the texts, leave out what is null, and add what Discord adds: the type, and the proxies of pictures."""
    answer: Json = {"type": "rich"}
    for key in ("title", "description", "url", "timestamp", "color"):
        value = embed.get(key)
        if value is not None:
            answer[key] = value.strip() if isinstance(value, str) else value
    for key in _PICTURES:
        if embed.get(key):
            url = embed[key]["url"]
            answer[key] = {"url": url, "proxy_url": proxied(url), "width": 0, "height": 0, "flags": 0}
    if embed.get("author"):
        answer["author"] = _named(embed["author"], "name")
    if embed.get("footer"):
        answer["footer"] = _named(embed["footer"], "text")
    if embed.get("fields"):
        answer["fields"] = [
            {"name": f["name"].strip(), "value": f["value"].strip(), "inline": bool(f.get("inline"))}
            for f in embed["fields"]
        ]
    return answer


def _named(part: Json, text: str) -> Json:
    answer: Json = {text: (part.get(text) or "").strip()}
    if part.get("url"):
        answer["url"] = part["url"]
    if part.get("icon_url"):
        answer |= {"icon_url": part["icon_url"], "proxy_icon_url": proxied(part["icon_url"])}
    return answer


def proxied(url: str) -> str:
    """Name the address under which Discord's own proxy serves a picture."""
    scheme, _, rest = url.partition("://")
    return f"https://images-ext-1.discordapp.net/external/loopback/{scheme}/{rest}"
