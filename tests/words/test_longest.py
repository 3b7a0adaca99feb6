"""Hold that the longest language that is shipped fits everywhere."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

import catalogue
from cogs.websearch import alert_wording, controls, errors, limits, plain, render, wording
from cogs.websearch.charges import Quota, Use
from cogs.websearch.days import day_at
from cogs.websearch.i18n import Catalogues, Words
from cogs.websearch.models import (
    Asker,
    Category,
    Outcome,
    Period,
    SearchPage,
    SearchRequest,
    SearchResult,
    Session,
    SiteRules,
)
from cogs.websearch.owner_commands import fit
from cogs.websearch.policy import Decision, Rule
from cogs.websearch.settings import PlaceKind, Spot
from cogs.websearch.site_lines import SiteLines
from cogs.websearch.status import Panel
from cogs.websearch.troubles import Kind, Trouble
from engine_signs import signs_of
from error_samples import LEAVES, sample
from made_up import write_longest
from switch_tools import CHANNEL, chosen

if TYPE_CHECKING:
    from pathlib import Path

_LABEL = 80
_SENTENCE = 300
# As long as Discord lets a channel's name be, and each character escaped.
_NAME = "*" * 100
_LANGUAGES = ["longest", *(language for language, _ in catalogue.shipped())]


@pytest.fixture(scope="module", params=_LANGUAGES)
def words(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Words:
    """Speak each language that is shipped, and the one that has the longest text of all for each."""
    if request.param != "longest":
        return Catalogues().words(request.param)
    folder = tmp_path_factory.mktemp("locales")
    write_longest(folder)
    return Catalogues(folder).words("de")


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    """Find ten results, each as long as it may be, by a search that has every option."""
    result = SearchResult(
        title="*" * limits.TITLE,
        url=f"https://example.com/{'x' * 1900}",
        host=f"{'a' * 60}." * 4 + "example",
        snippet="*" * 1000,
    )
    request = SearchRequest(
        query="*" * limits.QUERY,
        count=limits.RESULTS,
        category=max(Category, key=len),
        period=Period.MONTH,
        sites=tuple(f"{'a' * 60}.{n}.example" for n in range(limits.SITES)),
    )
    page = SearchPage(backend="local documents", results=(result,) * limits.RESULTS, found=limits.RESULTS)
    return Outcome(request=request, page=page)


def test_the_longest_is_as_long_as_any(tmp_path: Path) -> None:
    """I18N-19: what the limits are held against is, for each text, as long as the longest translation."""
    write_longest(tmp_path)
    made = Catalogues(tmp_path).words("de")
    shipped = [Catalogues().words(language) for language in _LANGUAGES[1:]]
    for message in catalogue.read(catalogue.extract().encode(), "de"):
        if isinstance(message.id, str) and message.id:
            told = [len(words.find(message.id) or "") for words in shipped]
            assert len(made.find(message.id) or message.id) == max(len(message.id), *told)


def test_results_fit(words: Words, outcome: Outcome) -> None:
    """I18N-19: header, titles, descriptions, and all embeds of a message together; and the same as plain text."""
    for page in range(render.page_count(outcome)):
        embeds = render.results(outcome, page, words)
        assert all(len(embed.title or "") <= limits.EMBED_TITLE for embed in embeds)
        assert all(len(embed.description or "") <= limits.EMBED_DESCRIPTION for embed in embeds)
        assert sum(map(len, embeds)) <= limits.EMBEDS_TOTAL
        assert len(plain.results(outcome, page, words)) <= limits.MESSAGE_CONTENT


def test_facts_are_whole(words: Words, outcome: Outcome) -> None:
    """I18N-19: without sites, which may be cut, nothing of a header's facts is cut."""
    bare = replace(outcome, request=replace(outcome.request, sites=()))
    assert "…" not in (render.results(bare, 0, words)[0].description or "")
    assert "…" not in plain.results(bare, 0, words).split("\n")[1]


@pytest.mark.parametrize("page", [0, 1, 3])
def test_labels_fit(words: Words, outcome: Outcome, page: int) -> None:
    """I18N-19: what stands on buttons is at most 80 characters long, and they differ from each other."""
    asker = Asker(user_id=1, channel_id=2, guild_id=3)
    session = Session(id="x" * 22, asker=asker, content=outcome, expires=0, locale=words.locale, private=True)
    view = controls.under(session, page, words, reads=False, answers=True)
    labels = [str(item.to_component_dict()["label"]) for item in view.children]
    assert len(set(labels)) == 5
    assert max(map(len, labels)) <= _LABEL


@pytest.mark.parametrize("cls", LEAVES, ids=lambda cls: cls.__name__)
def test_sentences_are_short(words: Words, cls: type[errors.WebSearchError]) -> None:
    """I18N-19: each error's sentence stays under 300 characters, and as an embed and as text it's whole."""
    told = wording.explain(sample(cls), words)
    assert len(told) < _SENTENCE, told
    embed = render.failure(sample(cls), words, query="*" * limits.QUERY)
    assert len(embed.title or "") <= limits.EMBED_TITLE
    assert len(embed.description or "") <= limits.EMBED_DESCRIPTION
    assert embed.description
    assert embed.description in plain.of([embed])


