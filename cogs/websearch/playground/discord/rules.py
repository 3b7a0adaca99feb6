"""Check the body of a message against what Discord enforces, whether its API document says so or not.

Lengths are in code points after white space at both ends is trimmed, as Discord counts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final

from .component_rules import check_components, check_modal
from .lengths import length_flaws
from .messages import Flag
from .refusals import Flaw, Json
from .urls import url_flaws

__all__ = ["Files", "check_message", "check_modal"]

Path = tuple[str | int, ...]
Files = Sequence[tuple[str, bytes]]

CONTENT: Final = 2000
EMBEDS: Final = 10
TOTAL: Final = 6000
TITLE: Final = 256
DESCRIPTION: Final = 4096
AUTHOR: Final = 256
FOOTER: Final = 2048
FIELDS: Final = 25
FIELD_NAME: Final = 256
FIELD_VALUE: Final = 1024
URL: Final = 2048
COLOR: Final = 0xFFFFFF


def check_message(body: Json, files: Files = (), *, at: Path = (), edit: bool = False) -> list[Flaw]:
    """List what is wrong with a message's body; an edit may leave out or empty whatever it likes."""
    return list(_message(body, files, at, edit=edit))


def _message(body: Json, files: Files, at: Path, *, edit: bool) -> Iterator[Flaw]:
    new_style = bool((body.get("flags") or 0) & Flag.COMPONENTS_V2)
    yield from length_flaws(body.get("content"), (*at, "content"), 0, CONTENT)
    embeds = body.get("embeds") or ()
    if new_style and (body.get("content") or embeds):
        yield Flaw((*at, "flags"), "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", "No content, no embeds here")
    if len(embeds) > EMBEDS:
        yield Flaw((*at, "embeds"), "BASE_TYPE_MAX_LENGTH", f"Must be {EMBEDS} or fewer in length.")
    names = {name for name, _ in files} | {str(a.get("filename")) for a in body.get("attachments") or ()}
    for index, embed in enumerate(embeds):
        yield from _embed(embed, (*at, "embeds", index), names)
    if sum(map(_size, embeds)) > TOTAL:
        yield Flaw((*at, "embeds"), "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {TOTAL}")
    listed = body.get("components") or ()
    yield from check_components(listed, (*at, "components"), new_style=new_style, unsure=edit and "flags" not in body)
    yield from _attachments(body, files, at)


def _attachments(body: Json, files: Files, at: Path) -> Iterator[Flaw]:
    for index, item in enumerate(body.get("attachments") or ()):
        number = int(item["id"])
        # A small number points into the files of this request, an id names a file that the message has already.
        if len(files) <= number < len(files) + 10:
            message = "This attachment is not among the files."
            yield Flaw((*at, "attachments", index, "id"), "ATTACHMENT_NOT_FOUND", message)


def _embed(embed: Json, at: Path, files: set[str]) -> Iterator[Flaw]:
    yield from length_flaws(embed.get("title"), (*at, "title"), 0, TITLE)
    yield from length_flaws(embed.get("description"), (*at, "description"), 0, DESCRIPTION)
    yield from url_flaws(embed.get("url"), (*at, "url"), URL)
    author, footer = embed.get("author") or {}, embed.get("footer") or {}
    yield from length_flaws(author.get("name"), (*at, "author", "name"), 0, AUTHOR)
    yield from url_flaws(author.get("url"), (*at, "author", "url"), URL)
    yield from length_flaws(footer.get("text"), (*at, "footer", "text"), 0, FOOTER)
    for part, key in (("author", "icon_url"), ("footer", "icon_url"), ("image", "url"), ("thumbnail", "url")):
        url = (embed.get(part) or {}).get(key)
        if not (isinstance(url, str) and url.removeprefix("attachment://") in files):
            yield from url_flaws(url, (*at, part, key), URL)
    yield from _fields(embed.get("fields") or (), (*at, "fields"))
    color, timestamp = embed.get("color"), embed.get("timestamp")
    if color is not None and not (isinstance(color, int) and 0 <= color <= COLOR):
        yield Flaw((*at, "color"), "NUMBER_TYPE_MAX", f"int value should be between 0 and {COLOR}.")
    if timestamp is not None and not _is_time(timestamp):
        yield Flaw((*at, "timestamp"), "DATE_TIME_TYPE_PARSE", f"Could not parse {timestamp}. Should be ISO8601.")
    pictured = any(embed.get(part) for part in ("image", "thumbnail"))
    if not _size(embed) and not pictured:
        yield Flaw((*at, "description"), "BASE_TYPE_REQUIRED", "This field is required")


def _fields(fields: Sequence[Json], at: Path) -> Iterator[Flaw]:
    if len(fields) > FIELDS:
        yield Flaw(at, "BASE_TYPE_MAX_LENGTH", f"Must be {FIELDS} or fewer in length.")
    for index, field in enumerate(fields):
        for key, most in (("name", FIELD_NAME), ("value", FIELD_VALUE)):
            text = field.get(key)
            if not isinstance(text, str) or not text.strip():
                yield Flaw((*at, index, key), "BASE_TYPE_REQUIRED", "This field is required")
            yield from length_flaws(text, (*at, index, key), 0, most)


def _size(embed: Json) -> int:
    texts = [embed.get("title"), embed.get("description")]
    texts += [(embed.get("author") or {}).get("name"), (embed.get("footer") or {}).get("text")]
    for field in embed.get("fields") or ():
        texts += [field.get("name"), field.get("value")]
    return sum(len(text.strip()) for text in texts if isinstance(text, str))


def _is_time(text: object) -> bool:
    try:
        datetime.fromisoformat(str(text))
    except ValueError:
        return False
    return True
