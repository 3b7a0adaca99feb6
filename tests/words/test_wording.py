"""Hold the sentence of every error."""

from __future__ import annotations

import math

import pytest

from cogs.websearch import errors
from cogs.websearch.charges import Act, Limit
from cogs.websearch.i18n import Words
from cogs.websearch.models import Category, Period
from cogs.websearch.policy import Rule
from cogs.websearch.wording import CATEGORIES, PERIODS, category, explain, option, period
from error_samples import LEAVES, UNSEEN, sample

WORDS = Words()


class OddError(errors.WebSearchError):
    """Stand for an error that nobody foresaw."""

    key = "odd"


FALLBACK = explain(OddError(), WORDS)


def check(sentence: str) -> None:
    """Assert what holds for every sentence."""
    assert sentence.endswith(".")
    assert len(sentence) < 300
    assert not set(sentence) & {"{", "}", "!", "\n"}
    assert UNSEEN not in sentence


@pytest.mark.parametrize("cls", LEAVES, ids=lambda cls: cls.__name__)
def test_every_error_has_a_sentence(cls: type[errors.WebSearchError]) -> None:
    """I18N-01, I18N-02: each error is worded, at a bearable length, and without what an engine or the database said."""
    check(explain(sample(cls), WORDS))
    # What has no sentence of its own reads like a fault of ours.
    assert (explain(sample(cls), WORDS) == FALLBACK) == (cls is errors.OwnFault)


def test_sentences_tell_errors_apart() -> None:
    """I18N-01: no two errors share a sentence, nor a key."""
    assert len({explain(sample(cls), WORDS) for cls in LEAVES}) == len(LEAVES)
    assert len({cls.key for cls in LEAVES}) == len(LEAVES)


@pytest.mark.parametrize("rule", [*Rule, "direct", "server-only"])
def test_whoever_finds_it_off_reads_what_to_do(rule: str) -> None:
    """SW-06: for each thing that can be switched off, another place or whoever can switch it on."""
    said = explain(errors.SwitchedOff(rule), WORDS)
    check(said)
    assert said.startswith("Web search is off ")
    assert "moderator" in said or "use it in a server" in said


@pytest.mark.parametrize("act", Act)
@pytest.mark.parametrize("cls", [cls for cls in LEAVES if issubclass(cls, errors.BackendError)])
def test_whatever_was_asked_for_has_words(cls: type[errors.BackendError], act: Act) -> None:
    """I18N-01, CON-27: how an engine fails is worded for each thing that it's asked to do."""
    sentence = explain(sample(cls, act=act), WORDS)
    check(sentence)
    assert sentence != FALLBACK


def test_an_error_of_an_unknown_kind_has_words() -> None:
    """I18N-01: what a later engine raises as a plain `BackendError`, and what nobody foresaw, is worded too."""
    check(explain(errors.BackendError("Exa", UNSEEN, UNSEEN), WORDS))
    assert FALLBACK.endswith(".")


EXPECTED = [
    "flag",
    "whole-number",
    "number",
    "choice",
    "secret",
    "url",
    "public-url",
    "guarded-url",
    "domain",
    "domains",
]
FOUND = ["flag", "number", "text", "blank", "list", "table", "date", "nothing", "something", "99"]


@pytest.mark.parametrize("expected", [*EXPECTED, "folder", "zone", "database", "database-file", "table"])
@pytest.mark.parametrize("found", FOUND)
def test_every_expectation_has_words(expected: str, found: str) -> None:
    """I18N-01: whatever was found and expected, it's said in words and not by its key."""
    sentence = explain(sample(errors.InvalidValue, expected=expected, found=found), WORDS)
    check(sentence)
    assert "-number" not in sentence
    assert "guarded" not in sentence


PROBLEMS = ["directory", "no-folder", "read-only", "not-a-database", "foreign", "corrupt", "newer", "busy", "full"]


def test_every_problem_of_a_database_has_words() -> None:
    """I18N-01: each problem has its own sentence that names the file."""
    sentences = {explain(errors.DatabaseUnusable("bot.db", problem), WORDS) for problem in [*PROBLEMS, "unusable"]}
    assert len(sentences) == len(PROBLEMS) + 1
    for sentence in sentences:
        check(sentence)
        assert "bot.db" in sentence


