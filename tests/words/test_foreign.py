"""Hold that no text bypasses the catalogues, by a language that has no English letter."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

import catalogue
from cogs.websearch import alert_wording, config, doctor, errors, owner_wording, wording
from cogs.websearch.charges import DOLLAR, Limit, Quota, Use
from cogs.websearch.days import day_at
from cogs.websearch.i18n import Catalogues
from cogs.websearch.policy import Decision, Rule
from cogs.websearch.status import Panel
from cogs.websearch.troubles import Kind, Trouble
from engine_signs import all_signs_of, signs_of
from error_samples import LEAVES, sample
from made_up import english_in, foreign, write_foreign
from switch_tools import CHAIN, CHANNEL, chosen, off_until

if TYPE_CHECKING:
    from pathlib import Path

    from cogs.websearch.i18n import Words

# What stands for any text that isn't ours.
DATA = "ж"
# These hold a key, by which the text is found.
KEYS_OF_CONFIG = tuple(config.KEYS)
KEYS = frozenset({"expected", "problem", "rule", "option", "other", "limit", "kind"})


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Words:
    """Speak the language."""
    folder = tmp_path_factory.mktemp("locales")
    write_foreign(folder)
    return Catalogues(folder).words("de")


def test_english_is_noticed(words: Words) -> None:
    """I18N-20: what the test looks for is found, and what is no text of ours is passed over."""
    assert words("Delete") == foreign("Delete") == "[Đëłëŧëöö]"
    assert english_in(f"{foreign('a {b}')} page <t:10:f> <@7> Exa <https://example.com/x>") == ["b", "page"]
    assert english_in("a known thing", "known") == ["a", "thing"]


@pytest.mark.parametrize("cls", LEAVES, ids=lambda cls: cls.__name__)
def test_every_error_is_translated(cls: type[errors.WebSearchError], words: Words) -> None:
    """I18N-20: each error's sentence is of the catalogue's words, whatever it's about."""
    error = sample(cls)
    looked_up = KEYS | ({"value"} if cls is errors.OptionsExclusive else set())
    given: dict[str, object] = {}
    for name in error.parameters:
        held = getattr(error, name)
        if isinstance(held, str) and name not in looked_up:
            given[name] = DATA
        elif isinstance(held, tuple):
            given[name] = (DATA,)
    assert english_in(wording.explain(sample(cls, **given), words)) == []


def test_every_part_of_a_sentence_is_translated(words: Words) -> None:
    """I18N-20: what was found and expected, each limit, a wait of any length, and a site, too."""
    for found in owner_wording._FOUND:  # noqa: SLF001 - all there are
        for expected in owner_wording._EXPECTED:  # noqa: SLF001 - likewise
            error = sample(errors.InvalidValue, path="", name=DATA, choices=(DATA,), expected=expected, found=found)
            assert english_in(wording.explain(error, words)) == []
    for limit in Limit:
        assert english_in(wording.explain(sample(errors.LimitReached, limit=limit), words)) == []
    for wait in (1, 100, 10_000, None):
        assert english_in(wording.explain(errors.RateLimited(DATA, retry_after=wait), words)) == []
    for name in ("query", "results", "category", "period", "site", "private", "channel", "server", "visibility"):
        assert english_in(wording.option(name, words)) == []
    for engine in ("local documents", "Python documentation"):
        assert english_in(wording.explain(errors.BackendTimeout(engine), words)) == []


def test_a_panel_is_translated(words: Words) -> None:
    """I18N-20: all that /websearch can say of a place."""
    panel = Panel(CHANNEL, DATA, words)
    nameless = [Panel(spot, "", words).embed([]).title or "" for spot in CHAIN]
    rules = [
        Decision(value=value, rule=rule, spot=CHANNEL if rule in {Rule.CHANNEL, Rule.THREAD} else None, choice=choice)
        for rule in Rule
        for value in (True, False)
        for choice in (None, chosen(value=True), off_until(99.5))
    ]
    problem = sample(errors.InvalidValue, path=DATA, name=DATA, choices=(DATA,))
    told = [
        *nameless,
        *(panel.switch(rule) for rule in rules),
        *(panel.privacy(rule) for rule in rules),
        *(line for trouble in (None, *troubles()) for signs in all_signs_of(trouble) for line in panel.engine(signs)),
        *(line for trouble in (None, *troubles()) for line in panel.beside(all_signs_of(trouble))),
        *panel.limits(Quota(per_minute=6, per_member=30, per_server=1000)),
        *map(panel.use, (None, Use(searches=1), Use(searches=2, cost=DOLLAR // 3))),
        panel.owner_off(),
        panel.switch(rules[0], stopped=True),
        *panel.switched_apart([CHANNEL] * 99, on=True),
        *panel.switched_apart([CHANNEL], on=False, stopped=True),
        *panel.hidden_apart([CHANNEL], private=True),
        *panel.configuration(problem, [DATA]),
    ]
    # By its key an owner finds an error in the documentation, in any language.
    key = signs_of(None).failure
    for line in told:
        assert english_in(line, key) == []


def troubles() -> list[Trouble]:
    """Make a trouble of each kind."""
    day = day_at(1_796_083_200, UTC)
    return [
        Trouble(kind=kind, since=99.5, count=2, where="local documents", key=DATA, detail=DATA, day=day, sum=0.5)
        for kind in Kind
    ]


def test_alerts_are_translated(words: Words) -> None:
    """I18N-20: all that the bot's owner is told of trouble, and of its end."""
    for trouble in troubles():
        for shown in (trouble, replace(trouble, detail="", count=1), replace(trouble, where="")):
            assert english_in(alert_wording.trouble(shown, words)) == []
        if trouble.kind is not Kind.BUDGET:
            assert english_in(alert_wording.over(trouble, words)) == []


@pytest.mark.parametrize(
    "lines",
    [
        'exa-api-key = "0123456789abcdef"\nweb-resuts = 5\nweb-retention = 1\n',
        'enable-web-search = true\nexa-api-key = "0123456789abcdef"\nweb-daily-budget-usd = 0.5\n',
        '[websearch]\nexa-api-key = "0123456789abcdef"\n',
        "[websearch\n",
        None,
    ],
)
def test_the_doctor_is_translated(
    words: Words, near: Path, lines: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """I18N-20: whatever the doctor finds, only names of keys and files are left as they are."""
    path = near / "config.toml"
    if lines is not None:
        path.write_text(lines, "utf-8")
    doctor.run(words, live=False, env={"WEBSEARCH_CONFIG": str(path)})
    # A path or a key may stand in two lines.
    told = "".join(capsys.readouterr().out.split())
    slips = ("web-resuts", "web-retention", "web-results")
    languages = ",".join(["en", *(language for language, _ in catalogue.shipped())])
    units = ("UTC", "GB", "MB", "kB", f"{languages}.")
    names = (*KEYS_OF_CONFIG, *slips, str(path), str(near / "websearch.db"), f"chmod600{path}")
    assert english_in(told, *names, *units) == []
