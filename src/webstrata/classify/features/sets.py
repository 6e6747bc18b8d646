"""The feature sets that there are, and what each is made from.

`SETS` names them, and who makes each: a function of the snapshot, the settings and the progress that returns
the table, imported when it is called.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webstrata.collection.settings import unknown_name
from webstrata.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from webstrata.classify.settings import ClassifySettings
    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress

    Builder = Callable[[Snapshot, ClassifySettings, Progress], pa.Table]


@dataclass(frozen=True)
class FeatureSet:
    """A set of features: who makes it, and of what."""

    builder: str
    """``module:function``."""
    about: str
    inputs: tuple[str, ...]
    """Parts of the snapshot that it is made from."""
    heeds: tuple[str, ...] = ()
    """Settings that it depends on."""
    through_time: bool = False
    """Whether it is made from these parts of earlier snapshots too; see `earlier`."""
    last_alone: bool = False
    """Whether of these the last one is enough, where the setting `earlier` names none."""
    formulas: str = ""
    """``module:mapping`` from the names of its features to what each is, for the docs; none for too many."""

    def load(self) -> Builder:
        """The function that makes it."""
        builder: Builder = _load(self.builder)
        return builder

    def describe(self) -> dict[str, str]:
        """What each of its features is, in the order of its columns."""
        return dict(_load(self.formulas)) if self.formulas else {}


CONTENT = ("query_words", "stop_words", "ngram", "corpus_pages")
"""Settings that features of pages depend on."""
TERMS = ("max_terms", "least_share", "most_share", "max_pages", "k1", "b")
"""Settings that vectors of terms depend on."""

SETS: dict[str, FeatureSet] = {
    "A": FeatureSet(
        "webstrata.classify.features.content:build_a",
        "What pages say, less what needs the whole corpus or links: home page, mean and variance.",
        ("text", "links", "urls"),
        CONTENT,
        formulas="webstrata.classify.features.content:A",
    ),
    "Aa": FeatureSet(
        "webstrata.classify.features.content:build_aa",
        "What of that counts popular words of queries.",
        ("text", "links", "urls"),
        CONTENT,
        formulas="webstrata.classify.features.content:AA",
    ),
    "B": FeatureSet(
        "webstrata.classify.features.content:build_b",
        "What pages say: home page, page of maximum PageRank, mean and variance.",
        ("text", "links", "urls", "graph"),
        CONTENT,
        formulas="webstrata.classify.features.content:B",
    ),
    "link": FeatureSet(
        "webstrata.classify.features.links:build_link",
        "Who links to the home page and to the page of maximum PageRank.",
        ("graph", "urls"),
        ("trusted", "registers"),
        formulas="webstrata.classify.features.links:FORMULAS",
    ),
    "temporal-link": FeatureSet(
        "webstrata.classify.features.temporal_links:build_temporal_link",
        "How links of a site die and grow from one snapshot to another, and how much of its neighbourhood "
        "stays: I₀, I₁ link to it before and after, Γ₀, Γ₁ are linked to, Γ_k by walks of exactly k links.",
        ("graph", "urls"),
        ("earlier", "fingerprints"),
        through_time=True,
        last_alone=True,
        formulas="webstrata.classify.features.temporal_links:FORMULAS",
    ),
    "bm25": FeatureSet(
        "webstrata.classify.features.term_vectors:build_bm25",
        "Which terms a site has, weighted by BM25; TERM stands for each of the vocabulary.",
        ("summaries", "urls"),
        TERMS,
        formulas="webstrata.classify.features.term_vectors:FORMULAS",
    ),
    "temporal-content": FeatureSet(
        "webstrata.classify.features.temporal_content:build_temporal_content",
        "How the weights of terms change over snapshots; TERM stands for each of the vocabulary.",
        ("summaries", "urls"),
        ("earlier", "decay", *TERMS),
        through_time=True,
        formulas="webstrata.classify.features.temporal_content:FORMULAS",
    ),
}
"""The feature sets by name, in the order in which they are made."""


def part_name(name: str) -> str:
    """The part that holds a set.

    Examples
    --------
    >>> part_name("Aa"), part_name("temporal-link")
    ('features-aa', 'features-temporal-link')
    """
    return f"features-{name.lower()}"


def check_sets(names: Sequence[str]) -> list[str]:
    """Names of sets in the order of `SETS`, or `UsageError` for one that is none.

    Examples
    --------
    >>> check_sets(["link", "A"])
    ['A', 'link']
    >>> check_sets(["C"])
    Traceback (most recent call last):
    webstrata.errors.UsageError: sets: C is not a feature set; known are ...
    """
    for name in names:
        if name not in SETS:
            raise UsageError(unknown_name("sets", name, "feature set", SETS))
    return [name for name in SETS if name in names]


def _load(place: str) -> Any:  # noqa: ANN401 (whatever stands there)
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)
