"""Find the documents of an index that answer a question, best first."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

import msgspec

from . import snippets, words

if TYPE_CHECKING:
    import sqlite3

# How much a hit is worth in a name, in what the document lies in, in the first lines and in the text; chosen over
# tests/local/questions.toml, where the neighbouring figures do about as well.
_COLUMNS: Final = (6.0, 1.0, 4.0, 1.0)
# So many passages are looked at for one word; the others hold it less often.
_CANDIDATES: Final = 3000
# So many of the best passages are compared in full.
_FINALISTS: Final = 300
# What a passage keeps of its score that answers next to nothing of the question; the rest comes with the share of it.
_ANY_SHARE: Final = 0.4
# A document that is called exactly what was asked for comes first.
_NAMED: Final = 3.0
# The last part of a dotted name that is a word of the question, and likewise the module or class that it lies in.
_LAST_ASKED: Final = 1.3
_PLACE_ASKED: Final = 1.3


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """Hold a document that answers, and the part of it that shows why."""

    title: str
    url: str
    snippet: str


def find(connection: sqlite3.Connection, query: str, most: int, snippet_chars: int) -> list[Hit]:
    """Return up to `most` documents that answer the query, best first; any text is a query.

    Each thing asked for is scored by BM25 over name, first lines and text; a synonym is worth less than the word. The
    sum counts in proportion to how much of the question a passage holds, and a document counts as its best passage
    does. Raise `sqlite3.Error` where the index can't be read.
    """
    question = words.read(query)
    parts = [_scores(connection, concept) for concept in question.concepts]
    parts += [_run_scores(connection, run) for run in question.runs]
    scores: dict[int, float] = defaultdict(float)
    shares: dict[int, float] = defaultdict(float)
    for part in parts:
        for passage, score in part.items():
            scores[passage] += score
            shares[passage] += 1 / len(parts)
    ranked = {passage: score * (_ANY_SHARE + (1 - _ANY_SHARE) * shares[passage]) for passage, score in scores.items()}
    finalists = sorted(ranked, key=lambda passage: (-ranked[passage], passage))[:_FINALISTS]
    return _documents(connection, {passage: ranked[passage] for passage in finalists}, question, most, snippet_chars)


def _scores(connection: sqlite3.Connection, concept: words.Concept) -> dict[int, float]:
    best: dict[int, float] = {}
    for expression, worth in concept.forms:
        rows = connection.execute(
            "SELECT rowid, -bm25(words, ?, ?, ?, ?) AS score FROM words WHERE words MATCH ? "
            "AND (? = '' OR instr(lower(name || ' ' || body), ?)) ORDER BY score DESC LIMIT ?",
            (*_COLUMNS, expression, concept.literal, concept.literal, _CANDIDATES),
        )
        for passage, score in rows:
            best[passage] = max(best.get(passage, 0.0), score * worth)
    return best


def _run_scores(connection: sqlite3.Connection, run: str) -> dict[int, float]:
    grams = words.grams(run)
    if len(grams[0]) < words.GRAM:
        # Nothing shorter is in the index: the passages in such scripts are read through.
        statement = "SELECT rowid, 1.0 FROM runs WHERE instr(name, ?1) OR instr(body, ?1) LIMIT ?2"
        return dict(connection.execute(statement, (run, _CANDIDATES)))
    statement = "SELECT rowid, -bm25(runs, ?, ?) AS score FROM runs WHERE runs MATCH ? ORDER BY score DESC LIMIT ?"
    name, *_, body = _COLUMNS
    return dict(connection.execute(statement, (name, body, " OR ".join(map(words.quote, grams)), _CANDIDATES)))


def _documents(
    connection: sqlite3.Connection, ranked: dict[int, float], question: words.Question, most: int, snippet_chars: int
) -> list[Hit]:
    best: dict[str, tuple[float, int, str]] = {}
    for passage, score in ranked.items():
        title, url, weight = connection.execute(
            "SELECT title, url, weight FROM documents WHERE id = (SELECT document FROM words WHERE rowid = ?)",
            (passage,),
        ).fetchone()
        total = score * weight * _called(title.lower(), question)
        if url not in best or total > best[url][0]:
            best[url] = (total, passage, title)
    order = sorted(best, key=lambda url: (-best[url][0], len(best[url][2]), url))[:most]
    return [
        Hit(title=best[url][2], url=url, snippet=_snippet(connection, best[url][1], question, snippet_chars))
        for url in order
    ]


def _called(title: str, question: words.Question) -> float:
    """Return what a document's name multiplies its score by."""
    if any(title == name or title.endswith(f".{name}") for name in question.names):
        return _NAMED
    *places, last = title.split(".")
    worth = _LAST_ASKED if last in question.words else 1.0
    return worth * _PLACE_ASKED if question.words.intersection(places) else worth


def _snippet(connection: sqlite3.Connection, passage: int, question: words.Question, size: int) -> str:
    (body,) = connection.execute("SELECT body FROM words WHERE rowid = ?", (passage,)).fetchone()
    forms = " OR ".join(expression for concept in question.concepts for expression, _ in concept.forms)
    marked = (
        connection.execute(
            "SELECT highlight(words, 3, ?, ?) FROM words WHERE words MATCH ? AND rowid = ?",
            (snippets.OPEN, snippets.CLOSE, forms, passage),
        ).fetchone()
        if forms
        else None
    )
    hits = snippets.hits(marked[0]) if marked else []
    for run in question.runs:
        hits += [snippets.Hit(place, gram) for gram in words.grams(run) if (place := body.find(gram)) >= 0]
    return snippets.around(body, sorted(hits), size)
