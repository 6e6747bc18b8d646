"""Term counts of DC2010."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from tests.classify.published.files import HOSTS, write_dc2010
from webstrata.classify.published.term_files import read_terms, weigh_hosts
from webstrata.classify.settings import ClassifySettings
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def test_weights_are_bm25_of_the_counts(tmp_path: Path) -> None:
    folder = write_dc2010(tmp_path)
    terms = read_terms(folder / "top_terms.stopped.en.txt")
    assert terms == ["hotel", "pill", "rose"]
    hosts, names, matrix = weigh_hosts(folder / "v2-host_tfdf.en.txt", terms, ClassifySettings())
    assert hosts == list(range(HOSTS))
    assert names == ["hotel", "pill"]  # two thirds of the hosts have roses
    lengths = [n + 1 + (n % 4 == 0) for n in range(HOSTS)]
    norm = 1.2 * (0.25 + 0.75 * lengths[4] / (sum(lengths) / HOSTS))
    assert matrix[4, 0] == pytest.approx(math.log((60 - 15 + 0.5) / (15 + 0.5)) * 2.2 * 1 / (norm + 1))


def test_counts_that_are_cut_off_or_of_another_list_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "v2-host_tfdf.en.txt"
    path.write_text("0 1 2 3\n1 1 2\n")
    with pytest.raises(FormatError, match="line 2: expected a host id and triples"):
        weigh_hosts(path, ["a", "b"], ClassifySettings())
    path.write_text("0 7 2 3\n")
    with pytest.raises(FormatError, match="there is no term 7"):
        weigh_hosts(path, ["a", "b"], ClassifySettings())
    path.write_text("")
    with pytest.raises(FormatError, match="no host in it"):
        weigh_hosts(path, ["a", "b"], ClassifySettings())
