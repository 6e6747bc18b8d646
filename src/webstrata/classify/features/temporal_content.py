"""How what a site says changes over snapshots (SPAM, 3.2): five numbers a term.

With t_T the BM25 weight of a term in the virtual document of a site at time T = 1 … T_max (`term_vectors`):

===========  ======================================================================
``ave``      Σ t_T / T_max
``avediff``  Σ |t_{T+1} − t_T| / (T_max − 1)
``dev``      Σ (t_T − Ave)² / (T_max − 1)
``devdiff``  Σ (|t_{T+1} − t_T| − AveDiff)² / (T_max − 2)
``decay``    Σ λ e^{−λ (T_max − T)} t_T
===========  ======================================================================

Columns are named ``ave:TERM`` and so on. The paper prints λ e^{+λ (T_max − T)}, which would weigh the oldest
most; ours weighs it least. Of two snapshots there is no ``devdiff``, whose denominator is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array, hstack

from webstrata.classify.features.past_snapshots import choose_earlier
from webstrata.classify.features.sparse_table import to_table
from webstrata.classify.features.term_vectors import WORDS, measure, open_documents, tell_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt
    import pyarrow as pa

    from webstrata.classify.settings import ClassifySettings
    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Progress

    Floats = npt.NDArray[np.float64]

GROUPS = ("ave", "avediff", "dev", "devdiff", "decay")
FORMULAS = {
    "ave:TERM": "Ave = Σ t_T / T_max, t_T the weight of the term in snapshot T as in bm25",
    "avediff:TERM": "AveDiff = Σ |t_{T+1} − t_T| / (T_max − 1)",
    "dev:TERM": "Σ (t_T − Ave)² / (T_max − 1)",
    "devdiff:TERM": "Σ (|t_{T+1} − t_T| − AveDiff)² / (T_max − 2); not there for two snapshots",
    "decay:TERM": "Σ λ e^{−λ (T_max − T)} t_T, λ the setting `decay`",
}
"""What each column is, TERM standing for every term."""
DECAY = 0.5
_CELLS = 1 << 20
"""Weights of a snapshot that are unpacked at a time, 8 MiB: what fits into caches is twice as fast."""


def name_groups(num_snapshots: int) -> tuple[str, ...]:
    """The groups that so many snapshots give.

    Examples
    --------
    >>> name_groups(2)
    ('ave', 'avediff', 'dev', 'decay')
    """
    if num_snapshots < 2:
        raise ValueError(f"num_snapshots: expected 2 at least, got {num_snapshots}")
    return GROUPS if num_snapshots > 2 else tuple(name for name in GROUPS if name != "devdiff")


def iter_weights(vectors: Sequence[csr_array], *, decay: float = DECAY) -> Iterator[csr_array]:
    """The groups beside each other, in blocks of sites: as many columns a group as there are terms.

    Parameters
    ----------
    vectors
        Of each snapshot, the oldest first: a row a site, a column a term.
    decay
        λ.

    Examples
    --------
    >>> june, july = csr_array([[1.0, 0.0]]), csr_array([[3.0, 0.0]])
    >>> [block.toarray().round(3).tolist() for block in iter_weights([june, july], decay=1.0)]
    [[[2.0, 0.0, 2.0, 0.0, 2.0, 0.0, 3.368, 0.0]]]
    """
    names = name_groups(len(vectors))
    num_sites, num_terms = vectors[0].shape
    step = max(_CELLS // max(num_terms, 1), 1)
    for start in range(0, num_sites, step):
        dense = np.stack([some[start : start + step].toarray() for some in vectors])
        groups = motion(dense, decay=decay)
        yield csr_array(hstack([csr_array(groups[name]) for name in names], format="csr"))


def motion(values: Floats, *, decay: float = DECAY) -> dict[str, Floats]:
    """The groups of values through time: the first axis is time, the oldest first.

    Examples
    --------
    >>> {name: round(float(value), 3) for name, value in motion(np.array([0.0, 2.0, 1.0])).items()}
    {'ave': 1.0, 'avediff': 1.5, 'dev': 1.0, 'decay': 1.107, 'devdiff': 0.5}
    """
    number = len(values)
    ave = values.mean(axis=0)
    steps = np.abs(np.diff(values, axis=0))
    avediff = steps.mean(axis=0)
    weights = decay * np.exp(-decay * np.arange(number - 1, -1, -1.0))
    found = {
        "ave": ave,
        "avediff": avediff,
        "dev": ((values - ave) ** 2).sum(axis=0) / (number - 1),
        "decay": np.tensordot(weights, values, axes=1),
    }
    if number > 2:
        found["devdiff"] = ((steps - avediff) ** 2).sum(axis=0) / (number - 2)
    return found


def build_temporal_content(snapshot: Snapshot, settings: ClassifySettings, progress: Progress) -> pa.Table:
    """The set `temporal-content` of a snapshot: a row a site of it, a sparse vector of groups of terms.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.settings import ClassifySettings
    >>> from webstrata.collection.progress import Progress
    >>> table = build_temporal_content(testing.collection()["2026-06"], ClassifySettings(), Progress())
    >>> table.column_names, len(table)
    (['host', 'columns', 'values'], 5)
    """
    snapshots = [*choose_earlier(snapshot, settings.earlier, ("summaries", "urls")), snapshot]
    web = open_documents(snapshots, settings, progress)
    weights = [
        measure(some, num_documents=len(web.sites), k1=settings.k1, b=settings.b) for some in web.documents
    ]
    vectors = [
        one.weigh(some.counts, some.lengths)[: web.num_sites]
        for one, some in zip(weights, web.documents, strict=True)
    ]
    blocks = iter_weights(vectors, decay=settings.decay)
    names = [f"{group}:{term}" for group in name_groups(len(snapshots)) for term in web.terms]
    facts = {
        "snapshots": [some.date for some in snapshots],
        "weights": [one.to_facts() for one in weights],
        "decay": settings.decay,
        WORDS: tell_words(snapshot),
    }
    return to_table(web.sites[: web.num_sites], names, blocks, facts=facts)
