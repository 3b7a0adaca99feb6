"""Stand in for patterns until they're used: a bot that starts would else wait until a hundred of them are compiled."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, AnyStr, cast

import regex

if TYPE_CHECKING:
    from collections.abc import Callable


class Late:
    """Compile a pattern by `make` when it's first asked for something; from then on, its methods are that one's."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - as different as what patterns do
        """Compile the pattern: this is called for what isn't there yet, and so but once."""
        compiled = self.make()
        vars(self).update({each: getattr(compiled, each) for each in dir(compiled) if not each.startswith("_")})
        return getattr(compiled, name)


def late_re(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern of the standard library that's compiled when it's first used."""
    return cast("re.Pattern[AnyStr]", Late(partial(re.compile, source, flags)))


def late_regex(source: str, flags: int = 0) -> regex.Pattern[str]:
    """Return a pattern of the `regex` package, likewise."""
    return cast("regex.Pattern[str]", Late(partial(regex.compile, source, flags)))
