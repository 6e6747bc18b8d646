"""Sheets of search: the text index, and what change search answers.

In vitro the events of each month are known, with the addresses that each brought or changed. The words of an
event, or of the story that it is a part of, are asked for in the month in which it happened: how many of the
first answers are its pages is counted, and so is what text alone would have found.
"""

from __future__ import annotations

import contextlib
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.errors import MissingError
from webstrata.serve.figures.changes import draw_subgraph
from webstrata.serve.figures.style import Figure
from webstrata.serve.report.sheet import Missing, Sheet, SheetTable, to_drawings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.api import Collection
    from webstrata.collection.progress import Progress
    from webstrata.search.change.answer import ChangeAnswer
    from webstrata.search.change.run import ChangeSearch

INDEX, COUNTS = "text_index", "changes"
"""The parts that they are made of."""
TOP = 10
SHOWN = 3
"""Answers that are listed of each query."""
MAX_QUERIES = 30
DRAWN = 30
"""Pages of the drawing of what changed."""
INTERVALS = 6
"""Intervals of table 1, the newest ones."""


def make_index(collection: Collection) -> list[Sheet | Missing]:
    """What the text index of a collection holds and takes.

    Examples
    --------
    >>> from webstrata import testing
    >>> [sheet] = make_index(testing.collection())
    >>> sheet.tables[0].rows[:2]
    [['snapshots', 3], ['documents', 25]]
    """
    command = Action.on(collection, "build", INDEX).command
    if INDEX not in collection.parts:
        return [Missing("the text index", command)]
    record = collection.parts.record(INDEX)
    counts = record.counts
    pages = max(counts.get("pages", 0), 1)
    rows: list[list[Any]] = [[name, number] for name, number in counts.items()]
    rows += [["bytes", record.bytes], ["bytes per page and snapshot", round(record.bytes / pages, 1)]]
    text = (
        f"{counts.get('documents', 0):,} documents stand for {counts.get('pages', 0):,} pages of "
        f"{counts.get('snapshots', 0)} snapshots: what did not change is indexed once."
    )
    return [
        Sheet("index", "Text index", [text], [SheetTable("Index", ["what", "number"], rows)], command=command)
    ]


def list_change_inputs(collection: Collection) -> tuple[str, ...]:
    """The parts that change search is made of; none where one of them is not there.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> list_change_inputs(collection)
    ()
    >>> _ = collection.changes("storm", "2026-05", "2026-06")  # counts the words of all pages
    >>> list_change_inputs(collection)
    ('/temporal', '/changes')
    """
    names = ("temporal", COUNTS)
    return tuple(f"/{name}" for name in names) if all(name in collection.parts for name in names) else ()


def make_changes(collection: Collection, progress: Progress, queries: Sequence[str] = ()) -> Sheet:
    """The answers of change search: to the events of an in-vitro web, judged by its truth, and to `queries`.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.collection.progress import Progress
    >>> sheet = make_changes(testing.collection(), Progress(), queries=["storm"])
    >>> [table.title for table in sheet.tables]
    ['The first answers', 'Change of pages (CHANGE, table 1)']
    """
    from webstrata.search.change.run import ChangeSearch
    from webstrata.search.evaluate.planted import read_planted

    search = ChangeSearch(collection, progress=progress)
    asked: list[tuple[str, str, set[str] | None]] = [
        (query, search.union.snapshots[-1], None) for query in queries
    ]
    with contextlib.suppress(MissingError):  # there is nothing planted
        planted, right_pages = read_planted(search)
        asked += [(query.text, query.at, set(right_pages[query.id])) for query in planted]
    if not asked:
        raise MissingError(
            f"{collection.path}: nothing says what change search is to be asked; name `queries` in [run]"
        )
    judged: list[list[Any]] = []
    answers: list[list[Any]] = []
    shown: ChangeAnswer | None = None
    with progress.task("asking what changed", total=len(asked), unit="queries") as task:
        for query, label, right in asked[:MAX_QUERIES]:
            before, after = search.interval(label)
            answer = search.search(query, before, after)
            shown = shown or answer
            rows = answer.top()
            answers += [
                [query, after, row.rank, row.url, round(row.text, 3), round(row.change, 3)]
                for row in rows[:SHOWN]
            ]
            if right is not None:
                pages, scores = search.stages.seeds(query, after, TOP)
                urls = search.union.urls_at(after)
                plain = [urls[int(page)] for page, _ in zip(pages, scores, strict=True)][:TOP]
                found = [row.url for row in rows[:TOP]]
                judged.append([query, after, len(right), _hits(found, right), _hits(plain, right)])
            task.advance()
    tables = [
        SheetTable("The first answers", ["query", "snapshot", "rank", "page", "text", "change"], answers)
    ]
    text = f"{len(asked)} queries to change search."
    if judged:
        means = [sum(row[column] for row in judged) / len(judged) for column in (3, 4)]
        text = (
            f"Events that were planted, asked for by their words in their month: {len(judged)}. Of the "
            f"first {TOP} answers {means[0]:.1f} are pages that the event brought or changed; by text alone "
            f"{means[1]:.1f}."
        )
        columns = ["event", "snapshot", "pages of it", f"of the first {TOP}", "by text alone"]
        tables.insert(0, SheetTable("Events found", columns, judged))
    assert shown is not None
    tables.append(_tell_parts(search, shown))
    drawn = to_drawings([Figure("subgraph", draw_subgraph(shown, DRAWN))], "changes")
    command = Action.on(collection, "changes", shown.query, at=shown.after).command
    return Sheet("changes", "What changed", [text], tables, drawn, command)


def _tell_parts(search: ChangeSearch, answer: ChangeAnswer) -> SheetTable:
    """Table 1 of CHANGE: the three parts of the change of the first answers, in each interval."""
    labels = list(search.union.snapshots)
    pairs = list(pairwise(labels))[-INTERVALS:]
    if len(pairs) > 1:
        pairs.append((pairs[0][0], labels[-1]))
    found = answer.candidates
    first = [place for place in answer.order[:TOP] if found.nodes[place] >= 0][:SHOWN]
    urls = {int(place): url for place, url in zip(answer.order, answer.urls, strict=True)}
    changes = [search.counts.change(found.nodes[first], before, after) for before, after in pairs]
    rows: list[list[Any]] = [
        [
            urls[int(place)],
            part,
            *(round(float(getattr(change, name)[number]), 2) for change in changes),
        ]
        for number, place in enumerate(first)
        for part, name in (("content", "content"), ("in-links", "inlinks"), ("out-links", "outlinks"))
    ]
    columns = ["page", "part", *(f"{before} – {after}" for before, after in pairs)]
    note = f"The first answers to “{answer.query}” in {answer.after}; 0 where a page is at neither time."
    return SheetTable("Change of pages (CHANGE, table 1)", columns, rows, note)


def _hits(urls: Sequence[str], right: set[str]) -> int:
    return sum(url in right for url in urls)
