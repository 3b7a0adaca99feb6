"""Decide whether searching is allowed at a place, and by which rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import errors

if TYPE_CHECKING:
    from .config import Config
    from .models import Asker


def check(config: Config, asker: Asker) -> None:
    """Raise the `SearchRefused` that says why the asker may not search there; work on values in memory alone."""
    if not config.enable_web_search:
        raise errors.SearchDisabled
    if asker.user_install and not config.web_user_install:
        raise errors.UserInstallDisabled
