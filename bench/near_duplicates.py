"""How fast near-duplicates are discovered: from text to verified pairs, beside rensa fed by Python shingling.

`near-duplicates`: documents per second of processor time, all threads counted, on 20 000 texts (`--quick`: 2
000). Ours shingles, signs, pairs and verifies; theirs makes the sets of word 5-grams in Python, a signature
of 128 values for each, and asks an index of 16 bands for candidates, which it need not verify. `details` has
the recall of both against **exact pairs**, found by comparing all pairs of lengths that allow it: `words`,
pairs with 0.9 of their words in common, and `shingles`, pairs with a resemblance of 0.8 of all their 5-grams.
A pair is found if both are in one cluster, or, `direct`, if it is among the pairs.

The texts are those of real pages where `WEBSTRATA_CORPUS` names a folder of them, else of in-vitro pages.

`near-duplicates-planted`: F1 of the clusters found among the pages of an in-vitro web, in pairs, against the
variations that were planted there with 0.92 of the words kept; `details` has precision and recall. Theirs are
rensa's candidates, with an index of as many bands as find them (64 of 2), and so without precision.

`close-simhashes`: seconds for all pairs within 3 bits among 10⁷ simhashes (`--quick`: 10⁶), 1% of them
planted within 3 bits of another; theirs is the straightforward NumPy way, the same tables on one core.
`details` has the largest memory of the process, and how many of the planted pairs were found.
"""

from __future__ import annotations

import functools
import json
import os
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.frame import PEERS, Call, Figure, Peer, digest_tree, main

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    import numpy.typing as npt

    Bag = tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]
    Pairs = npt.NDArray[np.int64]

N = 5
COMMON = 0.9
RESEMBLANCE = 0.8


