"""Let the endpoint's model talk and call tools as a test says, by the rules that OpenAI's reference has for both."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import jsonschema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    # Makes what the model says next of a request's body.
    Model: TypeAlias = "Callable[[dict[str, Any]], Turn]"

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True)
class Turn:
    """Hold what the model says: a text, or calls, each a tool's name and its arguments as the model writes them."""

    text: str | None = None
    calls: tuple[tuple[str, str], ...] = field(default=())

    @property
    def message(self) -> dict[str, Any]:
        """Make the message of a completion."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text, "refusal": None}
        if self.calls:
            message["tool_calls"] = [
                {"id": f"call_{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
                for number, (name, arguments) in enumerate(self.calls, start=1)
            ]
        return message

    @property
    def finish(self) -> str:
        """Tell why the model stopped."""
        return "tool_calls" if self.calls else "stop"


def call(name: str, **arguments: object) -> Turn:
    """Make a turn that calls one tool."""
    return Turn(calls=((name, json.dumps(arguments)),))


def names(body: dict[str, Any]) -> list[str]:
    """List the names of the tools that a request offers."""
    return [tool["function"]["name"] for tool in body.get("tools", ())]


def problem(body: dict[str, Any]) -> str | None:
    """Return the sentence with which tools, calls or their results are refused, or None where they're taken."""
    return next(chain(_in_tools(body.get("tools")), _in_results(body["messages"])), None)


def _in_tools(tools: Any) -> Iterator[str]:  # noqa: ANN401 - whatever was sent
    if tools is None:
        return
    if not isinstance(tools, list) or not tools:
        # OpenAI takes no empty list.
        yield "Invalid 'tools': empty array. Expected an array with minimum length 1"
        return
    for tool in tools:
        function = tool.get("function") if isinstance(tool, dict) and tool.get("type") == "function" else None
        if not isinstance(function, dict) or set(function) - {"name", "description", "parameters", "strict"}:
            yield "Invalid 'tools'"
        elif not _NAME.fullmatch(function.get("name", "")):
            yield "Invalid 'tools.function.name'"
        else:
            try:
                jsonschema.Draft202012Validator.check_schema(function["parameters"])
            except (KeyError, jsonschema.SchemaError):
                yield "Invalid schema for function"


def _in_results(messages: list[dict[str, Any]]) -> Iterator[str]:
    """Find calls without a result, and results without a call."""
    waiting: list[str] = []
    for message in (*messages, {"role": "end"}):
        if message["role"] == "tool" and message.get("tool_call_id") in waiting:
            waiting.remove(message["tool_call_id"])
        elif message["role"] == "tool":
            yield "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
        elif waiting:
            yield "An assistant message with 'tool_calls' must be followed by tool messages responding to each of them"
        else:
            waiting = [made["id"] for made in message.get("tool_calls") or ()]
