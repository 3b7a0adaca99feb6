"""Define what a check finds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from .. import exitcodes
from ..i18n import N_

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Mark(StrEnum):
    """Say how a check ended."""

    OK = "ok"
    WARNING = "warning"
    WRONG = "wrong"
    SKIPPED = "skipped"


# As people read them, and screen readers say them.
MARKS: Final[Mapping[Mark, str]] = {
    Mark.OK: N_("ok"),
    Mark.WARNING: N_("warning"),
    Mark.WRONG: N_("wrong"),
    Mark.SKIPPED: N_("skipped"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """Hold what a check found, in sentences, and what to do about it where it isn't in them already.

    `code` is the exit code that something wrong stands for.
    """

    mark: Mark
    found: str
    todo: str = ""
    code: int = exitcodes.FAILED


def ok(found: str) -> Finding:
    """Say that all is well."""
    return Finding(mark=Mark.OK, found=found)


def warning(found: str, todo: str = "") -> Finding:
    """Say what works, but perhaps not as it was meant."""
    return Finding(mark=Mark.WARNING, found=found, todo=todo)


def wrong(found: str, todo: str = "", *, code: int = exitcodes.FAILED) -> Finding:
    """Say what doesn't work."""
    return Finding(mark=Mark.WRONG, found=found, todo=todo, code=code)


def skipped(found: str, todo: str = "") -> Finding:
    """Say what couldn't be looked at, and why."""
    return Finding(mark=Mark.SKIPPED, found=found, todo=todo)


def exit_code(findings: Sequence[Finding]) -> int:
    """Return the code of the first thing that's wrong: what comes after it may be wrong because of it."""
    return next((finding.code for finding in findings if finding.mark is Mark.WRONG), exitcodes.DONE)
