"""NumPy files with headers that lie."""

from __future__ import annotations

import io
import tracemalloc
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from webstrata.collection.arrays import load_array, parse_array
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path


def content(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize(
    "array",
    [
        np.zeros((0, 3)),
        np.arange(6, dtype=np.uint32).reshape(2, 3),
        np.asfortranarray(np.eye(3)),
        np.array(7),
    ],
)
def test_arrays_are_read_as_numpy_writes_them(tmp_path: Path, array: np.ndarray, *, mapped: bool) -> None:
    np.save(tmp_path / "a.npy", array)
    found = load_array(tmp_path / "a.npy", mapped=mapped)
    assert np.array_equal(found, array)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)


@pytest.mark.parametrize(
    "shape", ["(99999999999999,)", "(10**9,)", "(-1,)", "(2**70,)", "(3, 3)", "'x'", "(True,)"]
)
def test_a_header_with_another_shape_is_one_sentence_and_allocates_nothing(
    tmp_path: Path, shape: str
) -> None:
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    path = tmp_path / "a.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + head.encode() + bytes(80))
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"a\.npy: this is not an array of numbers in NumPy's format"):
        load_array(path)
    with pytest.raises(FormatError):
        load_array(path, mapped=True)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_objects_are_never_loaded(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(FormatError, match="holds object, and numbers were expected"):
        load_array(tmp_path / "a.npy")


@given(st.data())
def test_any_damage_is_an_array_or_a_value_error(data: st.DataObject) -> None:
    whole = bytearray(content(np.arange(5)))
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    whole = whole[: data.draw(st.integers(0, len(whole)))]
    said = "an array"
    try:
        parse_array(bytes(whole))
    except ValueError as error:
        said = str(error)
    assert said
    assert "\n" not in said
