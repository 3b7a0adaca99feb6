"""Hold that no pattern that reads foreign text can be made to try again and again.

A pattern takes time squared, or worse, where a repeat without end gives back what it took for what follows to try anew,
or where each place of a long run is tried as a beginning. So in the patterns of `re`, whose parts the standard library
tells, each such repeat must be possessive if anything that could fail follows it; and where a pattern searches, none of
these may run over places where it could begin and come as far again. In those of `regex`, of which nothing but their
source can be seen, nothing may follow such a repeat.
"""

from __future__ import annotations

import re
from re import _constants as op  # type: ignore[attr-defined] # what a pattern is made of; the standard library's own
from re import _parser as parser  # type: ignore[attr-defined] # likewise
from typing import TYPE_CHECKING, Any

import pytest
import regex

from cogs.websearch import characters, citations, codespans, hosts, htmltext, links, message_text, parameters, text
from cogs.websearch.backends import pages
from cogs.websearch.patterns import Late, late_re, late_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

MODULES = (characters, citations, codespans, hosts, htmltext, links, message_text, pages, parameters, text)
# One of each kind of character that the patterns tell apart.
ALPHABET = frozenset(map(chr, range(128))) | set("éß漢\xa0\u200b\u2028")
# How often what ends may try again, all of its parts together: a label of a host has 63 characters at most, or one.
TRIES = 2 * 63
REPEATS = frozenset({op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT})
CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_SPACE: r"\s",
    op.CATEGORY_WORD: r"\w",
    op.CATEGORY_NOT_SPACE: r"\S",
}


def named(kind: Any) -> dict[str, Any]:  # noqa: ANN401 - the class of compiled patterns has no public name in `regex`
    """Collect the patterns of a kind, each by its module and its name, also those in mappings, and compile them."""
    found: dict[str, Any] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            for number, one in enumerate([*value.values(), *value] if isinstance(value, dict) else [value]):
                for part in one if isinstance(one, tuple) else (one,):
                    pattern = part.make() if isinstance(part, Late) else part
                    if isinstance(pattern, kind):
                        found[f"{module.__name__.rpartition('.')[2]}.{name}{number or ''}"] = pattern
    return found


STANDARD = named(re.Pattern)
OTHERS = named(type(regex.compile("")))


