"""The duplicates of a snapshot, exact or near, in numbers and one by one, and compared with the truth."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from webstrata.collection.action import Action
from webstrata.collection.progress import Progress
from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import Rows, Table
from webstrata.errors import MissingError, UsageError
from webstrata.store.duplicates.exact import KINDS, find_classes, read_members, score, score_near, sum_classes
from webstrata.store.duplicates.near import common, cosine, count_words, find_near_duplicates
from webstrata.store.duplicates.signatures import open_signatures

if TYPE_CHECKING:
    from collections.abc import Callable

    from webstrata.api import Collection, Snapshot
    from webstrata.store.text import Text


class Duplicates(Rows):
    """Classes of duplicates, one row per class, the largest first; `facts` has the totals."""

    def to_dict(self) -> dict[str, Any]:
        """Totals and classes, as ``--json`` prints them."""
        return self.facts

    @property
    def summary(self) -> str:
        """How many there are, in a sentence."""
        facts = self.facts
        if "totals" in facts:
            return f"{tell_count(facts['pages'], 'page')}."
        return (
            f"{facts['in_clusters']:,} of {tell_count(facts['pages'], 'page is', 'pages are')} in "
            f"{tell_count(facts['clusters'], 'cluster')} of near-duplicates "
            f"({tell_count(facts['pairs'], 'pair')} of {tell_count(facts['candidates'], 'candidate')}, by "
            f"{facts['method']})."
        )

    def tables(self) -> dict[str, Table]:
        """Totals, the largest classes, and how well they agree with what was planted."""
        return {
            **(self._tabulate_exact() if "totals" in self.facts else self._tabulate_near()),
            **self._tabulate_truth(),
            "Classes with all URLs": self,
        }

    def _tabulate_exact(self) -> dict[str, Table]:
        totals = [
            {
                "by": kind,
                "classes": t["classes"],
                "captures": t["captures"],
                "redundant": t["redundant"],
                "stored": t["bytes"],
                "saved": t["saved"],
            }
            for kind, t in self.facts["totals"].items()
        ]
        classes = [
            {
                "by": found["kind"],
                "captures": found["count"],
                "snapshots": len(found["snapshots"]),
                "saved": found["saved"],
                "first URL": found["urls"][0],
            }
            for found in self.rows
        ]
        return {
            "Totals": Rows("totals", totals, formats={"stored": "bytes", "saved": "bytes"}),
            "Largest classes": Rows("largest classes", classes, formats={"saved": "bytes"}),
        }

    def _tabulate_near(self) -> dict[str, Table]:
        classes = [
            {
                "pages": len(found["urls"]),
                "snapshots": len(set(found["snapshots"])),
                "common": found["resemblance"],
                "cosine": found["similarity"],
                "first URL": found["urls"][0],
                "second URL": found["urls"][1],
            }
            for found in self.rows
        ]
        formats = {"common": ".3f", "cosine": ".3f"}
        return {"Largest clusters": Rows("largest clusters", classes, formats=formats)}

    def _tabulate_truth(self) -> dict[str, Table]:
        rows = [
            {
                "planted": name,
                "precision": t["precision"],
                "recall": t["recall"],
                "pairs found": t["found"],
                "pairs planted": t["planted"],
                "unknown pages": t["unknown"],
            }
            for name, t in self.facts.get("truth", {}).items()
        ]
        formats = {"precision": ".4f", "recall": ".4f"}
        return {"Compared with what was planted": Rows("truth", rows, formats=formats)} if rows else {}


def find_duplicates(
    snapshot: Snapshot,
    *,
    across: bool = False,
    near: bool = False,
    method: Literal["fingerprint", "simhash"] | str = "fingerprint",
    similarity: float = 0.8,
    resemblance: float = 0.9,
    memory: int = 1024,
    distance: int = 3,
    against_truth: bool = False,
    top: int = 10,
    progress: Progress | None = None,
) -> Duplicates:
    """The pages of a snapshot that are duplicates of each other, exact or near.

    Parameters
    ----------
    snapshot
        Whose pages are compared.
    across
        Look in all other snapshots too; for near-duplicates, in earlier ones.
    near
        Look for near-duplicates: pages most of whose words are the same.
    method
        How near-duplicates are found: ``fingerprint`` or ``simhash``.
    similarity, resemblance
        Lower limits for near-duplicates: cosine similarity, and share of words in common.
    memory
        MiB for the index of near-duplicates.
    distance
        Bits in which simhashes may differ.
    against_truth
        Compare with what was planted in the synthetic web; the snapshot has the part `truth`.
    top
        Classes to list.
    progress
        Where progress is shown.

    Examples
    --------
    >>> from webstrata import testing
    >>> found = find_duplicates(testing.snapshot())
    >>> found.facts["pages"], found.facts["totals"]["digest"]["classes"]
    (15, 1)
    """
    collection = cast("Collection", snapshot.collection)
    if against_truth:
        if across:
            raise UsageError("--against-truth: what was planted is known of one snapshot; leave out --across")
        if "truth" not in snapshot.parts:
            raise MissingError(
                f"{snapshot.path}: no part `truth` to compare with; crawls of the synthetic web have one",
                fix=Action.on(snapshot, "invitro truth"),
            )
    if near:
        if memory < 1:
            raise UsageError(f"memory {memory}: expected 1 or more MiB")
        earlier = [s for s in collection if across and s.date < snapshot.date and "text" in s.parts]
        document = _find_near(
            [*earlier, snapshot],
            method,
            (resemblance, similarity),
            distance,
            memory << 20,
            top,
            against_truth=against_truth,
            progress=progress or Progress(),
        )
    else:
        document = _find_exact(collection, snapshot, top, across=across, against_truth=against_truth)
    document = {"collection": str(collection.path), "snapshot": snapshot.date, **document}
    return Duplicates("classes of duplicates", document["classes"], document, shown=0)


def _find_exact(
    collection: Collection, snapshot: Snapshot, top: int, *, across: bool, against_truth: bool
) -> dict[str, Any]:
    own = read_members(snapshot)
    members = dict.fromkeys(KINDS, own)
    if across:
        others = [other for other in collection if other.date != snapshot.date and "captures" in other.parts]
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
    progress: Progress,
) -> dict[str, Any]:
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
            "snapshots": [snapshots[place].date for place, _ in places],
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
        "earlier": [snapshot.date for snapshot in snapshots[:-1]],
        "pages": len(found.labels),
        "candidates": found.candidates,
        "pairs": len(found.pairs),
        "clusters": len(clusters),
        "in_clusters": sum(map(len, clusters)),
        "classes": [describe(members.tolist()) for members in clusters[:top]],
    }


def _compare(text: Text, resemblance: float, similarity: float) -> Callable[[int, int], bool]:
    """Whether two pages are near-duplicates by the definition, however they were looked for."""
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
