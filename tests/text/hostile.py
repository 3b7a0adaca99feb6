"""Build hostile pages: fragments of markup, entities and troublesome characters, whole and in halves."""

from __future__ import annotations

import html

from hypothesis import settings
from hypothesis import strategies as st

# Each property runs in a second or two; the machine may be busy, so that no example is timed.
QUICK = settings(max_examples=150, deadline=None)

MARKDOWN = [
    *("@everyone", "@here", "<@123456789012345678>", "<@!123456789012345678>", "<@&123456789012345678>"),
    *("<#123456789012345678>", "</search:123456789012345678>", "</a b c:123456789012345678>"),
    *("<id:customize>", "<id:browse>", "<id:guide>", "<123456789012345678:customize>"),
    *(
        "[a](https://evil.example)",
        "[a](<https://evil.example> 'b')",
        "](https://evil.example)",
        "(https://evil.example)",
    ),
    *("https://evil.example/a_b_c", "http://x.y", "HTTPS://X.Y", "<https://evil.example>", "<mailto:a@b.c>", "<a@b.c>"),
    *(
        "<tel:+123>",
        "steam://run/1",
        "discord://-/x",
        "discord.gg/abc",
        "https://discord.com/invite/abc",
        "Discord.GG/x",
    ),
    *("# h", "## h", "### h", "-# sub", "- l", "* l", "+ l", "1. l", "123. l", "> q", ">>> q"),
    *(
        "`c`",
        "``c``",
        "```js\nx\n```",
        "```",
        "`",
        "**b**",
        "*i*",
        "***",
        "__u__",
        "_i_",
        "_",
        "~~s~~",
        "~",
        "||s||",
        "|",
    ),
    *(":smile:", ":+1:", ":", "<:ab:123456789012345678>", "<a:ab:123456789012345678>", "<t:0>", "<t:0:R>"),
    *("\\", "\\\\", "\\_", "\\`", r"¯\_(ツ)_/¯", "[", "]", "(", ")", "<", ">", "*", "@", "#", "-", "+", ".", "1"),
]
HTML = [
    *(
        "<b>",
        "</b>",
        "<br>",
        "<br/>",
        "<p>",
        "</p>",
        "<div class='x'>",
        "</div>",
        '<a href="https://evil.example">',
        "</a>",
    ),
    *('<img src=x onerror="alert(1)">', "<IMG/SRC=x>", "<script>", "</script>", "<ScRiPt>alert(1)</sCrIpT>", "<style>"),
    *(
        "</style >",
        "<!--",
        "-->",
        "<!-- c -->",
        "<!DOCTYPE html>",
        "<?xml version='1.0'?>",
        "<![CDATA[x]]>",
        "<svg/onload=x>",
    ),
    *(
        "<",
        ">",
        "</",
        "/>",
        "<a",
        "<a '",
        '<a "',
        "<scr",
        "ipt>",
        "<T>",
        "List<int>",
        "a < b",
        "<-",
        "<title>",
        "<input>",
        "Set<S>",
        "vector<a>",
        "i<n;",
        "<dir>",
        "<img src=x",
        '<img src="x',
    ),
]
ENTITIES = [
    *(
        "&lt;",
        "&gt;",
        "&amp;",
        "&quot;",
        "&#39;",
        "&#x27;",
        "&nbsp;",
        "&copy;",
        "&zwnj;",
        "&#8203;",
        "&#x202e;",
        "&#0;",
    ),
    *("&#xD800;", "&#1114112;", "&#99999999999;", "&amp;lt;", "&amp;amp;lt;", "&#38;lt;", "&#x26;#60;", "&lt", "&#60"),
    *("&", ";", "&#", "#60;", "lt;", "amp;", "&am", "p;", "&NotEqualTilde;", "&nosuchname;", "&#128512;"),
]
TROUBLE = [
    *("\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u202a", "\u202e", "\u2060", "\u2066", "\u2069", "\ufeff"),
    *("\u00ad", "\u034f", "\u061c", "\u115f", "\u1160", "\u17b4", "\u180b", "\u180e", "\u2800", "\u3164", "\uffa0"),
    *(
        "\ufe0e",
        "\ufe0f",
        "\U000e0100",
        "\U000e0001",
        "\U000e0067",
        "\U000e007f",
        "\ufff9",
        "\ufffc",
        "\ufffd",
        "\ufdd0",
    ),
    *("\ue000", "\ud800", "\udfff", "\x00", "\x1b[31m", "\x7f", "\x85", "\u2028", "\u2029", "\t", "\n", "\r\n", "\xa0"),
    *("\u0301", "\u0301" * 20, "\u0489" * 5, "\u20dd", "\u20e3", "\u0e34" * 9, "\u05b0", "\u064e", "\u0651", "\u037e"),
    *("അവന്\u200d", "উত্\u200d", "5\u0647\u200d", "🇩" * 9, "🇩\u0301", "\u0600🇩", "mailto:", "mailto: "),
    *("é", "e\u0301", "한", "\u1112\u1161\u11ab", "क्\u200dष", "می\u200cشود", "ผู้", "漢", "葛\U000e0100", "ß", "\u0338"),
    *(
        "😀",
        "👍🏽",
        "👩\u200d👩\u200d👧",
        "🏳️\u200d🌈",
        "🇩🇪",
        "🇩",
        "1️⃣",
        "❤️",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ),
]
WORDS = ["word", "Wort", "a", "x2", "100", "...", "…", " ", "  ", ",", "'", '"', "!", "?", "=", "/", "%", "$5"]

