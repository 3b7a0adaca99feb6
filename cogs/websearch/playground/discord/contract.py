"""Check bodies against Discord's published API document, where it's at hand.

The document describes requests and answers by path template and method. It's no part of this project. In two things
it's stricter than Discord's servers, and is read as they are: they take an id as a number, too, and they know media
channels, which Discord's documentation lists as type 16 and discord.py names in every option for any channel.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from .refusals import Flaw, Json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_FILE: Final = "discord-openapi.json"
_VARIABLE: Final = "WEBSEARCH_CONTRACTS"
# A checkout's own folder, and beside it the folder that holds what several checkouts share.
_BESIDE: Final = (Path(__file__).resolve().parent / "../../../../../shared/contracts").resolve()
_ROOT: Final = "urn:discord"


def find_document() -> Path | None:
    """Return the path of the document: in the folder that `WEBSEARCH_CONTRACTS` names, else beside the checkout."""
    path = Path(os.environ.get(_VARIABLE) or _BESIDE) / _FILE
    return path if path.is_file() else None


@cache
def _read(path: Path) -> Json:
    """Read the document once a process: it's large, and never changed."""
    document: Json = json.loads(path.read_text(encoding="utf-8"))
    schemas = document["components"]["schemas"]
    schemas["SnowflakeType"].update({"type": ["string", "integer"], "minimum": 0})
    schemas["ChannelTypes"]["oneOf"].append({"title": "GUILD_MEDIA", "const": 16})
    return document


class Mismatch(Protocol):
    """Be what jsonschema says about one thing that does not fit."""

    @property
    def context(self) -> Sequence[Mismatch]:
        """List what each member of a union says."""

    @property
    def absolute_path(self) -> Sequence[str | int]:
        """Tell the place in the body."""

    @property
    def relative_path(self) -> Sequence[str | int]:
        """Tell the place below the union."""

    @property
    def schema_path(self) -> Sequence[str | int]:
        """Tell the place in the schema below the union."""

    @property
    def validator(self) -> str:
        """Tell the keyword that does not hold."""

    @property
    def message(self) -> str:
        """Tell what is wrong."""


class Validator(Protocol):
    """Be a compiled schema."""

    def iter_errors(self, instance: object) -> Iterator[Mismatch]:
        """List what does not fit."""


class Contract:
    """Check bodies, each kind by a validator that is made when it's first needed."""

    def __init__(self, path: Path) -> None:
        """Read the document; raise ImportError where jsonschema is not installed."""
        from jsonschema import Draft202012Validator  # noqa: PLC0415 - a test dependency, nobody else needs it
        from referencing import Registry  # noqa: PLC0415 - it comes with jsonschema
        from referencing.jsonschema import DRAFT202012  # noqa: PLC0415 - it comes with jsonschema

        self._document = _read(path)
        registry: Registry[Any] = Registry()
        self._registry = registry.with_resource(_ROOT, DRAFT202012.create_resource(self._document))
        self._validator = Draft202012Validator
        self._validators: dict[str, Validator] = {}

    def check_request(self, method: str, template: str, body: object) -> list[Flaw]:
        """List what is wrong with a request's body; an operation that the document doesn't know has no flaws."""
        operation = self._operation(method, template)
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" not in content:
            return []
        steps = ("paths", template, method.lower(), "requestBody", "content", "application/json", "schema")
        return self._check(steps, body)

    def check_answer(self, method: str, template: str, status: int, body: object) -> list[Flaw]:
        """List what is wrong with an answer of ours."""
        responses = self._operation(method, template).get("responses", {})
        if "application/json" not in responses.get(str(status), {}).get("content", {}):
            return []
        steps = ("paths", template, method.lower(), "responses", str(status), "content", "application/json", "schema")
        return self._check(steps, body)

    def _operation(self, method: str, template: str) -> Json:
        operation: Json = self._document["paths"].get(template, {}).get(method.lower(), {})
        return operation

    def _check(self, steps: Iterable[str], body: object) -> list[Flaw]:
        pointer = "/".join(step.replace("~", "~0").replace("/", "~1") for step in steps)
        validator = self._validators.get(pointer)
        if validator is None:
            schema = {"$ref": f"{_ROOT}#/{pointer}"}
            validator = self._validators[pointer] = self._validator(schema, registry=self._registry)
        return [
            Flaw(tuple(error.absolute_path), f"CONTRACT_{str(error.validator).upper()}", error.message[:300])
            for top in validator.iter_errors(body)
            for error in _leaves(top)
        ]


def _leaves(error: Mismatch) -> Iterator[Mismatch]:
    """Find, below a union that nothing fits, what is wrong with the member that was meant: the one of the same type."""
    if not error.context:
        yield error
        return
    branches: dict[Any, list[Mismatch]] = {}
    for inner in error.context:
        branches.setdefault(inner.schema_path[0], []).append(inner)
    meant = [errors for errors in branches.values() if not any(_is_about_type(inner) for inner in errors)]
    if not meant:
        yield error
        return
    for inner in min(meant, key=len):
        yield from _leaves(inner)


def _is_about_type(error: Mismatch) -> bool:
    wrong_member = list(error.relative_path)[-1:] == ["type"] and len(error.relative_path) == 1
    return wrong_member or (error.validator == "type" and not error.relative_path)


def load() -> Contract | None:
    """Return the contract, or None where the document or jsonschema is not there."""
    path = find_document()
    if path is None:
        return None
    try:
        return Contract(path)
    except ImportError:
        return None