def _panel(words: Words, trouble: Trouble | None) -> list[str]:
    panel = Panel(CHANNEL, _NAME, words)
    choice = chosen(value=False, until=2.0**33, by=2**63, when=2.0**33)
    decision = Decision(value=False, rule=Rule.CHANNEL, spot=CHANNEL, choice=choice)
    apart = [Spot(guild_id=1, id=2**63, kind=PlaceKind.CHANNEL)] * 999
    return [
        panel.owner_off(),
        panel.switch(decision, stopped=True),
        *panel.switched_apart(apart, on=True, stopped=True)[:1],
        panel.privacy(decision),
        *panel.hidden_apart(apart, private=True),
        *panel.sites(SiteRules(blocked=("a.com",) * 50, allowed=("b.com",) * 50)),
        *(line for signs in (signs_of(trouble), signs_of(None, stands_in=True)) for line in panel.engine(signs)),
        *panel.limits(Quota(per_minute=1000, per_member=10**6, per_server=10**6)),
        panel.use(Use(searches=10**6, cost=10**12)),
        *panel.configuration(sample(errors.InvalidValue), ["web-database", "discord-token", "web-user-install"]),
    ]


@pytest.mark.parametrize("kind", [None, *Kind])
def test_a_status_with_everything_fits(words: Words, kind: Kind | None) -> None:
    """I18N-19: also where embeds aren't shown, no line of it is left out."""
    trouble = None if kind is None else Trouble(kind=kind, since=2.0**33, count=10**6, where="local documents")
    embed = Panel(CHANNEL, _NAME, words).embed(_panel(words, trouble))
    assert len(embed.title or "") <= limits.EMBED_TITLE
    assert len(embed.description or "") <= limits.EMBED_DESCRIPTION
    shown = plain.of([embed])
    assert len(shown) <= limits.MESSAGE_CONTENT
    assert shown.endswith((embed.description or "").rpartition("\n")[2])


@pytest.mark.parametrize("kind", [None, *Kind])
def test_engines_that_fail_at_all_fit(words: Words, kind: Kind | None) -> None:
    """I18N-19, RES-23: where pages and answers of five engines fail, nothing else is left out for that."""
    trouble = None if kind is None else Trouble(kind=kind, since=2.0**33, count=10**6, where="local documents")
    panel, lines = Panel(CHANNEL, _NAME, words), _panel(words, trouble)
    embed = panel.embed([*lines, *panel.beside([signs_of(trouble)] * 5)])
    assert len(embed.description or "") <= limits.EMBED_DESCRIPTION
    shown = plain.of([embed])
    assert len(shown) <= limits.MESSAGE_CONTENT
    assert lines[-1] in shown


@pytest.mark.parametrize("room", [limits.EMBED_DESCRIPTION, limits.MESSAGE_CONTENT - 64])
def test_rules_on_sites_fit(words: Words, room: int) -> None:
    """I18N-19, RULE-13: with long names and all that can be said of them, changed in both ways, in vain or not."""
    domains = tuple(f"{n:02}.{'a' + '_' * 60 + 'b'}.{'c' * 60}.example.org" for n in range(limits.SITE_RULES))
    causes = tuple(f"{one[:2]}.sub.{one}" for one in domains[:10])
    owner = domains[10:20]
    rules = SiteRules(
        owner_blocked=owner * 100, blocked=domains[:10] + domains[20:50], allowed=causes + domains[10:20] + domains[50:]
    )
    lines = SiteLines(words, room)
    before = SiteRules(blocked=domains[:50], allowed=domains[50:])
    for said in (
        lines.ruled(domains, before, allowed=True),
        lines.ruled(domains, before, allowed=False),
        lines.freed(domains, SiteRules(blocked=domains[:50])),
    ):
        assert len(said) == 2
        told = lines.holding(rules, said)
        assert len(told) == 10
        assert len("\n".join(told)) <= room


@pytest.mark.parametrize("kind", Kind)
def test_alerts_fit(words: Words, kind: Kind) -> None:
    """I18N-19: what the bot's owner is told of trouble fits into a message."""
    day = day_at(2.0**33, UTC)
    found = Trouble(
        kind=kind,
        since=2.0**33,
        count=10**6,
        where="local documents",
        key="backend-invalid-answer",
        detail="*" * limits.DETAIL,
        day=day,
        sum=12345.67,
    )
    assert len(alert_wording.trouble(found, words)) <= limits.MESSAGE_CONTENT
    if kind is not Kind.BUDGET:
        assert len(alert_wording.over(found, words)) <= limits.MESSAGE_CONTENT


def test_answers_to_the_owner_fit(words: Words) -> None:
    """I18N-19: a list that's too long for a message says how many lines were left out, in any language."""
    lines = ["*" * 99] * 10**4
    assert len(fit(lines, words)) <= limits.MESSAGE_CONTENT
