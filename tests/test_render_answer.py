"""Hold how an answer looks as embeds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from answer_tools import answered, bare, hostile_answers, links, source, texts
from cogs.websearch import citations, limits, parts, render, render_answer
from cogs.websearch.i18n import Words
from cogs.websearch.models import Answered, Category, Outcome, SearchPage, SearchRequest, SiteRules
from cogs.websearch.text import clean_paragraphs
from text import hostile
from text.alive import alive

if TYPE_CHECKING:
    import discord

WORDS = Words("en-US")


def shown(made: Answered, part: int = 0) -> list[str]:
    """Return the descriptions of a part's embeds."""
    return [embed.description or "" for embed in render_answer.answer(made, part, WORDS)]


def test_marks_and_titles_are_links() -> None:
    """ANS-01 ANS-03: each mark leads to its source, as the title in the list does, also where marks touch."""
    made = answered("Because air scatters blue light [1][2].\nMore so at noon.", source(1), source(2), source(3))
    header, text, listed = render_answer.answer(made, 0, WORDS)
    assert header.title == "why is the sky blue"
    assert text.description == (
        r"Because air scatters blue light [\[1\]](<https://example.com/1>)[\[2\]](<https://example.com/2>)."
        "\nMore so at noon."
    )
    assert listed.title == "Sources"
    assert listed.description == "\n".join(
        rf"\[{number}\] [Title {number}](<https://example.com/{number}>) · example.com" for number in (1, 2, 3)
    )


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Blue [3].", "Blue."),
        ("Blue [0]", "Blue"),
        ("Blue [99999999999999999999]", "Blue"),
        ("Blue[7][8] light", "Blue light"),
        ("[7] Blue", "Blue"),
        ("Blue\n[7]\nlight", "Blue\nlight"),
        ("rows[0] and (f())[0]", r"rows\[0\] and (f())\[0\]"),
        ("[[7]1]", r"\[ 1\]"),
        ("`a[7]`[9]`b[7]`", r"\`a\[7\]\` \`b\[7\]\`"),
        ("[1[7]]", r"\[1 \]"),
        ("[ [7]1]", r"\[ 1\]"),
        ("In 2026 [7] it was, [7] they say, `so` [7] here,[7] too.", r"In 2026 it was, they say, \`so\` here, too."),
    ],
)
def test_marks_that_point_to_nothing_are_gone(text: str, read: str) -> None:
    """ANS-02: and taking one out never makes another of what stood around it."""
    assert shown(answered(text, source(1)))[1] == read


def test_no_link_comes_to_be_in_code() -> None:
    """ANS-02: a mark that goes from between a backslash and a backtick leaves the code behind it code."""
    _, text, _ = shown(answered(r"The path C:\[7]`take x [1] y` works [1].", source(1)))
    assert text.count("](<https://") == 1
    assert text.endswith("works [\\[1\\]](<https://example.com/1>).")


def test_sources_on_blocked_sites_are_left_out() -> None:
    """ANS-02: neither mark nor line leads there, and the others keep their numbers."""
    other = source(2, url="https://www.example.org/2", host="www.example.org")
    made = answered(
        "One [1], two [2], three [3].", source(1), other, source(3), rules=SiteRules(owner_blocked=("example.org",))
    )
    _, text, listed = shown(made)
    assert text == r"One [\[1\]](<https://example.com/1>), two, three [\[3\]](<https://example.com/3>)."
    assert [line.split()[0] for line in listed.split("\n")] == [r"\[1\]", r"\[3\]"]


