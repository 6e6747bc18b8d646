"""The terms that the words of a query become: cut and stemmed as those of the pages were."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from webstrata._core.summaries import Counter
from webstrata.summaries.build import find_stemmer
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from webstrata.summaries.archive import Archive


def find_terms(archive: Archive, query: str) -> list[int]:
    """The numbers of the terms that the words of a query become, as words of the pages did.

    Examples
    --------
    >>> from webstrata import testing
    >>> archive = testing.snapshot().summaries
    >>> [archive.terms[term] for term in find_terms(archive, "Tropical fishes")]
    ['fish', 'tropic']
    """
    if not archive.terms.have_texts:
        return []
    text = query.encode()
    told = archive.facts.get("stemmer")
    found: set[int] = set()
    # an archive of somebody else's does not say how its words were stemmed
    for stemmer in [told] if told else ["none", "porter"]:
        counter = Counter(load_core(), find_stemmer(stemmer), [])
        counter.add(np.array([0, len(text)], np.int64), np.frombuffer(text, np.uint8))
        (ends, letters, _, _), _ = counter.finish()
        words = [bytes(letters[begin:end]).decode() for begin, end in pairwise(ends.tolist())]
        found |= {number for word in words if (number := archive.terms.find(word)) is not None}
    return sorted(found)