# ---- the input


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write texts, a JSON string a line, and their exact pairs."""
    import numpy as np

    from webstrata.web.words import load_core

    texts = list(_iter_texts(2000 if quick else 20_000))
    (folder / "texts.jsonl").write_text("".join(json.dumps(text) + "\n" for text in texts))
    core = load_core()
    words = [np.unique(np.array(core.hashes(text), np.uint64), return_counts=True) for text in texts]
    np.save(folder / "words.npy", exact_pairs(words, COMMON))
    numbers: dict[str, int] = {}
    shingles = []
    for text in texts:
        found = sorted({numbers.setdefault(shingle, len(numbers)) for shingle in shingle_words(text)})
        hashes = np.array(found, np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(1)
        shingles.append((np.sort(hashes), np.ones(len(found), np.int64)))
    # |A ∩ B| / |A ∪ B| ≥ r is 2 |A ∩ B| / (|A| + |B|) ≥ 2 r / (1 + r)
    np.save(folder / "shingles.npy", exact_pairs(shingles, 2 * RESEMBLANCE / (1 + RESEMBLANCE)))


def _iter_texts(count: int) -> Iterable[str]:
    from webstrata.web.html import scan

    if os.environ.get("WEBSTRATA_CORPUS"):
        from bench.data import real_pages

        for _, body in real_pages(count):
            yield scan(body, anchors=False, text=True).text
        return
    from bench.invitro import choose_pages
    from webstrata.invitro import Web

    web = Web("realistic", seed=7)
    for url in choose_pages(web, count):
        yield scan(web.fetch(url).body, anchors=False, text=True).text


def shingle_words(text: str) -> set[str]:
    """The set of word 5-grams of a text, as people make it in Python."""
    words = text.lower().split()
    return {" ".join(words[place : place + N]) for place in range(max(1, len(words) - N + 1))}


def exact_pairs(bags: Sequence[Bag], least: float) -> Pairs:
    """All pairs with 2 Σ min / (Σ + Σ) ≥ least: those whose lengths and histograms allow it are compared."""
    import numpy as np

    from webstrata.store.duplicates.near import common

    lengths = np.array([counts.sum() for _, counts in bags], np.int64)
    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] > 0]
    lengths = lengths[order]
    tables = []
    for size in (64, 1024):
        table = np.zeros((len(order), size), np.int32)
        for row, place in enumerate(order):
            hashes, counts = bags[place]
            np.add.at(table[row], (hashes >> np.uint64(20)).astype(np.int64) % size, counts)
        tables.append(table)
    found = [np.empty((0, 2), np.int64)]
    after = np.searchsorted(lengths, lengths * (2 / least - 1) + 1e-9, "right")
    for row, place in enumerate(order):
        others = np.arange(row + 1, after[row])
        for table in tables:  # the sum of the smaller counts of a bucket is no smaller than that of its words
            bound = np.minimum(table[row], table[others]).sum(axis=1)
            others = others[2 * bound >= (least - 1e-9) * (lengths[row] + lengths[others])]
        near = [other for other in order[others] if common(bags[place], bags[other]) >= least]
        found.append(np.array([sorted((place, other)) for other in near], np.int64).reshape(-1, 2))
    return np.unique(np.concatenate(found), axis=0)


@functools.cache
def load(place: str) -> list[str]:
    """The texts of an input."""
    with (Path(place) / "texts.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


# ---- the sides


def discover_ours(place: str) -> dict[str, Any]:
    """Discover near-duplicates with the core."""
    from webstrata.store.duplicates.near import Strings, find_near_duplicates
    from webstrata.web.words import load_core

    texts = load(place)
    load_core()
    began, started = time.process_time(), time.perf_counter()
    found = find_near_duplicates(Strings(texts))
    seconds, passed = time.process_time() - began, time.perf_counter() - started
    return {
        "value": len(texts) / seconds,
        "documents_per_second_of_clock": round(len(texts) / passed),
        "candidates": found.candidates,
        "pairs": len(found.pairs),
        **_measure_recall(place, found.pairs, len(texts)),
    }


def discover_theirs(place: str) -> dict[str, Any]:
    """Discover candidates with rensa."""
    texts = load(place)
    began, started = time.process_time(), time.perf_counter()
    found = _ask_rensa(texts, 16)
    seconds, passed = time.process_time() - began, time.perf_counter() - started
    return {
        "value": len(texts) / seconds,
        "documents_per_second_of_clock": round(len(texts) / passed),
        "candidates": len(found),
        **_measure_recall(place, found, len(texts)),
    }


def _ask_rensa(texts: list[str], num_bands: int) -> Pairs:
    import numpy as np
    from rensa import RMinHash, RMinHashLSH  # type: ignore[import-not-found]

    index = RMinHashLSH(threshold=RESEMBLANCE, num_perm=128, num_bands=num_bands)
    pairs = []
    for number, text in enumerate(texts):
        signature = RMinHash(num_perm=128, seed=42)
        signature.update(list(shingle_words(text)))
        pairs += [(other, number) for other in index.query(signature)]
        index.insert(number, signature)
    return np.array(pairs, np.int64).reshape(-1, 2)


def _measure_recall(place: str, found: Pairs, size: int) -> dict[str, Any]:
    """Shares of the exact pairs that were found; by clusters and direct."""
    import numpy as np

    labels = _label(size, found)
    direct = set(map(tuple, found.tolist()))
    measured: dict[str, Any] = {}
    for name in ("words", "shingles"):
        truth = np.load(Path(place) / f"{name}.npy")
        if len(truth):
            together = float((labels[truth[:, 0]] == labels[truth[:, 1]]).mean())
            alone = sum(tuple(pair) in direct for pair in truth.tolist()) / len(truth)
            measured[name] = {"pairs": len(truth), "recall": round(together, 4), "direct": round(alone, 4)}
    return measured


def _label(size: int, pairs: Pairs) -> npt.NDArray[np.int64]:
    """The smallest member of each one's cluster (the peer's interpreter has no webstrata)."""
    import numpy as np

    parents = list(range(size))

    def root(member: int) -> int:
        while parents[member] != member:
            parents[member] = member = parents[parents[member]]
        return member

    for a, b in pairs.tolist():
        first, second = sorted((root(a), root(b)))
        parents[second] = first
    return np.array([root(member) for member in range(size)])


# ---- what was planted


def prepare_planted(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write the texts of a web, and the family of each."""
    import numpy as np

    from webstrata.invitro import Web
    from webstrata.web.html import scan

    web = Web("tiny" if quick else "small", seed=11)
    graph = web.graph(view="collection")
    with (folder / "texts.jsonl").open("w") as lines:
        for url in graph.urls:
            lines.write(json.dumps(scan(web.fetch(url).body, anchors=False, text=True).text) + "\n")
    np.save(folder / "families.npy", np.unique(graph.families, return_inverse=True)[1])


def find_planted(place: str) -> dict[str, Any]:
    """Our clusters beside the planted families; no less than the floor."""
    from bench.floors import require
    from webstrata.store.duplicates.near import Strings, find_near_duplicates

    texts = load(place)
    found = _score(place, find_near_duplicates(Strings(texts)).pairs)
    size = "-quick" if Path(place).parent.name == "quick" else ""
    require(
        f"near-duplicates-planted{size}", found["value"], digest_tree(Path(place), "near-duplicates-planted")
    )
    return found


