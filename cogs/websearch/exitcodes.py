"""Define the exit codes of the command line; the help of `commandline` says what they mean."""

from __future__ import annotations

from typing import Final

from . import errors

DONE: Final = 0
NOTHING: Final = 1
WRONG: Final = 2
FAILED: Final = 3
INTERRUPTED: Final = 130


def of(error: errors.WebSearchError) -> int:
    """Return the code of an error that ended what was to be done."""
    match error:
        case errors.NoResults():
            return NOTHING
        case errors.ConfigError() | errors.InvalidSearch() | errors.SearchRefused() | errors.BackupRefused():
            return WRONG
        case _:
            return FAILED
