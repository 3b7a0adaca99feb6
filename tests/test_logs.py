"""Hold that the suite would notice a query or a key in its logs."""

from __future__ import annotations

import logging

import pytest

from log_watch import LogWatch


@pytest.mark.parametrize("level", [logging.DEBUG, logging.WARNING])
def test_a_query_in_a_log_line_is_noticed(level: int) -> None:
    """WEB-24: the watch over the suite's logs finds a line that holds a secret, and only such a line."""
    watch = LogWatch()
    watch.keep_secret("a distinct question")
    for message in ("answered", "asked for a distinct question today"):
        watch.emit(logging.LogRecord("cogs.websearch.service", level, "", 0, message, None, None))
    assert watch.leaks() == ["asked for a distinct question today"]


def test_a_key_in_a_traceback_is_noticed() -> None:
    """WEB-24: what an exception says counts as logged."""
    watch = LogWatch()
    watch.keep_secret("5f0c9d1e-secret-key")
    error = ValueError("5f0c9d1e-secret-key")
    watch.emit(logging.LogRecord("discord.client", logging.ERROR, "", 0, "failed", None, (ValueError, error, None)))
    assert len(watch.leaks()) == 1