def find_planted_theirs(place: str) -> dict[str, Any]:
    """Clusters of rensa's candidates beside the planted families."""
    return _score(place, _ask_rensa(load(place), 64))


def _score(place: str, pairs: Pairs) -> dict[str, Any]:
    """Precision and recall in pairs of members of a cluster."""
    import numpy as np

    truth = np.load(Path(place) / "families.npy")
    labels = _label(len(truth), pairs)

    def count(*columns: npt.NDArray[np.int64]) -> int:
        sizes = np.unique(np.stack(columns), axis=1, return_counts=True)[1]
        return int((sizes * (sizes - 1) // 2).sum())

    both, found, true = count(labels, truth), count(labels), count(truth)
    precision, recall = both / max(found, 1), both / max(true, 1)
    return {
        "value": 2 * both / max(found + true, 1),
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "pages": len(truth),
        "planted_pairs": true,
    }


# ---- simhashes


def prepare_simhashes(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write random simhashes, and the places of planted pairs."""
    import numpy as np

    size = 10**6 if quick else 10**7
    draw = np.random.default_rng(7)
    values = draw.integers(0, 2**64, size, dtype=np.uint64)
    places = draw.permutation(size)[: size // 50].reshape(2, -1)
    flips = draw.integers(0, 64, (3, places.shape[1]), dtype=np.uint64)
    values[places[1]] = values[places[0]]
    for bits in flips:  # the same bit twice is no flip: up to 3
        values[places[1]] ^= np.uint64(1) << bits
    np.save(folder / "simhashes.npy", values)
    np.save(folder / "planted.npy", np.sort(places.T, axis=1))


def pair_ours(place: str) -> dict[str, Any]:
    """All close pairs by the core."""
    import numpy as np

    from webstrata.store.duplicates.simhash import close_pairs

    values = np.load(Path(place) / "simhashes.npy")
    planted = np.load(Path(place) / "planted.npy")
    started, began = time.perf_counter(), time.process_time()
    found = close_pairs(values, 3)
    passed, seconds = time.perf_counter() - started, time.process_time() - began
    known = np.isin(planted[:, 0] << 32 | planted[:, 1], found[:, 0] << 32 | found[:, 1])
    return {
        "value": passed,
        "cpu_seconds": round(seconds, 1),
        "pairs": len(found),
        "planted_found": float(known.mean()),
        "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def pair_plainly(place: str) -> dict[str, Any]:
    """The pairs of the first of the ten tables, by NumPy on one core, times ten."""
    import numpy as np

    values = np.load(Path(place) / "simhashes.npy")
    started = time.perf_counter()
    keys = values & np.uint64((1 << 26) - 1)
    order = np.argsort(keys, kind="stable")
    keys, values = keys[order], values[order]
    found, step = 0, 1
    alive = np.arange(len(keys) - 1)
    while len(alive):
        alive = alive[keys[alive] == keys[alive + step]]
        different = (values[alive] ^ values[alive + step]).reshape(-1, 1).view(np.uint8)
        found += int((np.unpackbits(different, axis=1).sum(axis=1) <= 3).sum())
        step += 1
        alive = alive[alive + step < len(keys)]
    return {"value": 10 * (time.perf_counter() - started), "pairs_of_a_table": found}


FIGURES = [
    Figure(
        name="near-duplicates",
        ours=Call("bench.near_duplicates:discover_ours"),
        theirs=Call("bench.near_duplicates:discover_theirs", PEERS / "python"),
        peer=Peer("rensa"),
        prepare=prepare,
        data="near-duplicates-real" if os.environ.get("WEBSTRATA_CORPUS") else "near-duplicates",
        measure="answer",
        unit="documents/s",
        better="more",
        rounds=5,
        quick_rounds=3,
    ),
    Figure(
        name="near-duplicates-planted",
        ours=Call("bench.near_duplicates:find_planted"),
        theirs=Call("bench.near_duplicates:find_planted_theirs", PEERS / "python"),
        peer=Peer("rensa"),
        prepare=prepare_planted,
        measure="answer",
        unit="F1",
        better="more",
        rounds=1,
        quick_rounds=1,
        warm_up=False,
    ),
    Figure(
        name="close-simhashes",
        ours=Call("bench.near_duplicates:pair_ours"),
        theirs=Call("bench.near_duplicates:pair_plainly", PEERS / "python"),
        peer=Peer("numpy"),
        prepare=prepare_simhashes,
        measure="answer",
        rounds=2,
        quick_rounds=2,
    ),
]

if __name__ == "__main__":
    main(FIGURES)
