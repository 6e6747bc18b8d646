"""One thread of BLAS for a while."""

from __future__ import annotations

import pytest

from webstrata.rank.spectra import blas


def test_the_number_of_threads_is_what_it_was_before_also_after_a_failure() -> None:
    library = blas._find()
    if library is None:
        pytest.skip("this NumPy has another BLAS")
    get, _ = library
    before = get()
    try:
        with blas.one_thread():
            assert get() == 1
            raise KeyError
    except KeyError:
        pass
    assert get() == before
