"""Hold what the checks look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import keys
from ..backends import redaction
from ..config import KEYS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..config import Config
    from ..i18n import Words


@dataclass(frozen=True, kw_only=True)
class Case:
    """Hold the configuration of a bot as far as it can be used, and how it's to be looked at.

    `config` is None where it can't be used as a whole; `stored` is what of it needs no key, None where it can't be read
    at all, and `table` what the file holds, as it stands there. `live` tells whether engine and Discord may be asked,
    `seconds` how long each answer is waited for.
    """

    env: Mapping[str, str]
    words: Words
    config: Config | None
    stored: Config | None
    table: Mapping[str, object]
    live: bool
    seconds: float

    @property
    def token(self) -> str:
        """Give the bundled bot's token, of the environment where the configuration can't be used."""
        if self.stored is not None:
            return self.stored.discord_token
        return usable(self.env.get(KEYS["discord-token"].variable, ""))

    @property
    def secrets(self) -> tuple[str, ...]:
        """Give all that must never be shown, the longest first."""
        named = {usable(self.env.get(key.variable, "")) for key in KEYS.values() if key.variable}
        secret = [name for name, key in KEYS.items() if isinstance(key.kind, keys.Secret)]
        # Also where something else in the file is wrong, so that it can't be used.
        named |= {usable(value) for name in secret if isinstance(value := self.table.get(name), str)}
        read = self.config or self.stored
        if read is not None:
            named |= {str(getattr(read, name.replace("-", "_"))) for name in secret}
        return tuple(sorted(filter(None, named), key=len, reverse=True))

    def outside(self, said: str) -> str:
        """Return what came from elsewhere, such as a server's name, as one clean line without any part of a secret."""
        return redaction.explain(said, self.secrets)


def usable(secret: str) -> str:
    """Return a secret without white space around it, nothing where it can be none."""
    secret = secret.strip()
    return secret if len(secret) >= keys.SECRET_LENGTH and secret.isascii() and secret.isprintable() else ""