def test_code_with_brackets_is_harmless() -> None:
    """ANS-01 ANS-11: what looks like code stays as it was written, and its backticks are dead."""
    _, text = shown(answered("Write `rows[0][5]` or ```x[0]```."))[:2]
    assert text.startswith(r"Write \`rows\[0\]\[5\]\` or \`\`\`x\[0\]\`\`\`.")


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("`argv[1]` is it [1].", [1]),
        ("`argv[1]`[1] is it.", [1]),
        ("```py\nx = argv[1]\n```\n[1] It is.", [1]),
        ("```py\nx = argv[1]\n```[1]\nIt is.", [1]),
        ("- ~~~\nargv[1]\n~~~\nIt is [1].", [1]),
        ("array[1] = 3 sets it [1].", [1]),
        ("天空[1]是藍色的", [0]),
        ("Blue[1], he `said [1].", [0, 1]),
        ("Not \\`x[1], but `y[1]`.", [0]),
    ],
)
def test_code_has_no_marks(text: str, cited: list[int]) -> None:
    """ANS-11: an index in code is no link, though a source has its number; a mark beside it is one."""
    (part,) = citations.split(answered(text, source(1)))
    assert part.text == text
    places = [found.start() for found in re.finditer(r"\[1\]", text)]
    assert [places.index(mark.start) for mark in part.marks] == cited
    assert "".join(shown(answered(text, source(1)))).count("(<https://example.com/1>)") == len(cited) + 1


def test_code_that_is_still_being_written_has_no_marks() -> None:
    """ANS-11: what is open at the end of an answer that isn't whole is code, so that no link comes and goes."""
    open_one = answered("It is [1]: `x = argv[1] + rows[7]", source(1), complete=False)
    part, _ = citations.beginning(open_one)
    assert part.text == open_one.answer.text
    assert [mark.start for mark in part.marks] == [6]


@hostile.QUICK
@given(
    st.lists(
        st.tuples(st.sampled_from(["`", "``", "```\n"]), st.text("a1[]9 ,=.", min_size=1), st.booleans()), max_size=30
    )
)
def test_code_of_any_kind_is_shown_whole(pieces: list[tuple[str, str, bool]]) -> None:
    """ANS-11: in however many parts, nothing of it is lost, and exactly the marks beside it are links."""
    written, marked = [], 0
    for fence, inside, block in pieces:
        code = f"{fence}{' '.join(inside.split()) or 'a'}{fence[::-1]}"
        written.append(f"\n{code}\nIt is [1].\n" if block or "\n" in fence else f" Take {code} [1].")
        marked += 1
    cleaned, _ = clean_paragraphs("So it is. " + "".join(written), limits.ANSWER)
    every = citations.split(answered(cleaned, source(1)))
    if cleaned.endswith("…"):
        return
    assert "".join("".join(part.text.split()) for part in every) == "".join(cleaned.split())
    assert sum(len(part.marks) for part in every) == marked
    for part in every:
        assert all(part.text[mark.start : mark.end] == "[1]" for mark in part.marks)


def test_a_title_that_cannot_be_a_label_is_shown_otherwise() -> None:
    """ANS-03: brackets become round, and of a title that looks like an address the number is the link."""
    made = answered(
        "Blue.", source(1, title="[PDF] Light"), source(2, title="https://bank.example"), source(3, title="")
    )
    listed = shown(made)[-1].split("\n")
    assert listed == [
        r"\[1\] [\(PDF) Light](<https://example.com/1>) · example.com",
        r"[\[2\]](<https://example.com/2>) https\://bank.example · example.com",
        r"\[3\] [example.com/3](<https://example.com/3>) · example.com",
    ]


def test_an_answer_without_sources_says_so() -> None:
    """ANS-04: no list is shown, and none is made up."""
    assert shown(answered("Blue.")) == ["answered by Exa", "Blue.\n-# This answer names no sources."]


def test_an_answer_whose_sources_are_blocked_says_so() -> None:
    """ANS-04: it's not said that it named none."""
    made = answered("Blue [1].", source(1), rules=SiteRules(owner_blocked=("example.com",)))
    assert shown(made)[1:] == ["Blue.\n-# This answer rests on sites that aren't shown here."]
    assert (
        shown(
            answered("[1]", source(1), source(2, host="example.org"), rules=SiteRules(owner_blocked=("example.com",)))
        )[1]
        == "…"
    )


