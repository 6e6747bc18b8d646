r"""Ranked lists of many queries as TREC runs: ``ID Q0 URL RANK SCORE TAG``, a line for each answer.

Scores that are written fall with the rank, so that programs that sort by score, as trec_eval does, have the
order that was meant; those that are read are believed where ranks are not told apart by them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.collection.files import explained
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from webstrata.search.evaluate.queries import TimedQuery

Run = dict[str, list[str]]
"""For each query its answers, the best first."""


def write_run(path: Path, run: Mapping[str, Sequence[str]], tag: str) -> None:
    r"""Write a run.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "run"
    >>> write_run(path, {"1": ["http://b.org/", "http://a.org/"]}, "ours")
    >>> path.read_text().splitlines()
    ['1 Q0 http://b.org/ 1 2 ours', '1 Q0 http://a.org/ 2 1 ours']
    """
    lines = [
        f"{name} Q0 {url} {rank} {len(urls) - rank + 1} {tag}\n"
        for name, urls in run.items()
        for rank, url in enumerate(urls, 1)
    ]
    with explained(path, "write"):
        path.write_text("".join(lines), encoding="utf-8")


def check_run(path: Path, run: Mapping[str, Sequence[str]], queries: Iterable[TimedQuery]) -> None:
    """Refuse a run that answers none of the queries, and would count as if it had found nothing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from webstrata.search.evaluate.queries import TimedQuery
    >>> asked = [TimedQuery("1", "flood", "2026-02")]
    >>> check_run(Path("x.run"), {"1": ["http://a.org/"]}, asked)
    >>> check_run(Path("x.run"), {"9": ["http://a.org/"]}, asked)
    Traceback (most recent call last):
    webstrata.errors.FormatError: x.run: it answers 9, and no query that is asked; queries are 1
    """
    asked = [query.id for query in queries]
    if not set(asked) & set(run):
        raise FormatError(
            f"{path}: it answers {_some(run)}, and no query that is asked; queries are {_some(asked)}"
        )


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return (", ".join(listed[:10]) or "nothing") + (" …" if len(listed) > 10 else "")


def read_run(path: Path) -> Run:
    r"""A run of anybody's; a URL that comes twice counts where it stands first.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "run"
    >>> _ = path.write_text("1 Q0 http://a.org/ 2 0.5 x\n1 Q0 http://b.org/ 1 0.7 x\n")
    >>> read_run(path)
    {'1': ['http://b.org/', 'http://a.org/']}
    """
    found: dict[str, list[tuple[float, int, str]]] = {}
    with explained(path, "read"):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        cells = line.split()
        try:
            name, _, url, rank, score, *_ = cells
            found.setdefault(name, []).append((-float(score), int(rank), url))
        except ValueError:
            raise FormatError(
                f"{path}, line {number}: this is no line of a run; write ID, Q0, URL, rank, score and a name"
            ) from None
    if not found:
        raise FormatError(f"{path}: there is no answer in it; write lines of ID, Q0, URL, rank, score, name")
    return {name: list(dict.fromkeys(url for *_, url in sorted(rows))) for name, rows in found.items()}


def to_scores(run: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Scores that fall with the rank, as measures take them.

    Examples
    --------
    >>> to_scores({"1": ["a", "b"]})
    {'1': {'a': 2.0, 'b': 1.0}}
    """
    return {
        name: {url: float(len(urls) - place) for place, url in enumerate(urls)} for name, urls in run.items()
    }
