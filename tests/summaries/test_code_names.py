"""Codes have one name here and one in the crate that has them."""

from __future__ import annotations

import pytest

from webstrata.summaries.code_names import from_core, is_code, to_core


@pytest.mark.parametrize(
    "name", ["unary", "gamma", "delta", "zeta3", "pi2", "golomb3", "exp-golomb0", "rice10"]
)
def test_a_name_goes_there_and_back(name: str) -> None:
    assert is_code(name)
    assert from_core(to_core(name)) == name


@pytest.mark.parametrize("name", ["", "zeta", "zeta0", "zeta11", "gamma1", "Zeta3", "huffman"])
def test_what_is_no_code_is_refused(name: str) -> None:
    assert not is_code(name)
