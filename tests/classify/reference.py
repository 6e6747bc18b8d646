"""Features as their formulas say, in plain Python."""

from __future__ import annotations

import itertools
import math
import statistics
from collections import Counter
from typing import TYPE_CHECKING

from webstrata.web.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES = (100, 200, 500, 1000)
NAN = math.nan


def divide(above: float, below: float) -> float:
    return above / below if below else NAN


def measure_page(
    title: str,
    text: str,
    *,
    corpus: Sequence[str] | None,
    queries: Sequence[str] | None,
    ngram: int,
    anchor_words: float,
    html_bytes: float,
) -> dict[str, float]:
    """The features of a page, all but the compression."""
    found_words = [word.casefold() for word in words(text)]
    number = len(found_words)
    found = {
        "words": number,
        "title_words": len(words(title)),
        "word_length": divide(sum(map(len, words(text))), number),
        "anchor_share": divide(anchor_words, number),
        "visible_share": divide(len(text.encode()), html_bytes),
    }
    for kind, listed in (("corpus", corpus), ("query", queries)):
        for size in SIZES:
            popular = set((listed or ())[:size])
            precision = divide(sum(word in popular for word in found_words), number)
            recall = divide(len(popular & set(found_words)), len(popular))
            found[f"{kind}_precision_{size}"] = precision if popular else NAN
            found[f"{kind}_recall_{size}"] = recall
    grams = Counter(tuple(found_words[place : place + ngram]) for place in range(number - ngram + 1))
    shares = [count / grams.total() for count in grams.values()]
    found["ngram_likelihood"] = divide(-sum(map(math.log, shares)), len(shares))
    found["ngram_entropy"] = -sum(share * math.log(share) for share in shares) if shares else NAN
    return found


def ball(predecessors: Sequence[set[int]], node: int, distance: int) -> set[int]:
    """Nodes that reach a node by at most so many links, itself included."""
    found = {node}
    for _ in range(distance):
        found |= {source for reached in found for source in predecessors[reached]}
    return found


def log(value: float) -> float:
    return math.log(value) if value > 0 else NAN


def mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else NAN


def measure_links(
    successors: Sequence[set[int]], node: int, scores: dict[str, list[float]], sites: Sequence[int]
) -> dict[str, float]:
    """The link features of a node; supporters exactly."""
    predecessors = [
        {source for source, row in enumerate(successors) if target in row}
        for target in range(len(successors))
    ]
    ins, outs = predecessors[node], successors[node]
    degree = [len(one) + len(other) for one, other in zip(predecessors, successors, strict=True)]
    neighbours = [*ins, *outs]
    pagerank = scores["pagerank"]
    of_ins = [pagerank[source] for source in ins]
    f = {name: row[node] for name, row in scores.items()}
    f["indegree"], f["outdegree"] = len(ins), len(outs)
    f["reciprocity"] = divide(len(ins & outs), len(outs))
    f["assortativity"] = divide(degree[node], mean([degree[other] for other in neighbours] or [0]))
    f["indegree_of_successors"] = mean([len(predecessors[target]) for target in outs])
    f["outdegree_of_predecessors"] = mean([len(successors[source]) for source in ins])
    f["pagerank_deviation"] = statistics.pstdev(of_ins) if of_ins else NAN
    for distance in (1, 2, 3, 4):
        reached = ball(predecessors, node, distance)
        f[f"supporters_{distance}"] = len(reached - {node})
        f[f"sites_{distance}"] = len({sites[other] for other in reached} - {sites[node]})
    # a page that links to itself has itself as a predecessor
    for distance in (2, 3, 4):
        before = f["indegree"] if distance == 2 else f[f"supporters_{distance - 1}"]
        f[f"supporters_{distance}"] = max(f[f"supporters_{distance}"], before)
    return f


def derive(f: dict[str, float]) -> dict[str, float]:
    """What is made of the others, from their values."""
    s = [f["indegree"], *(f[f"supporters_{distance}"] for distance in (2, 3, 4))]
    h = [f[f"sites_{distance}"] for distance in (1, 2, 3, 4)]
    t = [f["pagerank"], *(f[f"truncated_{level}"] for level in (1, 2, 3, 4))]
    found = {f"log_{name}": log(value) for name, value in f.items() if name != "reciprocity"}
    found["log_pagerank_by_indegree"] = log(divide(f["pagerank"], f["indegree"]))
    found["log_pagerank_by_outdegree"] = log(divide(f["pagerank"], f["outdegree"]))
    found["log_pagerank_deviation_by_pagerank"] = log(divide(f["pagerank_deviation"], f["pagerank"]))
    for below in ("pagerank", "indegree", "outdegree"):
        found[f"log_trustrank_by_{below}"] = log(divide(f["trustrank"], f[below]))
    for k in (1, 2, 3, 4):
        found[f"log_truncated_{k}_by_pagerank"] = log(divide(t[k], t[0]))
        found[f"log_truncated_{k}_by_indegree"] = log(divide(t[k], s[0]))
        found[f"log_sites_{k}_by_pagerank"] = log(divide(h[k - 1], t[0]))
        of_pages = "indegree" if k == 1 else f"supporters_{k}"
        found[f"log_sites_{k}_by_{of_pages}"] = log(divide(h[k - 1], s[k - 1]))
    for k in (2, 3, 4):
        found[f"log_truncated_{k}_by_truncated_{k - 1}"] = log(divide(t[k], t[k - 1]))
        found[f"log_sites_{k}_by_sites_{k - 1}"] = log(divide(h[k - 1], h[k - 2]))
        before = "indegree" if k == 2 else f"supporters_{k - 1}"
        found[f"log_supporters_{k}_by_{before}"] = log(divide(s[k - 1], s[k - 2]))
        found[f"log_supporters_{k}_by_pagerank"] = log(divide(s[k - 1], t[0]))
        found[f"log_new_supporters_{k}"] = log(s[k - 1] - s[k - 2])
        found[f"log_new_supporters_{k}_by_pagerank"] = log(divide(s[k - 1] - s[k - 2], t[0]))
    for name, chain in (("truncated", t), ("supporters", s), ("sites", h)):
        ratios = [divide(after, before) for before, after in itertools.pairwise(chain)]
        whole = not any(math.isnan(ratio) or ratio == 0 for ratio in ratios)
        for kind, choose in (("min", min), ("max", max), ("mean", mean)):
            found[f"log_{kind}_growth_of_{name}"] = log(choose(ratios)) if whole else NAN
    return found
