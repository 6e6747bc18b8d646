"""Term counts of DC2010, and BM25 weights from them.

=============================  =============================================================================
``top_terms.stopped.en.txt``   one line per term, its number is the line: ``term tf df``
``v2-host_tfdf.en.txt``        one line per host: ``hostid``, then ``term tf df`` three by three, the number
                               of the term, its occurrences on the host, and how many of its pages have it
=============================  =============================================================================

Described on the page "EU-2010 … term frequencies" of the data set (dms.sztaki.hu/node/350). Weights and
vocabulary are those of `webstrata.classify.features.term_vectors`; the length of a document is the number of
its listed terms, since no other is published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from webstrata.classify.features.term_vectors import Documents, choose_terms, measure
from webstrata.errors import FormatError
from webstrata.graph.interchange.text import LineReader

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.classify.settings import ClassifySettings


def read_terms(path: Path) -> list[str]:
    r"""The terms by their numbers.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "top_terms.stopped.en.txt"
    >>> _ = path.write_text("hotel 900 12\nparis 40 3\n")
    >>> read_terms(path)
    ['hotel', 'paris']
    """
    reader, found = LineReader(path), []
    while (line := reader.readline()) is not None:
        words = line.decode("utf-8", "replace").split()
        found.append(words[0] if words else "")
    return found


def weigh_hosts(
    path: Path, terms: list[str], settings: ClassifySettings
) -> tuple[list[int], list[str], csr_array]:
    r"""The numbers of hosts, the terms of the vocabulary, and BM25 weights.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.classify.settings import ClassifySettings
    >>> path = testing.scratch() / "v2-host_tfdf.en.txt"
    >>> _ = path.write_text("7 0 3 1\n9 1 2 2\n12\n30\n")
    >>> hosts, names, matrix = weigh_hosts(path, ["hotel", "paris"], ClassifySettings())
    >>> hosts, names, matrix.toarray().round(2).tolist()[:2]
    ([7, 9, 12, 30], ['hotel', 'paris'], [[1.02, 0.0], [0.0, 1.0]])
    """
    reader = LineReader(path)
    hosts: list[int] = []
    starts, numbers, counts = [0], [], []
    while (line := reader.readline()) is not None:
        words = line.split()
        if not words:
            continue
        if len(words) % 3 != 1 or not all(word.isdigit() for word in words):
            raise FormatError(
                f"{path}, line {reader.line - 1}: expected a host id and triples term, tf, df; the file is "
                "cut off or damaged"
            )
        hosts.append(int(words[0]))
        rows = np.array(words[1:], np.int64).reshape(-1, 3)
        if len(rows) and rows[:, 0].max() >= len(terms):
            raise FormatError(
                f"{path}, line {reader.line - 1}: there is no term {int(rows[:, 0].max())}; the list "
                f"of terms has {len(terms)}"
            )
        numbers.append(rows[:, 0])
        counts.append(rows[:, 1])
        starts.append(starts[-1] + len(rows))
    if not hosts:
        raise FormatError(f"{path}: there is no host in it")
    matrix = csr_array(
        (np.concatenate(counts), np.concatenate(numbers), starts), shape=(len(hosts), len(terms))
    )
    matrix.sum_duplicates()
    lengths = np.asarray(matrix.sum(axis=1), np.float64).ravel()
    documents = Documents(matrix, lengths, np.ones(len(hosts), np.bool_))
    chosen = choose_terms(
        [documents], number=settings.max_terms, least=settings.least_share, most=settings.most_share
    )
    some = documents.select(chosen)
    weights = measure(some, k1=settings.k1, b=settings.b)
    return hosts, [terms[place] for place in chosen], weights.weigh(some.counts, some.lengths)