@pytest.mark.parametrize("reason", ["not-utf-8", "too-large", "no-file", "no-keys", "Permission denied"])
def test_every_reason_has_words(reason: str) -> None:
    """I18N-01: a file that can't be read is said with the reason, the system's or ours."""
    sentence = explain(errors.ConfigUnreadable("bot.toml", reason), WORDS)
    check(sentence)
    assert ("Permission denied" in sentence) == (reason == "Permission denied")
    assert (reason in sentence) == (reason == "Permission denied")


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0.2, "in about 1 second."),
        (20.0, "in about 20 seconds."),
        (90.0, "in about 90 seconds."),
        (91.0, "in about 2 minutes."),
        (3600.0, "in about 60 minutes."),
        (86400.0, "in about 24 hours."),
        (-5.0, "in about 1 second."),
        (None, "in a moment."),
        (math.nan, "in a moment."),
        (math.inf, "in a moment."),
    ],
)
def test_waiting_is_told_readably(seconds: float | None, told: str) -> None:
    """I18N-10: a wait is told in whole seconds, minutes or hours, and one that's no time isn't told."""
    assert explain(errors.RateLimited("Exa", retry_after=seconds), WORDS).endswith(told)


def test_key_trouble_is_told_to_the_member_without_detail() -> None:
    """I18N-02: a refused key tells the member whom to ask, and nothing of the key."""
    sentence = explain(errors.KeyRefused("Exa", detail=UNSEEN, tag="INVALID_API_KEY"), WORDS)
    assert sentence == "Exa doesn't accept the bot's key: tell the bot's owner."


def test_a_path_breaks_no_line() -> None:
    """I18N-02: a path with line breaks, control or direction characters is shown without them."""
    sentence = explain(errors.ConfigMissing("a\nb\x1b[31m\u202ec.toml"), WORDS)
    assert "a?b?[31m?c.toml" in sentence


@pytest.mark.parametrize(
    ("sites", "told"),
    [
        ((), "Nothing was found: try fewer or other words."),
        (("python.org",), "Nothing was found on python.org: try other words, or leave the site out."),
        (("a.example", "b.example"), "Nothing was found on these sites: try other words, or leave the sites out."),
        (("a" * 60 + ".b" * 90,), "Nothing was found on these sites: try other words, or leave the sites out."),
    ],
)
def test_nothing_found_names_the_site(sites: tuple[str, ...], told: str) -> None:
    """I18N-01: where a search was narrowed to sites, the sentence says so, at a bearable length."""
    assert explain(errors.NothingFound(sites), WORDS) == told


def test_one_page_that_is_unfit_is_singular() -> None:
    """I18N-04: sentences count."""
    assert explain(errors.NothingUsable(1), WORDS).startswith("1 page was")
    assert explain(errors.NothingUsable(1000), WORDS).startswith("1,000 pages were")


def test_exclusive_options_are_named_as_members_see_them() -> None:
    """I18N-08: an option's value is shown by its name in the menu."""
    sentence = explain(errors.OptionsExclusive("period", "category", "company"), WORDS)
    assert sentence == "The options period and category “Companies” can't be combined: leave one of the two out."


def test_every_value_has_a_name() -> None:
    """I18N-08: each category, period and option has a name, and an option that's unknown keeps its own."""
    assert CATEGORIES.keys() == set(Category)
    assert PERIODS.keys() == set(Period)
    assert [category(value, WORDS) for value in Category if not category(value, WORDS)] == []
    assert period(Period.DAY, WORDS) == "Past day"
    assert [option(name, WORDS) for name in ("query", "site", "odd")] == ["query", "site", "odd"]


@pytest.mark.parametrize(
    ("limit", "most", "said"),
    [
        (Limit.MINUTE, 6, "You can make 6 searches in a minute: search again "),
        (Limit.MINUTE, 1, "You can make 1 search in a minute: search again "),
        (Limit.MEMBER, 1000, "You can make 1,000 searches a day, and they're used up: search again "),
        (Limit.SERVER, 1, "This server can make 1 search a day, and that's used up: search again "),
        (Limit.BUDGET, 2.5, "The bot can spend 2.5 US dollars a day on searches, and they're spent: search again "),
    ],
)
def test_a_limit_is_told_with_its_size_and_end(limit: Limit, most: float, said: str) -> None:
    """MET-16: every limit has a sentence of its own; its end is told by whoever shows it, else in UTC."""
    error = errors.LimitReached(limit, most, 1_796_083_200)
    assert explain(error, WORDS) == f"{said}at 2026-12-01 00:00 UTC."
    assert explain(error, WORDS, moment=lambda at: f"<{at}>") == f"{said}<1796083200>."
