"""Define what all errors of this package share."""

from __future__ import annotations

from typing import ClassVar, Self, dataclass_transform


@dataclass_transform(eq_default=False)
class WebSearchError(Exception):
    """Be the root of every error that this package raises on purpose.

    What a class annotates is a parameter of its errors, as a dataclass would have it; those behind `_: KW_ONLY` are
    given by name. No dataclass, since each of these writes its methods as code, and a bot would wait for all of them.
    """

    key: ClassVar[str] = "error"
    # The names of all parameters, and of those that may be given by their place.
    parameters: ClassVar[tuple[str, ...]] = ()
    _placed: ClassVar[tuple[str, ...]] = ()
    # Set by who has words, and knows that no parameter holds what a member typed: see `wording.told_to_owner`.
    sentence: str = ""

    def __init_subclass__(cls) -> None:
        """Find out what a class takes."""
        own = [name for name, kind in cls.__annotations__.items() if not kind.startswith("ClassVar")]
        placed = own[: own.index("_")] if "_" in own else own
        cls._placed = (*cls._placed, *placed)
        cls.parameters = (*cls.parameters, *(name for name in own if name != "_"))

    def __init__(self, *values: object, **named: object) -> None:
        super().__init__(*values)
        given = {**dict(zip(self._placed, values, strict=False)), **named}
        lacking = [name for name in self.parameters if name not in given and not hasattr(self, name)]
        if lacking or len(given) < len(values) + len(named) or not given.keys() <= set(self.parameters):
            message = f"{type(self).__name__} takes {self.parameters}"
            raise TypeError(message)
        vars(self).update(given)

    def but(self, **changed: object) -> Self:
        """Return the same error with other values for some parameters."""
        return type(self)(**{**{name: getattr(self, name) for name in self.parameters}, **changed})

    def __str__(self) -> str:
        """Return the sentence for the owner where it was set, else the key alone: parameters may hold a query."""
        return self.sentence or self.key


class SearchError(WebSearchError):
    """Be raised for a search that brings no results."""


class OwnFault(WebSearchError):
    """Say that something in this package is wrong, which nobody who reads this can mend."""

    key: ClassVar[str] = "own-fault"
