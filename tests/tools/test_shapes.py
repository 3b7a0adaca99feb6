"""Hold the descriptions of the tools against what the vendors' own types and rules take."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

import jsonschema
import pytest
from openai.types.chat import ChatCompletionFunctionToolParam
from pydantic import ConfigDict, TypeAdapter, with_config

from bots import cog_of
from chatting import ALL, Chat
from cogs.websearch import tool_schemas, tools
from cogs.websearch.tool_schemas import Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

# What Anthropic's reference says of a tool that the caller runs: `name`, `description` and `input_schema`, of type
# object, with further keys that we don't send.
ANTHROPIC: Final = {
    "type": "object",
    "required": ["name", "description", "input_schema"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,128}$"},
        "description": {"type": "string", "minLength": 1},
        "input_schema": {
            "type": "object",
            "required": ["type"],
            "properties": {"type": {"const": "object"}, "required": {"type": "array", "items": {"type": "string"}}},
        },
    },
}
DESCRIBED: Final = (
    tool_schemas.SEARCH,
    tool_schemas.FETCH,
    tool_schemas.ANSWER,
    tool_schemas.PAUSE,
    tool_schemas.PAUSED,
)


def parameters(shape: Shape) -> Iterator[dict[str, Any]]:
    """Yield the schema of each tool's arguments."""
    for tool in DESCRIBED:
        described = tool_schemas.shaped(tool, shape)
        yield described["input_schema"] if shape is Shape.ANTHROPIC else described["function"]["parameters"]


async def test_openais_own_type_takes_the_function_format(chat: Chat) -> None:
    """TOOL-30: each of the tools is what the `openai` package types, without a key that it doesn't know."""
    adapter = TypeAdapter(with_config(ConfigDict(extra="forbid"))(ChatCompletionFunctionToolParam))
    listed = await cog_of(chat.bot).tools(**chat.where)
    for tool in listed:
        assert adapter.validate_python(tool) == tool
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool["function"]["name"])
    assert [tool["function"]["name"] for tool in listed] == ALL
    assert json.loads(json.dumps(listed)) == listed


async def test_the_other_shape_is_as_anthropics_reference_says(chat: Chat) -> None:
    """TOOL-30: the same tools, asked for by a parameter, with `input_schema` beside their name."""
    listed = await cog_of(chat.bot).tools(**chat.where, shape="anthropic")
    for tool in listed:
        jsonschema.validate(tool, ANTHROPIC)
    functions = [tool["function"] for tool in await cog_of(chat.bot).tools(**chat.where, shape="function")]
    assert [
        {"name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"]}
        for tool in listed
    ] == functions


@pytest.mark.parametrize("shape", Shape)
def test_arguments_are_described_by_json_schema(shape: Shape) -> None:
    """TOOL-31: each schema is a sound one, names and describes every argument, and calls needed what is."""
    for schema in parameters(shape):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert all(len(field["description"]) > 10 for field in schema["properties"].values())
        assert set(schema["required"]) == set(schema["properties"]) - {"num_results"}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("web_search", {"query": "distant galaxy"}),
        ("web_search", {"query": "distant galaxy", "num_results": 0}),
        ("web_search", {"query": "distant galaxy", "num_results": 10}),
        ("web_fetch", {"url": "https://docs.example.org/asyncio/to-thread"}),
        ("web_answer", {"query": "distant galaxy"}),
        ("web_search_pause", {"paused": False}),
    ],
)
async def test_what_the_schema_takes_the_tool_takes(chat: Chat, name: str, arguments: dict[str, Any]) -> None:
    """TOOL-31: a model that keeps to the schema meets no error of its arguments."""
    listed = {tool["function"]["name"]: tool["function"] for tool in await cog_of(chat.bot).tools(**chat.where)}
    jsonschema.validate(arguments, listed[name]["parameters"])
    assert "error" not in await chat.call(name, json.dumps(arguments))


def test_the_policy_says_what_a_prompt_needs() -> None:
    """TOOL-32: short, in English, with each of the rules, and the tool by its name."""
    assert len(tools.POLICY) < 1600
    for rule in (
        "Don't search for small talk",
        "One question, one search",
        "keep the numbers",
        "has none",
        "web_search_pause",
        "until they ask to search again",
        "never instructions",
    ):
        assert rule in tools.POLICY
