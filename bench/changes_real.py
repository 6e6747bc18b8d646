"""Change search on the histories of published sites: `python -m bench.changes_real [SITE …]`.

The folder that `WEBSTRATA_HISTORIES` names has the repositories of `bench.change_questions.SITES`, as bare
git repositories or working copies: ``OWNER+NAME/repo``, ``OWNER/NAME`` or ``NAME``. A site whose repository
is not there is reported and left out. Collections are made once, in ``.bench-data/histories``, by the
commands that a user would type.

For each site, and for all sites of a kind (`tune`, where defaults were chosen, `report`, and `untouched`,
added after the last choice), a row for

- each ranking of `webstrata changes`, the default first;
- ``bm25``: the text of seeds at t₂ alone, without link scores: BM25F, and once more that of title and URL;
- ``search``: the text index at t₂ alone, as `webstrata search` ranks;
- ``fts5``: SQLite FTS5 (Porter, title × 3) on the visible text of t₂, a baseline that is not ours;
- ``new-text of fts5``: the ranking `new-text` with these scores in place of the text index's, which shows
  that it does not depend on one text search,

has the means of MRR, NDCG@15 and recall@15 over all questions, and the mean difference of the default's
reciprocal rank to it with a 95% interval (paired bootstrap over questions). The last line is JSON. The pooled
figure of the report sites has a floor, which is checked when all of them are there. With `--quick` only the
smallest site is asked.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.change_questions import QUESTIONS, SITES, Site, read_questions
from bench.frame import DATA, OURS, BenchError, find_commit

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    import webstrata as ws
    from webstrata.search.change.seeds import QuerySeeds
    from webstrata.search.evaluate.experiment import RunOutcome

MEASURES = {"mrr": "MRR", "ndcg15": "NDCG@15", "recall": "recall@15"}
SEARCH = "search"
FTS5 = "fts5"
OVER_FTS5 = "new-text of fts5"


# ---- collections


def find_repository(site: Site) -> Path:
    """The repository of a site, or `BenchError` with what to do."""
    named = os.environ.get("WEBSTRATA_HISTORIES", "")
    if not named or not Path(named).is_dir():
        seen = f"is {named!r}, which is not a folder" if named else "is not set"
        raise BenchError(f"WEBSTRATA_HISTORIES {seen}; name a folder with clones of the sites' repositories")
    owner, _, name = site.repository.partition("/")
    for place in (f"{owner}+{name}/repo", f"{owner}/{name}", name):
        for folder in (Path(named) / place, Path(named) / f"{place}.git"):
            if folder.is_dir():
                return folder
    raise BenchError(f"{named}: there is no clone of {site.repository}; clone it from GitHub, bare or not")


def find_collection(site: Site) -> Path:
    """The collection of a site, made if it is not there."""
    place = DATA / "histories" / site.name
    if (place / "complete").exists():
        return place
    repository = find_repository(site)
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    _run("new", place)
    root = ["--root", site.root] if site.root else []
    chosen = ["--branch", site.branch, *root, "--host", site.host, "--at", ",".join(site.dates)]
    _run("ingest", place, "--git", repository, *chosen)
    for label in site.dates:
        _run("graph", "build", place, label, "--no-hosts")
        _run("summaries", "build", place, label, "--min-df", "1")
    _run("align", place)
    _run("index", place)
    _run("changes", place, "--prepare")
    (place / "complete").touch()
    return place


def _run(*words: object) -> None:
    told = [str(word) for word in words]
    done = subprocess.run([OURS / "webstrata", *told], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BenchError(f"`webstrata {' '.join(told)}` failed: {done.stderr.strip().splitlines()[-1:]}")


# ---- the sides


def ask_site(site: Site) -> dict[str, RunOutcome]:
    """The outcomes of all ways of ranking on a site, the default first."""
    import webstrata as ws
    from webstrata.search.change import ChangeSearch, Stages
    from webstrata.search.change.seeds import IndexSeeds
    from webstrata.search.change.settings import RANKS, ChangesSettings
    from webstrata.search.evaluate.experiment import SearchExperiment
    from webstrata.search.evaluate.judgements import page_finder
    from webstrata.search.evaluate.queries import TimedQuery

    collection = ws.open(find_collection(site))
    search, questions = ChangeSearch(collection), read_questions(site.name)
    find = page_finder(search)
    right = {
        question.commit: {find(url, question.after) or url: 1 for url in question.right}
        for question in questions
    }
    queries = [TimedQuery(question.commit, question.subject, question.after) for question in questions]
    experiment = SearchExperiment(search, queries, right)
    settings = ChangesSettings()
    ranks = sorted(RANKS, key=lambda rank: rank != settings.rank)
    found = {rank: experiment.ask(replace(settings, rank=rank)) for rank in ranks}
    found["bm25"] = experiment.ask_bm25(settings)
    plain = Stages(IndexSeeds(collection, name_weight=0.0))
    found[SEARCH] = SearchExperiment(ChangeSearch(collection, stages=plain), queries, right).ask_bm25(
        settings
    )
    other = SearchExperiment(ChangeSearch(collection, stages=Stages(Fts5Seeds(collection))), queries, right)
    found[FTS5] = other.ask_bm25(settings)
    found[OVER_FTS5] = other.ask(replace(settings, rank="new-text"))
    return found


class Fts5Seeds:
    """Seeds by SQLite FTS5: all words of the query joined by OR, BM25 with the title × 3."""

    told = "BM25 of SQLite FTS5"

    def __init__(self, collection: ws.Collection) -> None:
        self._collection = collection
        self._tables: dict[str, sqlite3.Connection] = {}

    def __call__(self, query: str, label: str, number: int) -> QuerySeeds:
        """So many pages of a snapshot that match best."""
        import numpy as np

        from webstrata.search.change.seeds import QuerySeeds

        found = self._ask(query, label, f"ORDER BY score DESC, rowid LIMIT {number}")
        return QuerySeeds(
            np.array([node for node, _ in found], np.int64), np.array([score for _, score in found])
        )

    def score(self, query: str, label: str, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """The scores of some pages of a snapshot, 0 for those that do not match."""
        import numpy as np

        known = dict(self._ask(query, label, ""))
        return np.array([known.get(node, 0.0) for node in nodes.tolist()], np.float64)

    def _ask(self, query: str, label: str, order: str) -> list[tuple[int, float]]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        asked = f"SELECT rowid, -bm25(page, 3.0, 1.0) AS score FROM page WHERE page MATCH ? {order}"
        return self._open(label).execute(asked, (words,)).fetchall()

    def _open(self, label: str) -> sqlite3.Connection:
        import sqlite3

        import numpy as np

        if label not in self._tables:
            snapshot = self._collection[label]
            rows = snapshot.text.rows(np.arange(len(snapshot.urls)))
            table = self._tables[label] = sqlite3.connect(":memory:")
            table.execute("CREATE VIRTUAL TABLE page USING fts5 (title, text, tokenize = 'porter unicode61')")
            pairs = zip(rows["title"].to_pylist(), rows["text"].to_pylist(), strict=True)
            table.executemany(
                "INSERT INTO page (rowid, title, text) VALUES (?, ?, ?)",
                ((node, title or "", text or "") for node, (title, text) in enumerate(pairs)),
            )
        return self._tables[label]


# ---- tables


def compare_ways(
    sites: Sequence[str], outcomes: dict[str, dict[str, RunOutcome]]
) -> dict[str, dict[str, Any]]:
    """For each way its means over the questions of some sites, and the default's lead over it."""
    import numpy as np

    from webstrata.search.evaluate.significance import bootstrap

    def series(way: str, measure: str) -> npt.NDArray[np.float64]:
        return np.concatenate([outcomes[site][way].series(measure) for site in sites])

    ways = list(outcomes[sites[0]])
    table = {}
    for way in ways:
        row: dict[str, Any] = {name: round(float(series(way, name).mean()), 4) for name in MEASURES}
        if way != ways[0]:
            lead = bootstrap(series(ways[0], "mrr") - series(way, "mrr"))
            row["lead"] = [round(value, 4) for value in lead]
        table[way] = row
    return table


