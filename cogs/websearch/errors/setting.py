"""Define why a moderator's change of settings is not made."""

from __future__ import annotations

from typing import ClassVar

from .root import WebSearchError


class SettingError(WebSearchError):
    """Be raised for a change of settings that can't be made as it was asked for."""


class InvalidDuration(SettingError):
    """Say that `value`, cleaned and unescaped, is no duration, or one that's too short or too long."""

    key: ClassVar[str] = "duration-invalid"
    value: str


class PlacesExclusive(SettingError):
    """Say that a channel and the whole server were named at once."""

    key: ClassVar[str] = "places-exclusive"


class PlaceUnknown(SettingError):
    """Say that Discord did not tell where the command was used."""

    key: ClassVar[str] = "place-unknown"


class ServerNotManaged(SettingError):
    """Say that whoever asked may not manage the server."""

    key: ClassVar[str] = "server-not-managed"


class ChannelNotManaged(SettingError):
    """Say that whoever asked may not manage the channel or category."""

    key: ClassVar[str] = "channel-not-managed"


class ThreadNotManaged(SettingError):
    """Say that whoever asked may manage neither the thread nor its channel."""

    key: ClassVar[str] = "thread-not-managed"


class ChannelNotSeen(SettingError):
    """Say that whoever asked can't see the channel."""

    key: ClassVar[str] = "channel-not-seen"


class InvalidDomain(SettingError):
    """Say that `site`, cleaned and unescaped, is no domain."""

    key: ClassVar[str] = "domain-invalid"
    site: str


class DomainMissing(SettingError):
    """Say that no domain was named."""

    key: ClassVar[str] = "domain-missing"


class TooManyDomains(SettingError):
    """Say how many domains can be named at once."""

    key: ClassVar[str] = "domains-too-many"
    most: int


class TooManySiteRules(SettingError):
    """Say how many sites a server can block or allow."""

    key: ClassVar[str] = "site-rules-too-many"
    most: int
