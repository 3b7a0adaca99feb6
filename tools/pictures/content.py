"""Hold what the engine answers in the pictures: rows as Exa sends them, ordinary and odd ones."""

from __future__ import annotations

from typing import Final, TypeAlias

Row: TypeAlias = dict[str, object]


def row(url: str, title: str, text: str = "", published: str = "", image: str = "") -> Row:
    """Make one row; what is empty is left out, as Exa does."""
    fields = {"url": url, "title": title, "text": text, "publishedDate": published, "image": image}
    return {name: value for name, value in fields.items() if value or name == "title"}


BLOCKING: Final = (
    row(
        "https://docs.example.org/library/asyncio/to-thread",
        "Running blocking code in a thread",
        "asyncio.to_thread runs a blocking function in a separate thread and lets the event loop go on. The context "
        "variables of the caller are passed along. It suits file access and other waits that hold no lock; for work "
        "that keeps a processor busy, a pool of processes is the better choice.",
        "2026-05-04T09:30:00.000Z",
        "https://docs.example.org/static/thread.png",
    ),
    row(
        "https://blog.example.net/2025/event-loop",
        "Why your bot freezes: blocking calls in the event loop",
        "A single call that blocks for two seconds makes every user wait for two seconds. Here's how to find such "
        "calls with debug mode, and three ways to get rid of them.",
        "2025-11-18",
    ),
    row(
        "https://forum.example.com/t/mixing-threads-and-asyncio/4182",
        "Mixing threads and asyncio without deadlocks",
        "Hand results back with call_soon_threadsafe. Never touch a future from another thread; most of the questions "
        "in this topic come from just that.",
    ),
    row(
        "https://wiki.example.org/concurrency",
        "Concurrency: threads, processes, coroutines",
        "An overview of the three models, with a table of what each is good at and what it costs.",
        "2024-02-29",
        "https://wiki.example.org/table.svg",
    ),
    row(
        "https://docs.example.org/library/concurrent-futures",
        "Executors and futures",
        "An executor runs callables in a pool of threads or processes and gives back futures.",
        "2026-10-01",
    ),
)
GALAXY: Final = (
    row(
        "https://news.example.com/2026/11/telescope",
        "New telescope sends its first pictures of a distant galaxy",
        "The telescope sent its first pictures on Sunday. Astronomers say that the galaxy is older than they thought, "
        "and that the pictures show stars that formed soon after the beginning.",
        "2026-11-29T18:45:10.123Z",
        "https://news.example.com/img/galaxy.jpg",
    ),
    row(
        "https://news.example.org/science/first-light",
        "First light: what the new mirror can see",
        "Eighteen segments act as one mirror. We explain how they're kept in line.",
        "2026-11-27",
    ),
)
BREAD: Final = (
    row(
        "https://recipes.example.net/bread",
        "Bread at home: five steps & one tip",
        "Mix flour, water, salt and yeast. Let the dough rest for a night. Bake it hot, with steam, for forty minutes.",
        "2024-02-29",
    ),
)
SCRIPTS: Final = (
    row(
        "https://ar.example.org/qahwa",
        "تاريخ القهوة في المدن القديمة",
        "وصلت القهوة إلى المدن القديمة مع التجار، ثم صارت المقاهي مكانا للحديث والموسيقى. كان أول مقهى صغيرا.",
        "2022-12-31",
    ),
    row(
        "https://hi.example.org/chai",
        "नदी के किनारे के गाँव और उनकी चाय",
        "नदी के किनारे के गाँव बारिश के दिनों में कैसे रहते हैं, इसकी कहानी। "
        "हर घर में अदरक की चाय बनती है, और हर चाय का स्वाद अलग होता है।",
        "2026-08-15",
    ),
    row(
        "https://ja.example.org/kissaten",
        "始発電車で行く、海の見える喫茶店",
        "始発電車に乗って、海の見える駅まで行きました。朝の光がとてもきれいでした。駅前の喫茶店は「珈琲と本」という名前で、六時から開いています。",
        "2026-10-01",
    ),
    row(
        "https://th.example.org/kafae",
        "ตลาดน้ำตอนเช้ากับกาแฟโบราณ",
        "ตลาดน้ำเปิดตั้งแต่เช้ามืด แม่ค้าพายเรือขายผลไม้ ก๋วยเตี๋ยว และกาแฟโบราณให้คนที่มาเที่ยว",
        "2025-07-20",
    ),
    row(
        "https://ko.example.org/keopi",
        "전통 시장에서 마신 커피 ☕🥬🍎",
        "새벽부터 문을 여는 전통 시장에서 커피를 마셨습니다. 👩‍👩‍👧‍👦 모두가 즐거웠어요 🎉 👍🏽 🇰🇷",
        "2025-11-11",
    ),
    row(
        "https://he.example.org/cafe",
        "בית קפה קטן ברחוב Herzl 12",
        "בית קפה קטן ברחוב מביא שכנים לקרוא יחד. פתוח 7:00–19:00, וגם ילדים לומדים כאן לאהוב ספרים (ו־Python).",  # noqa: RUF001 - Hebrew is what is shown
    ),
)
_LONG_WORDS: Final = (
    "The full minutes of the joint working group on the harmonisation of long and rather tiring titles, with all "
    "annexes, tables, corrections and the dissenting opinions of the third subcommittee, in the version of the "
    "fourteenth of September, third revised edition, volume two of nine"
)
LONG: Final = (
    row(
        "https://documents.archive.department-of-very-long-names.region.example.org/minutes/2026/09/14/annex-c",
        _LONG_WORDS,
        f"{_LONG_WORDS}. It goes on like this for many pages. " * 3,
        "2026-09-14",
        "https://documents.example.org/seal.png",
    ),
    row(
        "https://chemistry.example.org/titin",
        "Methionylthreonylthreonylglutaminylarginyltyrosylglutamylserylleucylphenylalanylalanylglutaminylleucyllysyl",
        "Methionylthreonylthreonylglutaminylarginyltyrosylglutamylserylleucylphenylalanylalanylglutaminylleucyl"
        "lysylglutamylarginyllysylglutamylglycylalanylphenylalanylvalylprolylphenylalanylvalylthreonylleucyl"
        "glycylaspartylprolylglycyl is the beginning of the longest name of a protein.",
        "2020-01-01",
    ),
    row(
        "https://short.example.org/",
        "Short",
        "Short.",
        "2026-01-02",
    ),
)
BARE: Final = (
    row("https://forum.example.com/t/9", "A question without a date", "Nobody knows when this was written."),
    row("https://files.example.org/manual.pdf", "", "A page that has no title goes by the name of its site."),
    row("https://example.com/", "A page of which there is nothing but the title"),
)
HOSTILE: Final = (
    row(
        "https://evil.example.net/a",
        "**@everyone** claim <@&123456789012345678> [free nitro](https://evil.example) ||now||",
        "@everyone @here <@123456789012345678> <#123456789012345678> </search:123456789012345678> "
        "[click me](https://evil.example) https://evil.example discord.gg/abc **bold** __under__ ~~gone~~ ||spoiler|| "
        "`code` :smile: <a:party:123456789012345678> <t:0:R>",
        "2026-11-30",
    ),
    row(
        "https://evil.example.net/b",
        "# A heading ```and code```",
        "# heading\n## heading\n-# small\n> quote\n>>> long quote\n- list\n* list\n1. list\n```js\nalert(1)\n```\n"
        "<script>alert(1)</script><b>bold</b> &lt;img src=x onerror=alert(1)&gt; AT&amp;T",
    ),
    row(
        "https://evil.example.net/c",
        "\u202eelpmaxe.live\u202c turned around, z\u0300\u0301\u0302\u0303\u0304\u0305"
        "\u0306\u0307\u0308a\u0300\u0301\u0302\u0303lgo",
        "in\u200bvis\u00adible \ufeffletters, \u202ereversed\u202c text, a back\\slash, snake_case_name, "
        "2 * 3 * 4 = 24, "
        r"¯\_(ツ)_/¯ and <angle> brackets: List<int>, a < b > c.",
        "2026-11-30",
    ),
)
_WAITING: Final = (
    "It's made for functions that wait: they read files, ask a database, or sleep. While they do, the event loop goes "
    "on with everything else. Context variables of the caller are passed along, so a function can tell whose request "
    "it works on."
)
_WORKING: Final = (
    "For work that keeps a processor busy, a thread helps little: one thread at a time runs Python code. Take a pool "
    "of processes then, and hand results back through its executor."
)
_ENDING: Final = (
    "What runs in a thread can't be cancelled. A task that waits for it can: the wait ends, but the thread goes on "
    "until its function returns, and nobody hears of its result."
)
# The text of a page that is read, longer than what is kept of one.
PAGE: Final = "\n".join(
    (
        "asyncio.to_thread(func, /, *args, **kwargs) runs func in a separate thread and gives back what it returns.",
        *(_WAITING, _WORKING, _ENDING),
        *(f"Example {number}. {_WAITING} {_WORKING}" for number in range(1, 24)),
    )
)
_CITED: Final = (
    "That suits functions that wait, such as those that read files or ask a database [1][2]. For work that keeps a "
    "processor busy, a pool of processes is the better choice [3].\n"
)
_FIRST: Final = (
    "Run it in a thread of its own: asyncio.to_thread takes the function and its arguments, and the event loop goes on "
    "meanwhile [1]. "
)
# The pieces of an answer that cites three of its sources.
ANSWER: Final = (
    _FIRST,
    _CITED,
    "Hand results back with call_soon_threadsafe, and never touch a future from another thread [2].",
)
# The first host is Cyrillic throughout and looks like a well-known name; the second is what it says.
LOOKALIKES: Final = (
    row(
        "https://аррӏе.com/login",  # noqa: RUF001 - look-alikes are what is shown
        "Sign in to your account",
        "A site whose name only looks like another one.",
        "2026-11-30",
    ),
    row("https://bücher.example.org/neu", "Neue Bücher", "Eine Seite, die wirklich so heißt.", "2026-11-30"),
    row("https://例え.jp/", "日本語のドメイン", "名前のとおりのサイトです。", "2026-11-30"),
)
