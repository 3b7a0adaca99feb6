"""Remember through restarts, where there's no database, that something was done lately: by the age of a small file."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_APPLICATION: Final = "discord-websearch"


def claim(what: str, *, now: float, seconds: float, folder: Path | None = None) -> bool:
    """Tell whether `what` wasn't claimed for so many seconds at `now` (Unix seconds), and claim it.

    `folder` is by default the one in which this system's users keep what may be lost. Where nothing can be kept there,
    nothing can be claimed: what can't be remembered would be done at each start. Two who ask at the very same moment
    may both be told so.
    """
    try:
        mark = (folder or _user_cache()) / f"{hashlib.sha256(what.encode('utf-8', 'replace')).hexdigest()[:32]}.mark"
        mark.parent.mkdir(parents=True, exist_ok=True)
        if mark.exists() and 0 <= now - mark.stat().st_mtime < seconds:
            return False
        mark.touch()
        os.utime(mark, (now, now))
    except (OSError, RuntimeError, OverflowError):
        # RuntimeError where the system knows no home of this user.
        return False
    return True


def _user_cache() -> Path:
    # Whoever has a database never gets here.
    import platformdirs  # noqa: PLC0415 - see above

    path = platformdirs.user_cache_path(_APPLICATION)
    if not path.is_absolute():
        # Earlier versions of platformdirs leave a tilde that stands for nothing, as a folder of that name.
        raise RuntimeError
    return path
