"""Hold the drawing of messages; the parser of Markdown stays out of it, since it needs Node."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from text import hostile
from tools.pictures import markdown
from tools.pictures.drawing import Drawer, page
from tools.pictures.seen import Above, Seen, Shot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oracle import Tree

# All kinds of node that discord-markdown-parser makes of what is more than text.
KINDS = [
    *("autolink", "blockQuote", "channel", "codeBlock", "em", "emoji", "everyone", "guildNavigation", "heading"),
    *("here", "inlineCode", "link", "role", "slashCommand", "spoiler", "strikethrough", "strong", "timestamp"),
    *("underline", "url", "user"),
]
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
DELETE = {"type": 1, "components": [{"type": 2, "style": 2, "label": "Delete", "disabled": True}]}


def plain(texts: Sequence[tuple[str, bool]]) -> list[Tree]:
    """Take every text for text."""
    return [[{"type": "text", "content": text}] for text, _ in texts]


def shot(**fields: Any) -> Shot:  # noqa: ANN401 - fields of a message are of many types
    """Make a shot of one message that is like any other but for some fields."""
    usual: dict[str, Any] = {
        "above": Above.COMMAND, "command": "search", "member": "reader", "bot": "Web Search",
        "created": datetime(2026, 11, 30, 12, 0, tzinfo=UTC), "content": "", "embeds": [], "components": [],
        "private": False, "thinking": False,
    }  # fmt: skip
    return Shot(name="one", caption="One", messages=(Seen(**(usual | fields)),))


def drawn(**fields: Any) -> str:  # noqa: ANN401 - likewise
    """Draw such a shot."""
    one = shot(**fields)
    return Drawer([one], parse=plain).shot(one)


class Reader(HTMLParser):
    """Collect the tags and the text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag with its attributes."""
        self.tags.append(f"{tag} {attrs}")

    def handle_data(self, data: str) -> None:
        """Note a text."""
        self.text += data


def read(html: str) -> Reader:
    """Read a page."""
    reader = Reader()
    reader.feed(html)
    reader.close()
    return reader


@hostile.QUICK
@given(hostile.pages)
def test_foreign_text_is_text(text: str) -> None:
    """PIC-03: whatever stands in each place, the drawing's own tags stay the same and the text reads as it was."""

    def made_of(text: str) -> Reader:
        embed = {
            "title": text,
            "description": text,
            "url": text,
            "author": {"name": text},
            "fields": [{"name": text, "value": text}],
            "footer": {"text": text},
        }
        button = {"type": 1, "components": [{"type": 2, "style": 2, "label": text}]}
        return read(drawn(member=text, bot=text, command=text, content=text, embeds=[embed], components=[button]))

    # A parser of HTML takes some characters for others, whoever wrote them.
    text = "x" + "".join(character for character in text if character not in "\0\r")
    assert made_of(text).tags == made_of("x").tags
    assert made_of(text).text.count(text) >= 8


@pytest.mark.parametrize("ours", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_alive_is_named(kind: str, *, ours: bool) -> None:
    """PIC-04: whatever is alive is drawn and named, also inside of the small print that is our own."""
    one = shot(embeds=[{"title": "t", "description": "d"}])
    node = {"type": kind, "content": [], "level": 1, "name": "smile", "timestamp": "0", "format": "R"}

    def parse(texts: Sequence[tuple[str, bool]]) -> list[Tree]:
        return [[{"type": "subtext", "content": [node]} if ours else node] for _ in texts]

    drawer = Drawer([one], parse=parse)
    assert drawer.shot(one)
    assert drawer.alive(one) == ({kind} if kind != "timestamp" or not ours else set())
    assert Drawer([one], parse=plain).alive(one) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_alive_in_plain_text_is_named(kind: str) -> None:
    """PIC-04: in a reply without embeds only titles, addresses and small print on lines of their own are ours."""
    one = shot(content="t")
    text, line = {"type": "text", "content": "x"}, {"type": "br"}
    node = {"type": kind, "content": [], "level": 1, "name": "smile", "timestamp": "0", "format": "R"}

    def alive(*tree: dict[str, Any]) -> set[str]:
        return Drawer([one], parse=lambda texts: [list(tree) for _ in texts]).alive(one)

    ours = {"strong", "autolink"}
    assert alive(line, node, line, text) == {kind} - ours
    assert alive(text, node, line) == alive(line, node, text) == {kind}
    bold = {"type": "strong", "content": [node]}
    assert alive(bold, line, text) == {kind}
    assert alive(line, {"type": "subtext", "content": [node]}) == {kind} - {"timestamp"}


def test_live_markup_is_drawn_alive() -> None:
    """PIC-04: markup that is alive looks so, and a timestamp is a date."""
    inside = [{"type": "text", "content": "a & b"}]
    assert markdown.draw([{"type": "strong", "content": inside}], NOON) == "<strong>a &amp; b</strong>"
    assert markdown.draw([{"type": "everyone"}], NOON) == '<span class="mention">@everyone</span>'
    stamp = [{"type": "timestamp", "timestamp": "1700000000", "format": "D"}]
    assert markdown.draw(stamp, NOON) == "<time>November 14, 2023</time>"


@pytest.mark.parametrize(
    ("ahead", "said"), [(0, "now"), (-0.4, "now"), (61, "in 1 minute"), (-3600, "1 hour ago"), (1, "in 1 second")]
)
def test_a_distance_reads_as_discord_has_it(ahead: float, said: str) -> None:
    """PIC-07: a relative timestamp says how far off its moment is, and now within the same second."""
    stamp = [{"type": "timestamp", "timestamp": str(int(NOON.timestamp())), "format": "R"}]
    assert markdown.draw(stamp, NOON - timedelta(seconds=ahead)) == f"<time>{said}</time>"


def test_a_mention_has_a_name() -> None:
    """PIC-07: a mention of somebody whom the reader knows is their name, as text; anybody else is somebody."""
    known, unknown = [{"type": "user", "id": "12"}], [{"type": "user", "id": "13"}]
    tree = [{"type": "strong", "content": known}]
    assert markdown.draw(tree, NOON, {"12": "<b>"}) == '<strong><span class="mention">@&lt;b&gt;</span></strong>'
    assert markdown.draw(unknown, NOON, {"12": "<b>"}) == '<span class="mention">@somebody</span>'


@pytest.mark.parametrize(
    ("above", "said"),
    [
        (Above.COMMAND, "reader used /search"),
        (Above.REPLY, "Click to see attachment"),
        (Above.REPLY_TO_DELETED, "Original message was deleted"),
    ],
)
def test_what_stands_above(above: Above, said: str) -> None:
    """PIC-05: the line above a message says where it came from."""
    assert said in read(drawn(above=above)).text
    assert said not in read(drawn(above=Above.NOTHING)).text


def test_privacy_and_disabled_buttons_show() -> None:
    """PIC-06: both are seen, and only where they are."""
    private = drawn(private=True, components=[DELETE])
    assert "Only you can see this" in read(private).text
    assert "disabled>Delete" in private
    assert "Only you can see this" not in read(drawn()).text


def test_a_page_fetches_nothing() -> None:
    """PIC-03: a thumbnail is a box, so that no picture of a stranger is asked for."""
    html = page([drawn(embeds=[{"title": "t", "url": "https://x.y", "thumbnail": {"url": "https://x.y/z.png"}}])])
    assert 'class="thumbnail"' in html
    assert "x.y" not in html
    assert not [tag for tag in read(html).tags if tag.startswith(("img", "script", "link", "iframe"))]
