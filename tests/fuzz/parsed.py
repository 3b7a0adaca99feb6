"""Ask a published parser of Discord's Markdown about what the fuzzing makes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from cogs.websearch import plain, render, text
from cogs.websearch.i18n import Words
from fuzz import pages
from fuzz.properties import Property
from fuzz.replies import outcome_of
from oracle import Parser, foreign
from oracle.messages import Shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oracle import Tree


def parsed(parser: Parser) -> Mapping[str, Property]:
    """Return the properties that a running parser is asked about."""
    return {
        "parsed text": Property(
            about="a text, read by a published parser of Discord's Markdown: nothing is alive",
            examples=pages.pages,
            check=partial(_check_text, parser),
            share=0.1,
        ),
        "parsed answer": Property(
            about="up to ten results, read by that parser: nothing is alive but what is ours",
            examples=pages.answers,
            check=partial(_check_answer, parser),
            share=0.02,
        ),
    }


def _check_text(parser: Parser, page: pages.Page) -> None:
    escaped = text.escape_within(text.clean(page.sent, page.limit), page.limit)
    for before in ("", "3 · ", "[1]"):
        for masked in (True, False):
            assert foreign(parser.tree(before + escaped, masked=masked)) == set(), escaped


def _check_answer(parser: Parser, answer: pages.Answer) -> None:
    outcome = outcome_of(answer)
    if outcome is None:
        return
    words = Words()
    for number in range(render.page_count(outcome)):
        embeds = [embed.to_dict() for embed in render.results(outcome, number, words)]
        for shown in (
            Shown(content="", embeds=embeds),
            Shown(content=plain.results(outcome, number, words), embeds=[]),
        ):
            trees: dict[tuple[str, bool], Tree] = {
                (one, masked): parser.tree(one, masked=masked) for one, masked in shown.texts()
            }
            assert shown.alive(trees) == set(), shown
