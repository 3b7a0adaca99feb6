"""Collect what the suite logs, and what it must not log."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loopback_engine import Call, LoopbackEngine

# A shorter query than this may stand in a log line by chance.
_DISTINCT = 9


class LogWatch(logging.Handler):
    """Hold every line of our own loggers, and every line of others from INFO on.

    At DEBUG discord.py logs whole payloads and aiosqlite whole statements: that is their hosts' to switch on.
    """

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []
        self.secrets: set[str] = set()

    def listen(self) -> None:
        """Hear all loggers."""
        logging.getLogger().addHandler(self)
        logging.getLogger().setLevel(logging.INFO)
        logging.getLogger("cogs.websearch").setLevel(logging.DEBUG)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the line, its traceback included."""
        if record.levelno >= logging.INFO or record.name.startswith("cogs.websearch"):
            self.lines.append(self.format(record))

    def keep_secret(self, text: str) -> None:
        """Remember a query or a key that no line may hold."""
        if len(text) >= _DISTINCT:
            self.secrets.add(text)

    def leaks(self) -> list[str]:
        """List the lines that hold a secret."""
        return [line for line in self.lines if any(secret in line for secret in self.secrets)]

    def observe(self, engine: LoopbackEngine, call: Call) -> None:
        """Take every query and key that a loopback engine receives for a secret."""
        for secret in (engine.key, call.key, call.params.get("q", ""), *_queries(call.body)):
            self.keep_secret(secret)


def _queries(body: bytes) -> list[str]:
    try:
        sent = json.loads(body)
    except ValueError:
        return []
    query = sent.get("query") if isinstance(sent, dict) else None
    return [query] if isinstance(query, str) else []
