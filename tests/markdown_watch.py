"""Collect every message that the suite's bots send, and ask the oracle what is alive in it."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, Final

import pytest

import oracle
from oracle.messages import Shown

if TYPE_CHECKING:
    from cogs.websearch.playground.discord import Message


class MarkdownWatch:
    """Hold what each message showed, whenever it changed, with the test that saw it."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Shown]] = []
        # Tests of the loopback Discord itself send whatever they like.
        self.paused = False

    def observe(self, message: Message) -> None:
        """Look at a message that was sent or edited."""
        if self.paused or message.author is not message.world.bot:
            return
        asked = message.interaction
        shown = Shown(
            content=message.content,
            embeds=copy.deepcopy(message.embeds),
            command=asked.name if asked is not None else "",
        )
        self.seen.append((os.environ.get("PYTEST_CURRENT_TEST", ""), shown))

    def alive(self) -> list[str]:
        """Say of each message in which something is alive that isn't ours what that is, and in which test."""
        texts = sorted({text for _, shown in self.seen for text in shown.texts()})
        trees = dict(zip(texts, oracle.parse(texts), strict=True))
        found = ((test, shown, shown.alive(trees)) for test, shown in self.seen)
        return [f"{', '.join(sorted(kinds))} in {shown} of {test}" for test, shown, kinds in found if kinds]


WATCH: Final = pytest.StashKey[MarkdownWatch]()
