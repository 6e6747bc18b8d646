"""How well search finds known pages of real documentation, next to SQLite FTS5 and plain tantivy.

`python -m bench.search_quality` prints a table: a row per documentation set and kind of query
(`bench.search_corpora`), with recall@10 and the mean reciprocal rank of the right page (0 where it is not
among the first ten). Sets that are absent are named in a sentence. `--part tuning` prints the sets that
defaults were chosen on, `--part untouched` those added after the last choice, the default is `report`;
`--quick` asks a third of the queries of the sets below 300 pages and of `docs`; `--json` prints one JSON
document.

- *ours*: the pages are ingested from a WARC file, indexed and searched with default settings; queries are
  passed as plain text (`webstrata.search.query.escape`). Where the collection was ranked, links count as
  they do by default: `webstrata rank` is run before.
- *FTS5*: SQLite with the tokenizer `porter unicode61`, title and visible text as two columns with weights 3
  and 1, all words joined by OR.
- *tantivy*: its Python package (`make peers`), one field with the tokenizer `en_stem`, the title three times
  and the visible text; all words joined by OR.

Peers get the visible text of whole pages as `webstrata.web.html.scan` finds it.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.floors import read_floors, require
from bench.frame import PEERS, ROOT, BenchError, find_commit
from bench.search_corpora import CORPORA, KINDS, Corpus, Query, is_tuning, load

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import webstrata as ws

LIMIT = 10
SMALL = 300


class Quality(NamedTuple):
    """What one side reached."""

    recall: float
    mrr: float


class Row(NamedTuple):
    """A set and a kind of query: how many, and the quality of each side that is there."""

    corpus: str
    kind: str
    queries: int
    sides: dict[str, Quality]


def measure(queries: Sequence[Query], answers: Sequence[Sequence[str]]) -> Quality:
    """Recall@10 and MRR of ranked URLs.

    Examples
    --------
    >>> asked = [Query("sentence", "big fish", "http://a/"), Query("sentence", "fish", "http://b/")]
    >>> measure(asked, [["http://b/", "http://a/"], []])
    Quality(recall=0.5, mrr=0.25)
    """
    ranks = [
        found.index(query.url) + 1 if query.url in (found := list(urls)[:LIMIT]) else 0
        for query, urls in zip(queries, answers, strict=True)
    ]
    number = max(len(ranks), 1)
    return Quality(
        round(sum(rank > 0 for rank in ranks) / number, 4),
        round(sum(1 / rank for rank in ranks if rank) / number, 4),
    )


# ---- sides


def ask_ours(pages: Mapping[str, bytes], queries: Sequence[Query], folder: Path) -> list[list[str]]:
    """Our answers, by the defaults."""
    from webstrata.search.query import escape

    index = make_collection(pages, folder).text_index
    return [index.search(escape(query.text), limit=LIMIT).urls for query in queries]


def make_collection(pages: Mapping[str, bytes], folder: Path) -> ws.Collection:
    """Ingest, rank and index pages as a user does."""
    import webstrata as ws
    from webstrata.graph.build import build_graph
    from webstrata.search.build import build_text_index
    from webstrata.store.ingest.run import ingest

    with (folder / "pages.warc").open("wb") as stream:
        for url, body in pages.items():
            stream.write(_make_record(url, body))
    collection = ws.create(folder / "collection")
    snapshot = collection.add("2026-01")
    ingest(snapshot, [folder / "pages.warc"])
    build_graph(snapshot)
    snapshot.rank(method="pagerank")
    build_text_index(collection, workers=1)
    return collection


def _make_record(url: str, body: bytes) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    head = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        "Content-Type: application/http;msgtype=response\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{abs(hash(url)) % 10**12:012}>\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def _read_words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _read_visible(pages: Mapping[str, bytes]) -> list[tuple[str, str, str]]:
    from webstrata.web.html import scan

    found = ((url, scan(body, url=url, text=True)) for url, body in pages.items())
    return [(url, page.title, page.text) for url, page in found]


def ask_fts5(documents: Sequence[tuple[str, str, str]], queries: Sequence[Query]) -> list[list[str]]:
    """The answers of SQLite."""
    base = sqlite3.connect(":memory:")
    base.execute("create virtual table d using fts5(url unindexed, title, body, tokenize='porter unicode61')")
    base.executemany("insert into d values (?, ?, ?)", documents)
    asked = "select url from d where d match ? order by bm25(d, 0, 3.0, 1.0), rowid limit ?"
    return [
        [
            url
            for (url,) in base.execute(
                asked, (" OR ".join(f'"{word}"' for word in _read_words(query.text)) or '""', LIMIT)
            )
        ]
        for query in queries
    ]


def ask_tantivy(documents: Sequence[tuple[str, str, str]], queries: Sequence[Query]) -> list[list[str]]:
    """The answers of tantivy, in the environment of peers."""
    given = {"documents": documents, "queries": [" ".join(_read_words(query.text)) for query in queries]}
    done = subprocess.run(
        [PEERS / "python", "-m", "bench.search_quality", "--tantivy"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    found: list[list[str]] = json.loads(done.stdout)
    return found


def serve_tantivy() -> None:
    """Index documents from standard input, and print the answers to its queries."""
    import tantivy  # type: ignore[import-not-found, unused-ignore]

    given = json.load(sys.stdin)
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("body", stored=False, tokenizer_name="en_stem")
    builder.add_unsigned_field("number", stored=True)
    index = tantivy.Index(builder.build())
    writer = index.writer(64_000_000, num_threads=1)
    for number, (_, title, text) in enumerate(given["documents"]):
        writer.add_document(tantivy.Document(body=[title, title, title, text], number=number))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    answers = []
    for query in given["queries"]:
        hits = searcher.search(index.parse_query(query, ["body"]), LIMIT).hits if query else []
        answers.append([given["documents"][searcher.doc(place)["number"][0]][0] for _, place in hits])
    json.dump(answers, sys.stdout)


# ---- the table


def measure_corpus(corpus: Corpus, place: Path, chosen: Callable[[Query], bool]) -> list[Row]:
    """The rows of a set."""
    pages, queries = load(corpus, place)
    queries = [query for query in queries if chosen(query)]
    documents = _read_visible(pages)
    with tempfile.TemporaryDirectory() as folder:
        answers = {"ours": ask_ours(pages, queries, Path(folder)), "fts5": ask_fts5(documents, queries)}
    if (PEERS / "python").exists():
        answers["tantivy"] = ask_tantivy(documents, queries)
    rows = []
    for kind in KINDS:
        places = [number for number, query in enumerate(queries) if query.kind == kind]
        if places:
            asked = [queries[number] for number in places]
            sides = {
                side: measure(asked, [found[number] for number in places]) for side, found in answers.items()
            }
            rows.append(Row(corpus.name, kind, len(places), sides))
    return rows


def average(rows: Sequence[Row]) -> list[Row]:
    """The mean over sets, for each kind of query."""
    found = []
    for kind in KINDS:
        own = [row for row in rows if row.kind == kind]
        sides = {
            side: Quality(
                *(round(sum(row.sides[side][which] for row in own) / len(own), 4) for which in (0, 1))
            )
            for side in (own[0].sides if own else ())
        }
        if own:
            found.append(Row("mean", kind, sum(row.queries for row in own), sides))
    return found


def show(rows: Sequence[Row]) -> str:
    """The table, as Markdown."""
    sides = list(rows[0].sides) if rows else []
    lines = [f"| set | kind | queries | {' | '.join(f'{side}: recall@10, MRR' for side in sides)} |"]
    lines.append(f"|---|---|---:|{'---:|' * len(sides)}")
    for row in rows:
        cells = (f"{row.sides[side].recall:.3f}, {row.sides[side].mrr:.3f}" for side in sides)
        lines.append(f"| {row.corpus} | {row.kind} | {row.queries} | {' | '.join(cells)} |")
    return "\n".join(lines)


def find_low(rows: Sequence[Row]) -> list[str]:
    """A sentence for each floor of ``bench/floors.toml`` that is not reached."""
    floors, digest = read_floors(), digest_docs()
    found = []
    for row in rows:
        name = f"search-{row.corpus}-{row.kind}"
        if name in floors:
            try:
                require(name, row.sides["ours"].mrr, digest)
            except BenchError as error:
                found.append(str(error))
    return found


def digest_docs() -> str:
    """The digest of the set `docs`: pages and queries."""
    place = CORPORA[0].find()
    digest = hashlib.sha256()
    if isinstance(place, Path):
        for path in (place, place.with_name("queries.tsv")):
            digest.update(path.read_bytes())
    return f"sha256:{digest.hexdigest()}"


def main() -> None:
    """Measure all sets that are there."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="sets (default: all)")
    parser.add_argument("--part", choices=["report", "tuning", "untouched", "all"], default="report")
    parser.add_argument("--quick", action="store_true", help="a third of the queries, without large sets")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--tantivy", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.tantivy:
        serve_tantivy()
        return
    rows: list[Row] = []
    for corpus in CORPORA:
        if (options.names and corpus.name not in options.names) or options.part not in (
            "all",
            corpus.part,
            *(("report", "tuning") if corpus.part == "both" else ()),
        ):
            continue
        place = corpus.find()
        if isinstance(place, str):
            print(place, file=sys.stderr)
            continue

        def chosen(query: Query, corpus: Corpus = corpus) -> bool:
            in_part = options.part == "all" or is_tuning(corpus, query) == (options.part == "tuning")
            return in_part and (not options.quick or len(query.text) % 3 == 0)

        if options.quick and corpus.name not in ("docs", "apache"):
            continue
        rows += measure_corpus(corpus, place, chosen)
    rows += average(rows) if len({row.corpus for row in rows}) > 1 else []
    if options.json:
        print(
            json.dumps({"commit": find_commit(), "part": options.part, "rows": [_plain(row) for row in rows]})
        )
    elif rows:
        print(show(rows))
    low = [] if options.quick or options.part != "report" else find_low(rows)
    print("\n".join(low), end="\n" if low else "", file=sys.stderr)
    sys.exit(1 if low else 0)


def _plain(row: Row) -> dict[str, object]:
    return row._asdict() | {"sides": {side: quality._asdict() for side, quality in row.sides.items()}}


if __name__ == "__main__":
    main()