def parts(tree: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 - the parser's trees have no public types
    """Walk over a pattern's parts, outermost first."""
    for code, argument in tree:
        yield code, argument
        for inner in inside(code, argument):
            yield from parts(inner)


def inside(code: Any, argument: Any) -> list[Any]:  # noqa: ANN401 - likewise
    """List the patterns that a part is made of."""
    if code in REPEATS:
        return [argument[2]]
    if code is op.SUBPATTERN:
        return [argument[3]]
    if code is op.BRANCH:
        return list(argument[1])
    if code is op.ATOMIC_GROUP:
        return [argument]
    if code is op.GROUPREF_EXISTS:
        return [one for one in argument[1:] if one]
    return []


def taken(code: Any, argument: Any) -> set[str]:  # noqa: ANN401 - likewise
    """Tell which characters of the alphabet a part can take, without regard to capitals."""
    match code:
        case op.LITERAL:
            found = cases(chr(argument))
        case op.NOT_LITERAL:
            found = set(ALPHABET) - {chr(argument)}
        case op.ANY:
            found = set(ALPHABET)
        case op.RANGE:
            found = {one for one in ALPHABET if any(argument[0] <= ord(case) <= argument[1] for case in cases(one))}
        case op.CATEGORY:
            found = {one for one in ALPHABET if re.match(CATEGORIES[argument], one)}
        case op.IN:
            negated = argument[0][0] is op.NEGATE
            found = set().union(*(taken(*one) for one in argument[negated:]))
            found = set(ALPHABET) - found if negated else found
        case _:
            found = set().union(*(taken(*one) for inner in inside(code, argument) for one in inner))
    return found


def cases(character: str) -> set[str]:
    """Return a character, small and capital, where that's one character."""
    return {one for one in (character, character.lower(), character.upper()) if len(one) == 1}


def firsts(tree: Any) -> tuple[set[str], bool]:  # noqa: ANN401 - likewise
    """Tell with which characters a pattern can begin, and whether it can be empty."""
    found: set[str] = set()
    for code, argument in tree:
        if code in {op.AT, op.ASSERT, op.ASSERT_NOT}:
            continue
        if not (inner := inside(code, argument)):
            return found | taken(code, argument), False
        begun = [firsts(one) for one in inner]
        found |= set().union(*(characters_ for characters_, _ in begun))
        if not any(empty for _, empty in begun) and not (code in REPEATS and argument[0] == 0):
            return found, False
    return found, True


def can_fail(code: Any, argument: Any) -> bool:  # noqa: ANN401 - likewise
    """Tell whether a part may be what keeps a pattern from matching."""
    if code in REPEATS and argument[0] == 0:
        return False
    inner = inside(code, argument)
    return not inner or all(any(can_fail(*part) for part in one) for one in inner)


def endless(tree: Any, led: tuple[Any, ...] = (), *, fails: bool = False) -> Iterator[tuple[Any, Any, tuple[Any, ...]]]:  # noqa: ANN401 - likewise
    """Yield the repeats without end that something that could fail follows, each with the parts that lead to it.

    `fails` tells whether something that could fail follows the whole.
    """
    each = list(tree)
    for place, (code, argument) in enumerate(each):
        after = fails or any(can_fail(*part) for part in each[place + 1 :])
        before = (*led, *each[:place])
        repeats = code in REPEATS
        if repeats and after and argument[1] == op.MAXREPEAT:
            yield code, argument, before
        # Where it's repeated, it follows itself.
        for inner in inside(code, argument):
            yield from endless(inner, before, fails=after or (repeats and argument[1] > 1))


def keeps_out(code: Any, argument: Any, run: set[str]) -> bool:  # noqa: ANN401 - likewise
    """Tell whether a part that leads to a repeat matches nowhere in what the repeat took."""
    if code is op.AT:
        return argument in {op.AT_BEGINNING, op.AT_BEGINNING_STRING} and "\n" not in run
    if code in {op.ASSERT, op.ASSERT_NOT, op.GROUPREF_EXISTS} or (code in REPEATS and argument[0] == 0):
        return False
    if inner := inside(code, argument):
        return all(any(keeps_out(part[0], part[1], run) for part in one) for one in inner)
    return not taken(code, argument) & run


def tries(tree: Any) -> int:  # noqa: ANN401 - likewise
    """Tell how often the repeats that give back, and that end, can try again together where one is in another."""
    most = 1
    for code, argument in tree:
        ends = code in {op.MAX_REPEAT, op.MIN_REPEAT} and argument[1] != op.MAXREPEAT
        here = argument[1] - argument[0] + 1 if ends else 1
        most = max(most, here * max([tries(inner) for inner in inside(code, argument)], default=1))
    return most


def uses_of(name: str) -> set[str]:
    """Tell by which methods a module uses a pattern."""
    module, _, bare = name.partition(".")
    source = next(one for one in MODULES if one.__name__.endswith(f".{module}")).__file__
    assert source is not None
    with open(source, encoding="utf-8") as file:  # noqa: PTH123 - the module's own source, by the name that it has
        code = file.read()
    uses = set(re.findall(rf"\b{re.escape(bare.rstrip('0123456789'))}(?:\[\w+\])?\.(\w+)\(", code))
    assert uses, name
    return uses


def test_there_are_patterns() -> None:
    """TXT-22: the patterns of cleaning and links are found."""
    assert len(STANDARD) >= 20
    assert len(OTHERS) >= 10


@pytest.mark.parametrize(("module", "make"), [(re, late_re), (regex, late_regex)])
def test_a_late_pattern_is_compiled_once(
    module: ModuleType, make: Callable[[str, int], re.Pattern[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """PKG-09: a pattern is compiled when it's first used, and but then."""
    made: list[str] = []
    compile_ = module.compile

    def counted(source: str, flags: int) -> re.Pattern[str]:
        made.append(source)
        return compile_(source, flags)  # type: ignore[no-any-return] # of a module that's given

    monkeypatch.setattr(module, "compile", counted)
    late = make("(A+)b", module.IGNORECASE)
    assert made == []
    found = late.search("xaab")
    assert found is not None
    assert (found[1], late.sub("", "xaab"), late.fullmatch("b"), late.pattern) == ("aa", "x", None, "(A+)b")
    assert made == ["(A+)b"]


@pytest.mark.parametrize("name", STANDARD)
def test_no_repeat_gives_back(name: str) -> None:
    """TXT-22: a repeat without end is possessive, and the others together give back little."""
    tree = parser.parse(STANDARD[name].pattern, STANDARD[name].flags)
    found = endless(tree, fails="fullmatch" in uses_of(name))
    assert [argument for code, argument, _ in found if code is not op.POSSESSIVE_REPEAT] == []
    assert tries(tree) <= TRIES


@pytest.mark.parametrize("name", [name for name in STANDARD if not uses_of(name) <= {"fullmatch", "match"}])
def test_no_repeat_runs_over_a_beginning(name: str) -> None:
    """TXT-22: where a pattern searches, no run is read again from each place in it."""
    tree = parser.parse(STANDARD[name].pattern, STANDARD[name].flags)
    start, empty = firsts(tree)
    assert not empty
    for _, (_, _, repeated), led in endless(tree):
        run = set().union(*(taken(*one) for one in repeated))
        assert not start & run or any(keeps_out(part[0], part[1], run) for part in led)


@pytest.mark.parametrize("name", OTHERS)
def test_nothing_follows_a_repeat(name: str) -> None:
    """TXT-22: in what the `regex` package reads, nothing that could fail follows a repeat without end."""
    source = OTHERS[name].pattern
    # Classes, escapes and verbs hold such signs, too.
    while (bare := re.sub(r"\[[^\[\]]*\]", "C", source)) != source:
        source = bare
    bare = re.sub(r"\(\*\w+\)|\\[pP]\{[^}]*\}|\\.|\s", "C", re.sub(r"\\Z", "", source))
    assert re.findall(r"(?:[*+]|\{\d*,\})\+?(?![|)+]|\Z)", bare) == []


@pytest.mark.parametrize(
    ("pattern", "fine"),
    [
        ("a+b", False),
        ("a++b", True),
        ("(?:a+)+", False),
        ("(?:a{0,9}b{0,9}){0,99}", False),
        (".*x", False),
        ("a?b", True),
        ("ba+", True),
        ("ba+c?", True),
        ("(?:ba+)*c", False),
        (r"a+\Z", False),
    ],
)
def test_the_rules_find_what_gives_back(pattern: str, fine: bool) -> None:  # noqa: FBT001 - a table's column
    """TXT-22: these rules tell a pattern that can be made to try again."""
    tree = parser.parse(pattern)
    assert (all(code is op.POSSESSIVE_REPEAT for code, _, _ in endless(tree)) and tries(tree) <= TRIES) is fine