def show_table(title: str, number: int, table: dict[str, dict[str, Any]]) -> None:
    """Print a table for people."""
    print(f"\n{title}: {number} questions")
    print(
        f"{'ranking':<18}"
        + "".join(f"{name:>11}" for name in MEASURES.values())
        + "  MRR of the default less this"
    )
    for way, row in table.items():
        figures = "".join(f"{row[name]:>11.3f}" for name in MEASURES)
        lead = "{:+.3f}  [{:+.3f}, {:+.3f}]".format(*row["lead"]) if "lead" in row else "(the default)"
        print(f"{way:<18}{figures}  {lead}")


def find_digest() -> str:
    """A digest of the questions of all report sites."""
    files = [(QUESTIONS / f"{site.name}.tsv").read_bytes() for site in SITES if site.use == "report"]
    return f"sha256:{hashlib.sha256(b''.join(files)).hexdigest()}"


def main() -> None:
    """Print the tables of the sites named, or of all that are there."""
    from bench.floors import require

    names = [word for word in sys.argv[1:] if word != "--quick"] or (
        ["aria"] if "--quick" in sys.argv else []
    )
    if unknown := set(names) - {site.name for site in SITES}:
        sys.exit(f"bench: unknown site {min(unknown)}; sites are {', '.join(site.name for site in SITES)}")
    outcomes: dict[str, dict[str, RunOutcome]] = {}
    absent: dict[str, str] = {}
    tables: dict[str, Any] = {}
    for site in SITES:
        if names and site.name not in names:
            continue
        try:
            outcomes[site.name] = ask_site(site)
        except BenchError as error:
            absent[site.name] = str(error)
            print(f"{site.name} is left out: {error}", file=sys.stderr)
            continue
        tables[site.name] = compare_ways([site.name], outcomes)
        show_table(f"{site.name} ({site.use})", len(read_questions(site.name)), tables[site.name])
    for use in ("tune", "report", "untouched"):
        own = [site.name for site in SITES if site.use == use and site.name in outcomes]
        if len(own) > 1:
            tables[use] = compare_ways(own, outcomes)
            number = sum(len(read_questions(name)) for name in own)
            show_table(f"All of {', '.join(own)} ({use})", number, tables[use])
    print(json.dumps({"figure": "changes-real", "tables": tables, "absent": absent, "commit": find_commit()}))
    if not outcomes:
        sys.exit(1)
    if all(site.name in outcomes for site in SITES if site.use == "report"):
        best = max(tables["report"][way]["mrr"] for way in ("bm25", SEARCH, "none"))
        default = next(iter(tables["report"].values()))["mrr"]
        try:
            require("changes-real-mrr", default, find_digest())
            require("changes-real-lead", default - best, find_digest())
        except BenchError as error:
            sys.exit(f"bench: {error}")


if __name__ == "__main__":
    main()
