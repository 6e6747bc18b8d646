"""A list followed through months."""

from __future__ import annotations

import numpy as np
import pytest

from webstrata.errors import MissingError
from webstrata.rank import Ranking, Trajectories

NAMES = list("abcdef")


def ranked(order: str) -> Ranking:
    """A ranking of the names in this order."""
    scores = np.array([-float(order.index(name)) for name in NAMES])
    return Ranking("pagerank", scores, names=NAMES)


def test_members_keep_their_names_while_their_ranks_move() -> None:
    followed = Trajectories(["f", "c", "a", "twin of a"], {"a": "art", "f": "art"}, number=3)
    nodes = {name: node for node, name in enumerate(NAMES)} | {"twin of a": 0}
    followed.add("2026-01", [ranked("abcdef")], nodes.get)
    followed.add("2026-02", [ranked("fedcba")], {name: nodes[name] for name in "abdef"}.get)
    assert followed.labels == ["2026-01", "2026-02"]
    assert followed.trajectory("a", "pagerank") == [1, 6]
    assert followed.trajectory("a", "pagerank", local=True) == [1, 2]
    assert followed.trajectory("c", "pagerank") == [3, None]
    assert followed.shares("pagerank", 2) == [{"art": 0.5, "other": 0.5}, {"art": 1.0}]
    assert followed.overlaps(["a", "f"], "pagerank", 1) == [1, 0]
    [agreement] = followed.agreements("pagerank")
    assert (agreement.common, agreement.jaccard, agreement.kendall_tau) == (0, 0.0, 0.0)
    document = followed.to_dict(["pagerank"])
    assert document["trajectories"]["f"] == {"pagerank": [6, 1]}
    assert [len(moment["members"]) for moment in document["snapshots"]] == [3, 2]


def test_names_that_no_month_has_are_refused() -> None:
    followed = Trajectories(["a", "nobody"])
    followed.add("2026-01", [ranked("abcdef")], {"a": 0}.get)
    with pytest.raises(MissingError, match=r"list: 1 of 2 names is not there \(nobody\)"):
        followed.refuse_unknown(where="list")
    assert followed.refuse_unknown(where="list", skip=True) == ["nobody"]