def test_an_answer_that_broke_off_says_so_at_its_end() -> None:
    """ANS-04: on the last part alone."""
    made = answered("Blue light. " * 200 + "[1]", source(1), complete=False)
    first, last = shown(made, 0)[1], shown(made, 1)[1]
    assert "broke off" not in first
    assert last.endswith("\n-# The answer broke off here: this is all that came.")


def test_an_answer_that_broke_off_may_have_sources() -> None:
    """ANS-04: it isn't said that it names none, but on each part that none came."""
    made = answered("Blue light. " * 200, complete=False)
    said = "\n-# The answer broke off here: this is all that came. No sources of this answer came."
    assert shown(made, 0)[1].endswith("\n-# No sources of this answer came.")
    assert shown(made, 1)[1].endswith(said)
    blocked = answered("Blue [1].", source(1), rules=SiteRules(owner_blocked=("example.com",)), complete=False)
    assert shown(blocked)[1].endswith("This answer rests on sites that aren't shown here.")


def test_the_header_names_engine_part_and_filters() -> None:
    """ANS-05: whoever reads a part knows of what it is one."""
    made = answered("Blue light. " * 200, category=Category.NEWS, sites=("example.com",))
    assert render_answer.part_count(made) == 2
    assert shown(made, 1)[0] == "answered by Exa · part 2 of 2 · News · example.com"
    assert shown(answered("Blue."))[0] == "answered by Exa"
    assert shown(made, 7) == shown(made, 1)


def test_each_part_has_its_own_sources() -> None:
    """ANS-03: those that nothing cites stand with the last part, and none is missing."""
    made = answered("Blue [2]. " + "Light. " * 300 + "Red [1].", source(1), source(2), source(3))
    assert render_answer.part_count(made) == 2
    assert [line.split()[0] for line in shown(made, 0)[2].split("\n")] == [r"\[2\]"]
    assert [line.split()[0] for line in shown(made, 1)[2].split("\n")] == [r"\[1\]", r"\[3\]"]


def test_long_addresses_are_left_out_alone() -> None:
    """ANS-06: a short address is linked beside twenty long ones, and each source has its line."""
    long = [source(number, url=f"https://example.com/{'x' * 2000}{number}") for number in range(1, 20)]
    made = answered("".join(f"Blue [{number}]. " for number in range(1, 21)).strip(), *long, source(20))
    _, text, listed = shown(made)
    assert r"Blue \[2\]. Blue \[3\]." in text
    assert r"Blue [\[20\]](<https://example.com/20>)." in text
    lines = listed.split("\n")
    assert len(lines) == 20
    assert [line for line in lines if "xx" in line] == [lines[0]]
    assert lines[-1] == r"\[20\] [Title 20](<https://example.com/20>) · example.com"


def test_sources_without_room_are_counted() -> None:
    """ANS-06: how many there are is said, whatever is shown of them; those that are cited come first."""
    host = "a" * 60 + ".example.com"
    wide = [
        source(number, title="*" * 120, host=host, url=f"https://example.com/{'x' * 90}{number}")
        for number in range(1, 21)
    ]
    made = answered("Blue [20]." + " Red [20]." * 120, *wide)
    header, text, listed = shown(made)
    *lines, rest = listed.split("\n")
    assert len(lines) > 8
    assert rest == f"and {20 - len(lines)} more sources"
    # The one that's cited is there, though it's the last.
    assert lines[-1].startswith(r"\[20\] ")
    assert lines[0].startswith(r"\[1\] ")
    assert len(header) + len(text) + len(listed) > limits.EMBEDS_TOTAL - 400


def test_many_marks_of_one_source_share_the_room() -> None:
    """ANS-06: the first mark of each source is a link before any other is, and all are still there."""
    made = answered("Blue [1][1][1] " * 60 + "and [2].", source(1), source(2, url="https://example.com/" + "x" * 300))
    text = shown(made)[1]
    assert text.count(r"[\[2\]](<") == 1
    assert 10 < text.count(r"[\[1\]](<") < 100
    assert text.count(r"\[1\]") == 180


