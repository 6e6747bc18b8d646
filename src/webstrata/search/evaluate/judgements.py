r"""Which pages are right for which query: lines of tab-separated columns, or TREC qrels.

A line is ``ID<TAB>URL`` or ``ID<TAB>URL<TAB>GRADE``, a grade being a whole number of at least 0 and 1 where
it is left out; or ``ID ITERATION URL GRADE`` with blanks between them, as trec_eval reads it. A URL means the
page that it stands for in the collection, so that a judged duplicate counts for its page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.collection.files import explained
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from webstrata.search.change.run import ChangeSearch
    from webstrata.search.evaluate.queries import TimedQuery

Judgements = dict[str, dict[str, int]]
"""For each query the grades of URLs."""


def read_judgements(path: Path) -> Judgements:
    r"""The grades of a file.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "j.tsv"
    >>> _ = path.write_text("1\thttp://a.org/\t2\n1 0 http://b.org/ 0\n")
    >>> read_judgements(path)
    {'1': {'http://a.org/': 2, 'http://b.org/': 0}}
    """
    found: Judgements = {}
    with explained(path, "read"):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        query, url, grade = _read_line(path, number, line)
        found.setdefault(query, {})[url] = grade
    if not found:
        raise FormatError(f"{path}: there is no judgement in it; write lines of ID, tab, URL, tab, grade")
    return found


def _read_line(path: Path, number: int, line: str) -> tuple[str, str, int]:
    cells = [cell.strip() for cell in line.split("\t")] if "\t" in line else line.split()
    if len(cells) == 4:  # the iteration, of which nobody makes anything
        cells = [cells[0], *cells[2:]]
    if len(cells) == 2:
        cells.append("1")
    try:
        query, url, grade = cells[0], cells[1], int(cells[2])
        if len(cells) != 3 or not query or not url or grade < 0:
            raise ValueError(line)
    except (IndexError, ValueError):
        raise FormatError(
            f"{path}, line {number}: this is no judgement; write ID, tab, URL, tab and a grade from 0 on, "
            "or a line as trec_eval reads it"
        ) from None
    return query, url, grade


def check_judgements(
    path: Path,
    judgements: Judgements,
    queries: Iterable[TimedQuery],
    find: Callable[[str, str], str | None],
) -> Judgements:
    """The grades by the URLs of pages; what names an unknown query or page is refused.

    Parameters
    ----------
    path
        The file they are from, for messages.
    judgements
        As `read_judgements` has them.
    queries
        All that are asked.
    find
        For a URL and a snapshot the URL of the page it stands for there, or in any snapshot; none if unknown.

    Examples
    --------
    >>> from pathlib import Path
    >>> from webstrata.search.evaluate.queries import TimedQuery
    >>> asked = [TimedQuery("1", "flood", "2026-02")]
    >>> check_judgements(Path("j.tsv"), {"1": {"http://a.org/": 1}}, asked, lambda url, at: url)
    {'1': {'http://a.org/': 1}}
    >>> check_judgements(Path("j.tsv"), {"2": {"http://a.org/": 1}}, asked, lambda url, at: url)
    Traceback (most recent call last):
    webstrata.errors.FormatError: j.tsv: it judges pages for 2, which is no query that is asked; queries are 1
    """
    times = {query.id: query.at for query in queries}
    found: Judgements = {}
    for name, grades in judgements.items():
        if name not in times:
            known = ", ".join(list(times)[:10]) + (" …" if len(times) > 10 else "")
            raise FormatError(
                f"{path}: it judges pages for {name}, which is no query that is asked; queries are {known}"
            )
        kept = found.setdefault(name, {})
        for url, grade in grades.items():
            page = find(url, times[name])
            if page is None:
                raise FormatError(
                    f"{path}: it judges {url} for {name}, which is no page of any snapshot; take it out, "
                    "or correct the URL"
                )
            kept[page] = max(grade, kept.get(page, 0))
    if silent := [name for name in times if not any(found.get(name, {}).values())]:
        raise FormatError(
            f"{path}: no page is right for {silent[0]}, so nothing can be measured; judge one, or take the "
            "query out"
        )
    return found


def page_finder(search: ChangeSearch) -> Callable[[str, str], str | None]:
    """For a URL and a snapshot the URL of the page that it stands for there, or else in any snapshot.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.search.change import ChangeSearch
    >>> find = page_finder(ChangeSearch(testing.collection()))
    >>> find("http://www.reef.example/", "2026-06"), find("http://nowhere.example/", "2026-06")
    ('http://reef.example/', None)
    """
    snapshots = search.union.snapshots

    def find(url: str, at: str) -> str | None:
        for label in [at, *reversed(snapshots)] if at in snapshots else reversed(snapshots):
            urls = search.union.urls_at(label)
            page = urls.get(url)
            if page is not None:
                return str(urls[page])
        return None

    return find


def write_qrels(path: Path, judgements: Mapping[str, Mapping[str, int]]) -> None:
    r"""Write grades as TREC qrels.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "qrels"
    >>> write_qrels(path, {"1": {"http://a.org/": 2}})
    >>> path.read_text()
    '1 0 http://a.org/ 2\n'
    """
    lines = [
        f"{name} 0 {url} {grade}\n" for name, grades in judgements.items() for url, grade in grades.items()
    ]
    with explained(path, "write"):
        path.write_text("".join(lines), encoding="utf-8")
