"""What the text of a link says of where it leads, for shark search (Hersovici et al. 1998).

For words q₁ … q_m with weights wᵢ, that of a text is sim = Σ {wᵢ : qᵢ is in it} / Σ wᵢ. Of a link, with the
text a of its anchor and the text c around it,

    neighbourhood = β sim(a) + (1 − β) context,   context = 1 where sim(a) > 0, else sim(c),

β being 0.8 as in the paper; of several links between two pages the best counts. Words are those of a query
with their idf, or the twenty that weigh most in example pages by tf–idf; they are cut and stemmed as those of
the pages were. What is around a link is found in the part `text`: the `NEAR` characters before its anchor and
behind it, anchors being looked for in the order of the page first.

Words are needed, and the part `links`: where labels or scores say what is looked for, or in a bundle, which
has no links, there is nothing to be seen in links, and shark search goes by what is inherited alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata._core.summaries import Counter
from webstrata.simulate.relevance import bm25, find_nodes, read_lines
from webstrata.store.text import Text
from webstrata.summaries.build import find_stemmer
from webstrata.summaries.query import find_terms
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from webstrata.simulate.web import StoredWeb

    Numbers = npt.NDArray[np.float64]

BETA = 0.8
NEAR = 100
_MOST_WORDS = 20


def find_words(web: StoredWeb, told: str) -> dict[str, float]:
    """The words that are looked for, with their weights; none where labels or scores say what is.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.simulate.web import StoredWeb
    >>> web = StoredWeb(testing.snapshot())
    >>> {word: round(weight, 2) for word, weight in find_words(web, "query:tropical fish").items()}
    {'fish': 0.63, 'tropic': 2.37}
    >>> find_words(web, "topic:health")
    {}
    """
    kind, _, what = told.partition(":")
    if kind not in ("query", "examples") or not web.archive.terms.have_texts:
        return {}
    archive = web.archive
    if kind == "query":
        terms = find_terms(archive, what)
        df = archive.terms.df[terms].astype(np.float64)
        weights = np.log1p((archive.num_summaries - df + 0.5) / (df + 0.5))
    else:
        nodes = find_nodes(web, what, [url for url, _ in read_lines(Path(what))], strict=False)
        centre = np.asarray(archive.matrix("tf-idf", nodes[nodes >= 0]).mean(axis=0)).reshape(-1)
        terms = [term for term in np.argsort(-centre, kind="stable")[:_MOST_WORDS].tolist() if centre[term]]
        weights = centre[terms]
    return {archive.terms[term]: weight for term, weight in zip(terms, weights.tolist(), strict=True)}


def score_texts(texts: Sequence[str], words: Mapping[str, float], stemmer: str = "none") -> Numbers:
    """The share of the weight of some words that each text has.

    Examples
    --------
    >>> score_texts(["Fish of the reef", "fish fish", "sea"], {"fish": 3.0, "reef": 1.0}).tolist()
    [1.0, 0.75, 0.0]
    """
    counter = Counter(load_core(), find_stemmer(stemmer), [])
    column = pa.array(texts, pa.large_string())
    data = column.buffers()[2]
    counter.add(
        np.frombuffer(column.buffers()[1], np.int64)[: len(texts) + 1],
        np.frombuffer(data, np.uint8) if data else np.zeros(0, np.uint8),
    )
    (ends, letters, _, _), (_, offsets, terms, _) = counter.finish()
    names = pa.LargeStringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(letters))
    places = pc.index_in(names, value_set=pa.array(list(words), pa.large_string()))
    found = places.fill_null(len(words)).to_numpy(zero_copy_only=False)
    weights = np.append(np.array(list(words.values())), 0.0)[found]
    rows = np.repeat(np.arange(len(texts)), np.diff(offsets).astype(np.int64))
    total = sum(words.values())
    return np.bincount(rows, weights[terms], minlength=len(texts)) / (total or 1.0)


def find_surroundings(text: str, anchors: Sequence[str]) -> list[str]:
    """What stands around each anchor of a page, in its order; nothing where one is not found.

    Examples
    --------
    >>> find_surroundings("News. Read on about fish. Read on about cats.", ["Read on", "Read on", "x"])
    ['News.   about fish. Read on about cats.', 'News. Read on about fish.   about cats.', '']
    """
    found, cursor = [], 0
    for anchor in anchors:
        place = text.find(anchor, cursor) if anchor else -1
        if place >= 0:
            cursor = place + len(anchor)
        elif anchor:
            # text may be in another order than links are
            place = text.find(anchor)
        behind = place + len(anchor)
        near = f"{text[max(place - NEAR, 0) : place]} {text[behind : behind + NEAR]}"
        found.append(near if place >= 0 else "")
    return found


def score_links(web: StoredWeb, told: str) -> npt.NDArray[np.float32] | None:
    """The neighbourhood score of each link of `web.lists`, in their order; None where nothing can be seen.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.simulate.web import StoredWeb
    >>> web = StoredWeb(testing.snapshot())
    >>> score_links(web, "query:storm")[6:8].tolist()  # of the links "the storm" and "bread"
    [1.0, 0.0]
    """
    if "links" not in web.snapshot.parts or not (words := find_words(web, told)):
        return None
    lists = web.lists
    if not isinstance(lists, tuple):
        web.progress.note("the graph is too large for the texts of links; shark search goes without them")
        return None
    if "text" in web.snapshot.parts:
        web.used.append("text")
    offsets, targets = lists
    sources = np.repeat(np.arange(len(offsets) - 1, dtype=np.uint64), np.diff(offsets).astype(np.int64))
    arcs = sources << np.uint64(32) | targets
    order = np.argsort(arcs, kind="stable")
    scores = np.zeros(len(arcs), np.float32)
    stemmer = web.archive.facts.get("stemmer") or "none"
    has_word = bm25(web.archive, find_terms(web.archive, " ".join(words))) > 0
    with web.progress.task("texts of links", total=len(web.links), unit="links") as task:
        for group in range(web.links.rows.num_blocks):
            block = web.links.rows.block(group, "source", "target", "kind", "anchor")
            kept = pc.is_in(block["kind"], value_set=web.links.followed).to_numpy()
            kept &= web.link_ends[block["target"].to_numpy()] >= 0
            rows = block.filter(pa.array(kept))
            seen = _score_block(web, rows, words, stemmer, has_word)
            ends = web.link_ends[rows["target"].to_numpy()].astype(np.uint64)
            keys = rows["source"].to_numpy().astype(np.uint64) << np.uint64(32) | ends
            place = order[np.minimum(np.searchsorted(arcs, keys, sorter=order), len(arcs) - 1)]
            is_arc = arcs[place] == keys if len(arcs) else np.zeros(len(keys), bool)
            np.maximum.at(scores, place[is_arc], seen[is_arc].astype(np.float32))
            task.advance(len(block))
    return scores


def _score_block(
    web: StoredWeb, rows: pa.Table, words: Mapping[str, float], stemmer: str, has_word: npt.NDArray[np.bool_]
) -> Numbers:
    """The neighbourhood scores of some links, by page and in their order there."""
    anchors = rows["anchor"].combine_chunks().dictionary_encode()
    if isinstance(anchors, pa.ChunkedArray):
        anchors = anchors.combine_chunks()
    own = score_texts(anchors.dictionary.to_pylist(), words, stemmer)[anchors.indices.to_numpy()]
    context = (own > 0).astype(np.float64)
    if "text" in web.snapshot.parts:
        sources, texts = rows["source"].to_numpy(), rows["anchor"].to_pylist()
        starts = np.flatnonzero(np.diff(sources, prepend=-1))
        bounds = np.append(starts, len(sources))
        # who has no such word has none around a link
        wanted = np.flatnonzero(has_word[sources[starts]])
        with web.snapshot.open_part("text") as part:
            pages = Text(part.path).take(sources[starts[wanted]].astype(np.int64)).to_pylist()
        around: list[str] = []
        places: list[int] = []
        for number, text in zip(wanted.tolist(), pages, strict=True):
            begin, end = int(bounds[number]), int(bounds[number + 1])
            around += find_surroundings(text or "", texts[begin:end])
            places += range(begin, end)
        if around:
            near = score_texts(around, words, stemmer)
            context[places] = np.where(own[places] > 0, 1.0, near)
    scores: Numbers = BETA * own + (1 - BETA) * context
    return scores
