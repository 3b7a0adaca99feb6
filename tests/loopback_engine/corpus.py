# ruff: noqa: RUF001 - letters of other scripts are what this corpus is for
"""Hold a few pages in several scripts, and rank them as plainly as possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Page:
    """Hold one page; `published` is an ISO date or date-time, or empty where the engine does not know it."""

    url: str
    title: str
    text: str
    published: str = ""
    author: str | None = None
    image: str = ""
    category: str = ""

    @property
    def host(self) -> str:
        """Tell the host of the page."""
        return urlsplit(self.url).hostname or ""


PAGES: Final = (
    Page(
        "https://docs.example.org/asyncio/to-thread",
        "Running blocking code in a thread",
        "asyncio.to_thread runs a blocking function in a separate thread and lets the event loop go on. "
        "The context variables of the caller are passed along. It suits file access and other waits that hold no lock.",
        published="2026-05-04T09:30:00.000Z",
        author="The documentation team",
        image="https://docs.example.org/static/thread.png",
    ),
    Page(
        "https://news.example.com/2026/11/telescope",
        "New telescope sends its first pictures of a distant galaxy",
        "The telescope sent its first pictures on Sunday. Astronomers say that the galaxy is older than they thought, "
        "and that the pictures show stars that formed soon after the beginning.",
        published="2026-11-29T18:45:10.123Z",
        author="Newsroom",
        image="https://news.example.com/img/galaxy.jpg",
        category="news",
    ),
    Page(
        "https://www.example.net/recipes/bread?utm_source=feed#crust",
        "Bread at home: *five* steps & one tip",
        "Mix flour, water, salt and yeast. Let the dough rest for a night. Bake it hot, with steam, for forty minutes. "
        "The crust is done when it sounds hollow.",
        published="2024-02-29",
    ),
    Page(
        "https://journal.example.org/papers/soil-carbon",
        "Carbon in soils: a review of long-term field experiments",
        "We review forty field experiments on carbon in soils. Ploughing less keeps more carbon in the upper layer, "
        "but not below it.",
        published="2025-07-01T00:00:00.000Z",
        author="Several authors",
        category="publication",
    ),
    Page(
        "https://example.com/about",
        "Example Instruments: sensors for greenhouses",
        "Example Instruments makes sensors for greenhouses. Founded in 1998, with forty people in two places.",
        category="company",
    ),
    Page(
        "https://people.example.org/profile/1042",
        "Profile: greenhouse engineer",
        "A greenhouse engineer with ten years of work on sensors and climate control.",
        category="people",
    ),
    Page(
        "https://blog.example.net/notes/walking",
        "Notes on walking across a country",
        "I walked for thirty days. Here is what I carried, what I sent home, and what I would do again.",
        published="2023-09-10T06:00:00+02:00",
        category="personal site",
    ),
    Page(
        "https://ir.example.com/reports/2025",
        "Annual report 2025",
        "Revenue grew by four per cent. The board proposes an unchanged dividend.",
        published="2026-03-15",
        category="financial report",
    ),
    Page(
        "https://ru.example.org/pogoda",
        "Погода и климат: чем они отличаются",
        "Погода меняется каждый день, а климат описывает многие годы. Мы объясняем разницу простыми словами.",
        published="2025-01-20T12:00:00Z",
    ),
    Page(
        "https://el.example.org/thalassa",
        "Η θάλασσα και οι άνεμοι",
        "Οι άνεμοι του καλοκαιριού φέρνουν δροσιά στα νησιά και κύματα στη θάλασσα.",
    ),
    Page(
        "https://ar.example.org/qahwa",
        "تاريخ القهوة في المدن القديمة",
        "وصلت القهوة إلى المدن القديمة مع التجار، ثم صارت المقاهي مكانا للحديث والموسيقى.",
        published="2022-12-31T23:59:59Z",
    ),
    Page(
        "https://he.example.org/sfarim",
        "ספריות קטנות בערים גדולות",
        "ספרייה קטנה ברחוב מביאה שכנים לקרוא יחד, וגם ילדים לומדים לאהוב ספרים.",
    ),
    Page(
        "https://hi.example.org/nadi",
        "नदी के किनारे के गाँव",
        "नदी के किनारे के गाँव बारिश के दिनों में कैसे रहते हैं, इसकी कहानी।",
        published="2026-08-15",
    ),
    Page(
        "https://th.example.org/talat",
        "ตลาดน้ำตอนเช้า",
        "ตลาดน้ำเปิดตั้งแต่เช้ามืด แม่ค้าพายเรือขายผลไม้และก๋วยเตี๋ยวให้คนที่มาเที่ยว",
    ),
    Page(
        "https://zh.example.org/cha",
        "茶叶的故事：从山上到杯中",
        "春天采茶,夏天制茶。这篇文章讲述一片茶叶从山上到杯中的路。",
        published="2026-04-05T08:00:00+08:00",
    ),
    Page(
        "https://ja.example.org/densha",
        "始発電車で行く小さな旅",
        "始発電車に乗って、海の見える駅まで行きました。朝の光がとてもきれいでした。",
        published="2026-10-01",
    ),
    Page(
        "https://ko.example.org/sijang",
        "전통 시장에서 보낸 하루 🥬🍎",
        "새벽부터 문을 여는 전통 시장에서 채소와 과일을 사고 국밥을 먹었습니다. 👩‍👩‍👧‍👦 모두가 즐거웠어요.",
        published="2025-11-11T11:11:11.111Z",
    ),
)


def rank(query: str, pages: tuple[Page, ...]) -> list[Page]:
    """Order the pages by how many of the query's words they hold; like Exa, leave none out for being far off."""
    words = query.casefold().split()

    def hits(page: Page) -> int:
        text = f"{page.title} {page.text}".casefold()
        return sum(word in text for word in words)

    return sorted(pages, key=hits, reverse=True)
