"""Check URLs the way Discord does: http or https, a host with a dot, no white space, not too long."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from .refusals import Flaw

if TYPE_CHECKING:
    from collections.abc import Iterator


def url_flaws(url: object, at: tuple[str | int, ...], most: int) -> Iterator[Flaw]:
    """List what is wrong with a URL; none at all is fine."""
    if url is None:
        return
    if not isinstance(url, str) or len(url) > most:
        yield Flaw(at, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")
    elif not url.lower().startswith(("http://", "https://")):
        scheme = url.partition(":")[0] if ":" in url else ""
        message = f"Scheme {scheme[:40]!r} must be one of ('http', 'https')."
        yield Flaw(at, "URL_TYPE_INVALID_SCHEME", message)
    elif not _is_well_formed(url):
        yield Flaw(at, "URL_TYPE_INVALID_URL", "Not a well formed URL.")


def _is_well_formed(url: str) -> bool:
    # Python's parser drops tabs and line breaks, so white space is looked for first.
    if any(character.isspace() or ord(character) < ord(" ") for character in url):
        return False
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    return all(host.partition(".")[::2]) or (host.startswith("[") and ":" in host)