def test_an_answer_that_grows_shows_its_beginning() -> None:
    """ANS-07: it has its links already, no half of a mark, and says that more is to come."""
    made = answered("Because [1] of scattering [", source(1), complete=False)
    header, text = render_answer.growing(made, WORDS)
    assert (header.title, header.description) == ("why is the sky blue", "answered by Exa")
    assert text.description == (
        "Because [\\[1\\]](<https://example.com/1>) of scattering\n-# The answer is still being written."
    )
    long = answered("Blue light. " * 300 + "[1", source(1), complete=False)
    _, text = render_answer.growing(long, WORDS)
    assert (text.description or "").endswith("\n-# This is the beginning: the answer is still being written.")


def test_an_answer_that_has_only_begun_is_whole() -> None:
    """ANS-07: nothing but half a mark is no empty embed."""
    _, text = render_answer.growing(answered("[1", complete=False), WORDS)
    assert text.description == "-# The answer is still being written."


def test_results_instead_of_an_answer_say_so() -> None:
    """ANS-09: who asked for an answer reads in the header why there is none."""
    request = SearchRequest(query="blue sky", count=5)
    found = SearchPage(backend="SearXNG", results=(source(1),), found=1)
    header = render.results(Outcome(request=request, page=found, unanswered="SearXNG"), 0, WORDS)[0]
    assert header.description == ("SearXNG can't answer questions: here is what was found instead.\n1 result · SearXNG")
    assert render.results(Outcome(request=request, page=found), 0, WORDS)[0].description == "1 result · SearXNG"


def every(made: Answered) -> list[list[discord.Embed]]:
    """Make all parts, and the look while it grows."""
    found = [render_answer.answer(made, part, WORDS) for part in range(render_answer.part_count(made))]
    return [*found, render_answer.growing(made, WORDS)]


@hostile.QUICK
@given(hostile_answers)
def test_every_part_keeps_the_limits(made: Answered) -> None:
    """ANS-06 ANS-01: however much must be escaped and linked; by the rules that escaping is held to, nothing lives."""
    for embeds in every(made):
        assert sum(map(len, embeds)) <= limits.EMBEDS_TOTAL
        for embed in embeds:
            assert len(embed.title or "") <= limits.EMBED_TITLE
            assert 0 < len(embed.description or "") <= limits.EMBED_DESCRIPTION
            assert alive(embed.title or "") == []
            words = [line for line in bare(embed.description or "").split("\n") if not line.startswith("-# ")]
            assert [found for line in words for found in alive(line)] == []


@hostile.QUICK
@given(hostile_answers)
def test_exactly_the_vetted_links_are_alive(parser: oracle.Parser, made: Answered) -> None:
    """ANS-10: to the parser, each link leads to the source whose number or title it reads as, and no other is there."""
    sources = citations.shown(made)
    for embeds in every(made):
        for embed in embeds:
            tree = parser.tree(embed.description or "")
            # Which is what the watch over all messages of the suite asks as well.
            assert oracle.foreign(oracle.unlinked(tree)) == set(), embed.description
            ours = {f"[{number}]": source.url for number, source in sources.items()}
            for label, target in links(tree):
                if label in ours:
                    assert target == ours[label]
                else:
                    assert embed.title == "Sources"
                    assert target in ours.values()
            # None is lost: as many are alive as were written.
            assert len(list(links(tree))) == (embed.description or "").count("](<")


@hostile.QUICK
@given(texts)
def test_marks_are_links_wherever_they_stand(parser: oracle.Parser, raw: str) -> None:
    """ANS-01 ANS-10: as long as there's room, each mark that points to a source is alive."""
    cleaned, _ = clean_paragraphs(raw, 400)
    made = answered(cleaned, source(1), source(2))
    told = citations.split(made)[0]
    expected = [f"[{mark.number}]" for mark in told.marks]
    found = [label for label, _ in links(parser.tree(shown(made)[1]))]
    assert len(told.text) <= parts.MOST
    assert found == expected
