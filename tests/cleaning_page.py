"""Write docs/cleaning.md from the attacks, the code and the figures of `make fuzz`: `python tests/cleaning_page.py`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import regex
import tomli

from attacks import ADDRESSES, CHARACTERS, HTML, MARKUP, Attack
from cogs.websearch import links, text
from fuzz.finds import TEXTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PAGE: Final = Path(__file__).parent.parent / "docs" / "cleaning.md"
FIGURES: Final = Path(__file__).parent / "fuzz" / "figures.toml"
_LIMIT: Final = 400
_SHOWN: Final = 60

_UNSEEN: Final = regex.compile(r"[\p{C}\p{M}\p{DI}\p{Zl}\p{Zp}\u2800]")
_TELLING: Final = regex.compile(r"[`|]|://|\]\(")
_SIGN: Final = regex.compile(r"[!-/:-@\[-`{-~]")

_TOP: Final = """\
<!-- Written by tests/cleaning_page.py from tests/attacks.py and tests/fuzz/figures.toml: change those. -->

# Cleaning

Search results are text that strangers wrote. In a reply nothing is alive but what the bot put there, and real text in
every language still reads as it was meant. The rules are numbered in `specs/cleaning.md`; this page shows what they
come to. Every text and address in the last columns was made by the code, and a test holds them.

**How.** Each string that an engine sends is cleaned once: entities are decoded, HTML is gone, what can't be seen is
taken out, white space is folded, so that it's one line. It's escaped only where Discord renders Markdown, and Discord
swallows each backslash that this adds. The terminal and JSON get it without any. Each address is vetted once. Time and
memory grow with what is shown, never with what a page sent: no more than eight characters are looked at for each that's
shown, and 1,024 more.

## Markup

| A page tries | It sends | Discord would | Discord is sent |
| --- | --- | --- | --- |
"""
_HTML: Final = """
## HTML

| A page tries | It sends | Discord would | The reader sees |
| --- | --- | --- | --- |
"""
_CHARACTERS: Final = """
## Characters

Those that can't be seen are written as Python writes them. Joiners, variation selectors and tag characters stay where
writing needs them: in Persian and Hindi words, in emoji, in the flags of England, Scotland and Wales.

| A page tries | It sends | Discord would | The reader sees |
| --- | --- | --- | --- |
"""
_ADDRESSES: Final = """
## Addresses

A result whose address is refused isn't shown at all. The host stands in small print below the snippet, as it really is.

| A page tries | Its address | Discord would | What becomes of it |
| --- | --- | --- | --- |
"""
_OTHERS: Final = """
## Cuts

A page doesn't know where its text is cut, but it can guess. A cut falls between graphemes, so that no family loses a
child and no flag becomes another; never between a backslash and what it protects; and never inside of an entity. What
was dead stays dead, since a text is escaped together with the cut, and the ellipsis of a cut begins no markup.

A host is cut at its beginning: the end of `www.paypal.com.sign-in.evil.example` tells whose it is.

## Other readers

- **A terminal** never gets a control character from a page. Only the count and the numbered titles begin in the first
  column, and an empty line stands before each title. Lines have room for the widest that terminals make of emoji and
  marks, lest one is broken again. A snippet that looks like another result is indented like any snippet.
- **JSON** has one string for each value, and each value is one line: a page can't end its own field and begin another.
- **Language models** read what people read. Nothing invisible is left that only a model would see. A result's text
  remains data: what it says is up to its author, and no cleaning makes that true.
- **Nobody is pinged** by anything that escaping might miss: each message is sent with all mentions switched off.

"""
_FUZZING: Final = """\
## Fuzzing

Every run of the tests tries a few hundred hostile texts, cuts, addresses and answers. `make fuzz` tries two hundred
thousand, on one core: fragments of markup, HTML, entities and troublesome characters, whole, encoded, in halves, many
times over, and laid over each place where a text is cut. What it finds becomes a test in `tests/fuzz/finds.py`.

| What must hold | Examples | Seconds | Failures |
| --- | ---: | ---: | ---: |
"""


def written() -> str:
    """Return the page as it should be."""
    parts = (
        _TOP,
        _rows(MARKUP, lambda sent: text.escape(text.clean(sent, _LIMIT))),
        _HTML,
        _rows(HTML, lambda sent: text.clean(sent, _LIMIT)),
        _CHARACTERS,
        _rows(CHARACTERS, lambda sent: text.clean(sent, _LIMIT)),
        _ADDRESSES,
        *(f"| {one.kind} | {_code(one.sent)} | {one.raw} | {_address(one.sent)} |\n" for one in ADDRESSES),
        _OTHERS,
        _FUZZING,
        *_figures(),
    )
    return "".join(parts)


def _rows(attacks: Iterable[Attack], shown: Callable[[str], str]) -> str:
    return "".join(f"| {one.kind} | {_code(one.sent)} | {one.raw} | {_code(shown(one.sent))} |\n" for one in attacks)


def _address(raw: str) -> str:
    link = links.vet(raw)
    if link is None:
        return "refused"
    host = "" if link.host in link.url else f", shown as {_code(link.host)}"
    return f"{_code(link.url)}{host}"


def _code(value: str) -> str:
    """Write a text as code, with the numbers of what can't be seen."""
    if len(value) > _SHOWN:
        value = f"{value[:_SHOWN]}…"
    seen = _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], value)
    if not _TELLING.search(seen):
        return f"`{seen}`"
    # A table takes the bar for its own, and a link in the page is a link of ours.
    return f"<code>{_SIGN.sub(lambda found: f'&#{ord(found[0])};', seen)}</code>"


def _figures() -> Iterable[str]:
    figures = tomli.loads(FIGURES.read_text("utf-8"))
    for one in figures["property"]:
        yield f"| {one['about']} | {one['examples']:,} | {one['seconds']:,} | {one['failures']} |\n"
    examples, seconds = (sum(one[key] for one in figures["property"]) for key in ("examples", "seconds"))
    yield f"| all of it | {examples:,} | {seconds:,} | {sum(one['failures'] for one in figures['property'])} |\n"
    yield f"\nThe seed was {figures['seed']}, with {figures['versions']}.\n\n"
    yield f"Finds that were mended so far: {len(TEXTS) + 1}.\n\n"
    yield from (f"- {find.was}\n" for find in TEXTS)
    yield "- An address with a broken end took a second and a half to be refused.\n"


if __name__ == "__main__":
    PAGE.write_text(written(), "utf-8")