fragments = st.sampled_from([*MARKDOWN, *HTML, *ENTITIES, *TROUBLE, *WORDS])
# As they are, as entities, as entities of entities, cut in two, many times over.
mangled = st.one_of(
    fragments,
    fragments.map(html.escape),
    fragments.map(lambda text: html.escape(html.escape(text))),
    st.builds(lambda text, at: text[at:], fragments, st.integers(1, 6)),
    st.builds(lambda text, at: text[:at], fragments, st.integers(1, 6)),
    st.builds(lambda text, times: text * times, fragments, st.integers(2, 60)),
    st.text(max_size=6),
)
pages = st.lists(mangled, max_size=30).map("".join)
# Mostly such as need no cleaning, with a little now and then that does.
plain_pages = st.lists(
    st.one_of(
        st.sampled_from(
            [*WORDS, "Straße", "Ωμέγα", "слово", "שלום", "كلمة", "漢字", "かな", "한국", "😀", "“so”", "—"]
        ),
        st.sampled_from(["&", "&a", "AT&T", "&amp", ";", "&#", "# ", "\n", "\t", "a > b", "<", "e\u0301", "[x](y)"]),
    ),
    max_size=30,
).map("".join)
limits = st.one_of(st.integers(0, 40), st.sampled_from([80, 100, 256, 400, 1000]))

schemes = st.sampled_from(
    ["http://", "https://", "HTTPS://", "//", "", "javascript:", "ftp://", "http:/", "https://u:p@"]
)
hosts = st.sampled_from(
    [
        *("example.com", "EXAMPLE.com.", "müller.de", "xn--mller-kva.de", "例え.jp", "аррӏе.com", "שלום.com", "i❤.ws"),  # noqa: RUF001 - look-alikes are what is tested
        *("localhost", "127.0.0.1", "0x7f.1", "2130706433", "[::1]", "a.local", "a..b", "-a.com", "a_b.com", "com"),
        *("example。com", "ｅxample.com", "exam\u00adple.com", "exam\u200bple.com", "e%78ample.com", "a.com\\@b.com"),  # noqa: RUF001 - likewise
    ]
)
tails = st.lists(
    st.sampled_from(
        [
            *(
                "/",
                "?",
                "#",
                "&",
                "=",
                ";",
                ":80",
                ":0",
                ":99999",
                "%",
                "%41",
                "%zz",
                "(",
                ")",
                "[",
                "]",
                "<",
                ">",
                "'",
                '"',
            ),
            *(
                "a",
                "ü",
                "漢",
                "\u202e",
                "\x00",
                "\n",
                " ",
                "\\",
                "@",
                "*",
                "`",
                "|",
                "utm_source=x",
                "token=1",
                "&amp;user[password]=1",
                ";session=abc;d",
                "%3Bjsessionid=1",
                "%26token%3D1",
                "//u:p@h/",
                "%3A%2F%2Fu%40h",
                "/(S(lit3py55t21z5v55))",
                "/webhooks/123456789012345678/ab",
                "amp;",
                "\ud800",
            ),
        ]
    ),
    max_size=12,
).map("".join)
# Such as are read at a glance, and such as only look like them.
_good_names = st.sampled_from(["example.com", "www.example.org", "a.b-c.d_e.dev", "q--x.io", "x1.example.museum"])
_odd_names = st.sampled_from(
    [
        *("nip.io", "127.0.0.1.nip.io", "a.lvh.me", "localhost", "a.local", "com", "A.com", "d.com.", "-a.com", "c.1"),
        *("xn--mller-kva.de", "a.xn--p1ai", "axn--.com", f"{'a' * 64}.com", f"{'a.' * 130}com", "a.com:80", "u@a.com"),
    ]
)
_good_tails = st.lists(st.sampled_from(["/a", "/a%20b", "/~x", "=", "@", ",", "?", "a=1", "&", "#"]), max_size=6)
_odd_tails = st.lists(
    st.sampled_from(
        [
            *(
                "?utm_source=x",
                "&%75tm_id=1",
                "#fbclid",
                "&token=1",
                "?q=%C3%BC",
                ";sid=1",
                "%zz",
                "*",
                "(",
                "ü",
                "&",
                "/",
            ),
            *(
                "&amp;",
                "%26api_key%3D1",
                "%3Ftoken=1",
                ";a_token=b;c==",
                "://u@h/",
                "/webhooks/123456789012345678/ab",
                "?",
            ),
            *(
                "/%28S%28lit3py55t21z5v55%29%29/a",
                "%3Bsid%3D1",
                "&session=2024",
                "&session=87(R)",
                "/bot123456:",
                "a" * 30,
            ),
        ]
    ),
    max_size=4,
)
plain_addresses = st.builds(
    "{}{}{}{}{}".format,
    st.sampled_from(["http://", "https://"]),
    st.one_of(_good_names, _good_names, _odd_names),
    st.sampled_from(["/", "/", "?", "#", ""]),
    _good_tails.map("".join),
    st.one_of(st.just([]), _odd_tails).map("".join),
)
addresses = st.one_of(st.builds("{}{}{}".format, schemes, hosts, tails), pages, st.text())
