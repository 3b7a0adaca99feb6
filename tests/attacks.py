"""List what a hostile page can try, kind by kind: for docs/cleaning.md, and for the tests that hold it."""

from __future__ import annotations

from typing import Final, NamedTuple


class Attack(NamedTuple):
    """Hold one kind of attack, a text or an address that tries it, and what Discord would do with that as it is."""

    kind: str
    sent: str
    raw: str


_ID: Final = "123456789012345678"

MARKUP: Final = (
    Attack("Mention of a member", f"<@{_ID}>", "names a member, and pings where mentions are allowed"),
    Attack("Mention of a role", f"<@&{_ID}>", "names a role, and pings"),
    Attack("Mention of all", "@everyone and @here", "pings all"),
    Attack("Mention of a channel", f"<#{_ID}>", "links a channel by its name"),
    Attack("Slash command mention", f"</search:{_ID}>", "puts a command into the reader's hands"),
    Attack("Guild navigation", "<id:customize>", "links to a page of the server"),
    Attack("Masked link", "[exa.ai](https://evil.example)", "shows one address and leads to another"),
    Attack("Bare link", "https://evil.example/login", "makes a link that nobody vetted"),
    Attack("Link in angle brackets", "<https://evil.example>", "makes a link without a preview"),
    Attack("Mail and telephone", "<mailto:a@evil.example> <tel:+123456>", "opens a mail, or dials"),
    Attack("Invite", "discord.gg/evil", "makes a link to another server"),
    Attack("Heading", "# Free nitro", "writes it in large letters"),
    Attack("Subtext", "-# example.com", "writes it like the line that names our source"),
    Attack("List", "- one", "sets it as a list"),
    Attack("Numbered list", "1. Our result", "sets it as a list"),
    Attack("Quote", "> said the owner", "sets it as a quote"),
    Attack("Quote without an end", ">>> said the owner", "sets all that follows as a quote, ours included"),
    Attack("Spoiler", "||hidden||", "hides it until it's clicked"),
    Attack("Code", "`code`", "sets it as code"),
    Attack("Block of code", "```js x```", "sets it as a block"),
    Attack("Code without an end", "``` and on", "may take in all that follows"),
    Attack("Emphasis", "**bold** *italic* __underlined__ ~~gone~~", "sets it so, and takes the signs away"),
    Attack("Custom emoji", f"<:nitro:{_ID}>", "shows a picture of another server"),
    Attack("Emoji by name", ":white_check_mark:", "shows an emoji that looks like a seal"),
    Attack("Timestamp", "<t:0:R>", "shows a date that nobody wrote"),
    Attack("Backslash of its own", "\\**bold**", "eats the backslash that was to protect"),
)
HTML: Final = (
    Attack("Entities", "&lt;@123&gt; &#64;everyone", "shows them as they are"),
    Attack("Entities of entities", "&amp;lt;b&amp;gt;bold&amp;lt;/b&amp;gt;", "shows them as they are"),
    Attack("Tags", '<b onclick="x">bold</b> <img src=x>text', "shows them as they are"),
    Attack("Tags in tags", "<scr<b></b>ipt>alert(1)</script>text", "shows them as they are"),
    Attack("Script and style", "<script>alert(1)</script><style>p{}</style>text", "shows them as they are"),
    Attack("Comment", "te<!-- for models only -->xt", "shows what no reader of the page sees"),
)
CHARACTERS: Final = (
    Attack("Bidi override", "photo\u202egpj.exe", "shows the rest backwards, as if it ended in .jpg"),
    Attack("Bidi isolates and marks", "a\u2067b\u2069\u200fc", "moves words, ours included"),
    Attack("Zero-width characters", "@\u200bever\u2060yone\ufeff", "shows nothing, and hides the word from filters"),
    Attack("Blank and filler characters", "a\u3164\u115f\uffa0\u2800b", "leaves holes, or an empty line"),
    Attack("Tag characters", "hi\U000e0069\U000e0067\U000e006e", "shows nothing, and language models read it"),
    Attack(
        "A flag with hidden text", "🏴\U000e0069\U000e0067\U000e006e\U000e007f", "shows a flag, and models read more"
    ),
    Attack(
        "Runs of variation selectors", "😀\ufe0f\ufe0e\U000e0101\U000e0102", "shows nothing, and can hold any bytes"
    ),
    Attack("Control characters", "a\x00b\x1b[31mc\x07", "shows boxes or nothing; a terminal obeys them"),
    Attack("Line breaks of all kinds", "a\nb\u2028c\x85d", "begins a line, where headings and lists begin"),
    Attack("Lone surrogate", "a\ud800b", "has no way to store it, and may refuse the message"),
    Attack("Noncharacter, private use", "a\ufdd0b\ue000c", "shows boxes"),
    Attack(
        "Stacked marks",
        "Z" + "\u0336\u0351\u0342\u0357\u0310\u0346" * 3 + "algo",
        "runs over the lines above and below",
    ),
    Attack("Mark without a letter", "\u0338 text", "strikes out what stands before it, our number for one"),
    Attack("Emoji chain", "👩" + "\u200d👩" * 6, "is one character that no cut may divide, however long"),
)
ADDRESSES: Final = (
    Attack("Another scheme", "javascript:alert(1)", "refuses the embed"),
    Attack("User info", "https://exa.ai@evil.example.com/", "leads to where it doesn't seem to"),
    Attack("Backslash", "https://example.com\\@evil.com/", "leaves it to the browser, which reads a slash"),
    Attack("Line break or tab", "https://exam\tple.com/", "leaves it to the browser, which drops it"),
    Attack("Host without a dot", "http://intranet/", "links into the reader's own network"),
    Attack("Loopback", "http://127.0.0.1:8080/", "links to the reader's own machine"),
    Attack("… in one number", "http://2130706433/", "likewise"),
    Attack("… in hexadecimal", "http://0x7f.1/", "likewise"),
    Attack("… in octal", "http://0177.0.0.1/", "likewise"),
    Attack("… in IPv6", "http://[::1]/", "likewise"),
    Attack("… mapped into IPv6", "http://[::ffff:127.0.0.1]/", "likewise"),
    Attack("… in other digits", "http://①②⑦.0.0.1/", "likewise"),
    Attack("… behind a public name", "http://127.0.0.1.nip.io/", "likewise"),
    Attack("Private network", "http://192.168.1.1/", "links to the reader's router"),
    Attack("Link-local", "http://169.254.169.254/", "links to a cloud's own data"),
    Attack("Reserved name", "https://printer.local/", "links into the reader's own network"),
    Attack("Router's name", "http://fritz.box/", "likewise"),
    Attack("Name for development", "https://shop.ddev.site/", "links to the reader's own machine"),
    Attack("Impossible port", "https://example.com:99999/", "makes a link that can lead nowhere, or refuses it"),
    Attack("Look-alike in Cyrillic", "https://аррӏе.com/", "shows letters that can't be told apart"),  # noqa: RUF001 - look-alikes are what is shown
    Attack("Host from right to left", "https://שלום.com/", "turns the order of what stands beside it"),
    Attack("Escaped host", "https://ex%61mple.com/", "leaves it to the browser"),
    Attack("Way out of a link", "https://example.com/a)[b](c", "ends the link where it's written as Markdown"),
    Attack("Tracking", "https://example.com/?utm_source=x&id=1&fbclid=y", "passes it on"),
    Attack("Credentials", "https://example.com/?id=1&access_token=secret", "shows them to all"),
    Attack("… behind an ampersand never decoded", "https://example.com/?id=1&amp;token=secret", "likewise"),
    Attack("… named more closely", "https://example.com/?user[reset_password]=secret&id=1", "likewise"),
    Attack("… in a fragment", "https://example.com/app#/reset?token=secret", "likewise"),
    Attack("… in an address within", "https://example.com/?url=http%3A%2F%2Fa%3Apw%40b.com%3Fsid%3Dx", "likewise"),
    Attack("Session in a path", "https://example.com/(S(lit3py55t21z5v55))/a%3Bjsessionid=x", "likewise"),
    Attack("Hook of a channel", "https://discord.com/api/webhooks/123456789012345678/secret", "lets all write there"),
    Attack("Too long", "https://example.com/" + "a" * 2100, "refuses the whole message"),
)
