"""webstrata duplicates."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import collection_argument, json_option
from webstrata.cli.output import TerminalProgress, show_bytes, show_json, show_table
from webstrata.collection.sentences import tell_count
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstrata.api import Collection, Snapshot
    from webstrata.store.text import Text


@click.command("duplicates", epilog="Example: webstrata duplicates uk 2026-06 --near --method simhash")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.option(
    "--across", is_flag=True, help="Look in all other snapshots too; for near ones, in earlier ones."
)
@click.option(
    "--near", is_flag=True, help="Look for near-duplicates: pages most of whose words are the same."
)
@click.option(
    "--method",
    type=click.Choice(["fingerprint", "simhash"]),
    default="fingerprint",
    help="How near-duplicates are looked for. [fingerprint]",
)
@click.option(
    "--similarity",
    type=click.FloatRange(0, 1),
    default=0.8,
    help="Cosine similarity of the words of near-duplicates, at least. [0.8]",
)
@click.option(
    "--resemblance",
    type=click.FloatRange(0, 1),
    default=0.9,
    help="Share of their words that near-duplicates have in common, at least. [0.9]",
)
@click.option(
    "--memory",
    type=int,
    default=1024,
    help="MiB for the index of near-duplicates; less takes more passes. [1024]",
)
@click.option(
    "--distance", type=click.IntRange(0, 16), default=3, help="Bits in which simhashes may differ. [3]"
)
@click.option(
    "--against-truth",
    is_flag=True,
    help="Compare with what was planted in an in-vitro web: the snapshot has the part truth.",
)
@click.option("--top", type=click.IntRange(0), default=10, help="Classes to list, the largest first. [10]")
@json_option
def command(
    collection: Collection,
    label: str,
    method: str,
    similarity: float,
    resemblance: float,
    memory: int,
    distance: int,
    top: int,
    *,
    across: bool,
    near: bool,
    against_truth: bool,
    as_json: bool,
) -> None:
    """List the pages of SNAPSHOT that are duplicates of each other, exact or near.

    Exact ones have the same digest, or the same fingerprint, which ignores comments, white space and
    attributes; they are looked for among all captured pages. Near ones are looked for among the nodes, which
    have no exact duplicates; what stands for a page is kept in the part signatures, so that a later snapshot
    is compared with this one without reading it again.

    With --against-truth, precision and recall are told, in pairs of pages: of exact ones against addresses
    that show one page, of near ones against variations of one page. Some of these grow apart over the months:
    in a second line only those pairs count that still are near-duplicates by the definition, computed of
    their texts; there a pair that was found and not planted is right if it is one too.
    """
    snapshot = collection[label]
    if against_truth:
        if across:
            raise UsageError("--against-truth: what was planted is known of one snapshot; leave out --across")
        if "truth" not in snapshot.parts:
            raise UsageError(
                f"--against-truth: {label} has no part `truth`; for a crawl of an in-vitro web "
                "`webstrata invitro truth` writes it"
            )
    if near:
        if memory < 1:
            raise UsageError(f"--memory {memory}: expected 1 or more MiB")
        earlier = [s for s in collection if across and s.label < label and "text" in s.parts]
        borders = (resemblance, similarity)
        document = _find_near(
            [*earlier, snapshot], method, borders, distance, memory << 20, top, against_truth=against_truth
        )
    else:
        document = _find_exact(collection, snapshot, top, across=across, against_truth=against_truth)
    document = {"collection": str(collection.path), "snapshot": label, **document}
    if as_json:
        show_json(document)
    elif near:
        _show_near(document)
    else:
        _show_exact(document)
    if against_truth and not as_json:
        click.echo()
        rows = [
            [name, f"{t['precision']:.4f}", f"{t['recall']:.4f}", t["found"], t["planted"], t["unknown"]]
            for name, t in document["truth"].items()
        ]
        show_table(["planted", "precision", "recall", "pairs found", "pairs planted", "unknown pages"], rows)


def _find_exact(
    collection: Collection, snapshot: Snapshot, top: int, *, across: bool, against_truth: bool
) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    from webstrata.store.duplicates import KINDS, find_classes, read_members, sum_classes

    own = read_members(snapshot)
    members = dict.fromkeys(KINDS, own)
    if across:
        others = [other for other in collection if other.label != snapshot.label and "index" in other.parts]
        tables = [own, *(read_members(other) for other in others)]
        joined = pa.concat_tables(tables).unify_dictionaries()
        # of the others only what this snapshot has too
        known = {kind: pc.drop_null(pc.unique(own[kind])) for kind in KINDS}
        members = {kind: joined.filter(pc.is_in(joined[kind], value_set=known[kind])) for kind in KINDS}
    urls = own["url"].to_pylist()
    judged = {"pages": _score(snapshot, urls, own["label"].to_pylist(), "page")} if against_truth else {}
    return {
        **({"truth": judged} if judged else {}),
        "pages": len(own),
        "totals": {kind: asdict(sum_classes(members[kind], kind)) for kind in KINDS},
        "classes": [
            asdict(found) for kind in KINDS for found in islice(find_classes(members[kind], kind), top)
        ],
    }


def _find_near(
    snapshots: list[Snapshot],
    method: str,
    borders: tuple[float, float],
    distance: int,
    budget: int,
    top: int,
    *,
    against_truth: bool,
) -> dict[str, Any]:
    from webstrata.store.near_duplicates import find_near_duplicates
    from webstrata.store.signatures import open_signatures

    progress = TerminalProgress()
    *earlier, text = (snapshot.text for snapshot in snapshots)
    by_fingerprint = method == "fingerprint"
    found = find_near_duplicates(
        text,
        earlier=earlier,
        signatures=[open_signatures(s, progress=progress) for s in snapshots] if by_fingerprint else (),
        method=method,
        resemblance=borders[0],
        similarity=borders[1],
        distance=distance,
        budget=budget,
        progress=progress,
    )
    of_pair = found.labels[found.pairs[:, 0]]
    clusters = found.clusters

    def describe(members: list[int]) -> dict[str, Any]:
        places = [found.locate(page) for page in members]
        inside = of_pair == members[0]
        return {
            "urls": [snapshots[place].urls[node] for place, node in places],
            "snapshots": [snapshots[place].label for place, _ in places],
            "resemblance": float(found.shares[inside].min()),
            "similarity": float(found.similarities[inside].min()),
        }

    judged = {}
    if against_truth:
        urls, labels = list(snapshots[0].urls), found.labels.tolist()
        is_near = _compare(text, *borders)
        judged["variations"] = _score(snapshots[0], urls, labels, "family")
        judged["of these near-duplicates"] = _score(snapshots[0], urls, labels, "family", is_near)
    return {
        **({"truth": judged} if judged else {}),
        "method": method,
        "resemblance": borders[0],
        "similarity": borders[1],
        "earlier": [snapshot.label for snapshot in snapshots[:-1]],
        "pages": len(found.labels),
        "candidates": found.candidates,
        "pairs": len(found.pairs),
        "clusters": len(clusters),
        "in_clusters": sum(map(len, clusters)),
        "classes": [describe(members.tolist()) for members in clusters[:top]],
    }


def _compare(text: Text, resemblance: float, similarity: float) -> Callable[[int, int], bool]:
    """Whether two pages are near-duplicates by the definition, however they were looked for."""
    from webstrata.store.near_duplicates import common, cosine, count_words

    counts = cache(lambda node: count_words(text[node].text))

    def is_near(one: int, other: int) -> bool:
        a, b = counts(one), counts(other)
        return common(a, b) >= resemblance and cosine(a, b) >= similarity

    return is_near


def _score(
    snapshot: Snapshot,
    urls: list[str],
    labels: list[int],
    column: str,
    is_near: Callable[[int, int], bool] | None = None,
) -> dict[str, Any]:
    """How well classes agree with those that were planted, on pages that the truth knows."""
    import pyarrow.parquet as pq

    from webstrata.store.duplicates import score, score_near

    with snapshot.open_part("truth") as part:
        table = pq.read_table(part.path / "nodes.parquet", columns=["url", column])
    planted = dict(zip(table["url"].to_pylist(), table[column].to_pylist(), strict=True))
    known = [node for node, url in enumerate(urls) if url in planted]
    classes = [labels[node] for node in known], [planted[urls[node]] for node in known]
    if is_near is None:
        found = score(*classes)
    else:
        found = score_near(*classes, lambda one, other: is_near(known[one], known[other]))
    return {
        "precision": found.precision,
        "recall": found.recall,
        "found": found.found,
        "planted": found.true,
        "unknown": len(urls) - len(known),
    }


def _show_exact(document: dict[str, Any]) -> None:
    totals = [
        [kind, t["classes"], t["captures"], t["redundant"], show_bytes(t["bytes"]), show_bytes(t["saved"])]
        for kind, t in document["totals"].items()
    ]
    click.echo(f"{document['collection']} {document['snapshot']}: {tell_count(document['pages'], 'page')}")
    show_table(["by", "classes", "captures", "redundant", "stored", "saved"], totals)
    if document["classes"]:
        click.echo()
        rows = [
            [
                found["kind"],
                found["count"],
                len(found["snapshots"]),
                show_bytes(found["saved"]),
                found["urls"][0],
            ]
            for found in document["classes"]
        ]
        show_table(["by", "captures", "snapshots", "saved", "first URL"], rows)


def _show_near(document: dict[str, Any]) -> None:
    click.echo(
        f"{document['collection']} {document['snapshot']}: {document['in_clusters']:,} of "
        f"{tell_count(document['pages'], 'page is', 'pages are')} in "
        f"{tell_count(document['clusters'], 'cluster')} of near-duplicates "
        f"({tell_count(document['pairs'], 'pair')} of {tell_count(document['candidates'], 'candidate')}, by "
        f"{document['method']})"
    )
    if document["classes"]:
        rows = [
            [
                len(found["urls"]),
                len(set(found["snapshots"])),
                f"{found['resemblance']:.3f}",
                f"{found['similarity']:.3f}",
                found["urls"][0],
                found["urls"][1],
            ]
            for found in document["classes"]
        ]
        show_table(["pages", "snapshots", "common", "cosine", "first URL", "second URL"], rows)
