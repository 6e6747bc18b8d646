"""A WACZ that is computed has the bytes of one that is written, range by range."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from webstrata import testing
from webstrata.archive.packages.check import verify_wacz
from webstrata.store.wacz_view import WaczView

if TYPE_CHECKING:
    from pathlib import Path


def test_ranges_put_together_are_a_valid_wacz(tmp_path: Path) -> None:
    path = tmp_path / "june.wacz"
    with WaczView(testing.snapshot()) as view:
        pieces = [
            b"".join(view.read(start, min(start + 777, view.size))) for start in range(0, view.size, 777)
        ]
        assert all(len(piece) == 777 for piece in pieces[:-1])
        path.write_bytes(b"".join(pieces))
        assert path.stat().st_size == view.size
        assert b"".join(view.read(view.size, view.size + 5)) == b""
    assert verify_wacz(path) == []
    assert zipfile.ZipFile(io.BytesIO(path.read_bytes())).testzip() is None
