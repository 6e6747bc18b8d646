"""Lists of names, their local ranks and squares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from webstrata.errors import FormatError, MissingError
from webstrata.rank import Ranking, read_list
from webstrata.rank.lists import (
    category_shares,
    find_nodes,
    local_square,
    overlap,
    rank_members,
    read_weights,
)

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_that_is_no_list_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    with pytest.raises(MissingError, match=r"list\.txt"):
        read_list(path)
    for content, said in ((b"", "no name"), (b"# only a remark\n\n", "no name"), (b"\xff\xfe", "not UTF-8")):
        path.write_bytes(content)
        with pytest.raises(FormatError, match=said):
            read_list(path)
    for weight in ("nan", "-1", "inf", "much"):
        path.write_text(f"http://a.org/\t{weight}\n")
        with pytest.raises(FormatError, match="weight"):
            read_weights(path)
    path.write_text("http://a.org/\t0\n")
    with pytest.raises(FormatError, match="all weights are 0"):
        read_weights(path)
    path.write_bytes(b"\xef\xbb\xbfhttp://a.org/\t2\r\n")
    assert read_weights(path) == {"http://a.org/": 2.0}


def test_unknown_names_are_counted_and_named() -> None:
    names = [f"n{number}" for number in range(9)]
    with pytest.raises(MissingError, match=r"7 of 9 names are not there \(n2, n3, n4, n5, n6, …\)"):
        find_nodes(names, {"n0": 0, "n1": 1}.get, where="list.txt")
    assert find_nodes(names, {"n0": 0}.get, where="list.txt", skip=True) == {"n0": 0}
    with pytest.raises(MissingError, match="9 of 9"):
        find_nodes(names, dict[str, int]().get, where="list.txt", skip=True)


def test_local_ranks_are_the_order_of_the_global_ones() -> None:
    rng = np.random.default_rng(3)
    one, other = Ranking("pagerank", rng.random(50)), Ranking("cheirank", rng.random(50))
    nodes = {f"n{node}": node for node in range(0, 50, 5)}
    categories = {"n0": "art", "n5": "art", "n10": "science"}
    members = rank_members(nodes, [one, other], categories)
    for method, ranking in (("pagerank", one), ("cheirank", other)):
        order = sorted(members, key=lambda member: member.local[method])
        assert [member.local[method] for member in order] == list(range(1, 11))
        assert [member.ranks[method] for member in order] == sorted(
            int(ranking.ranks[n]) for n in nodes.values()
        )
    assert [member.local["pagerank"] for member in members] == list(range(1, 11))
    square = local_square(members, 4)
    assert {member.name for member in square} == {
        member.name for member in members if member.local["pagerank"] < 5 and member.local["cheirank"] < 5
    }
    assert category_shares(members, "cheirank", 10) == {"other": 0.7, "art": 0.2, "science": 0.1}
    assert overlap(["a", "b", "c"], ["b", "c", "d"], 2) == 1
