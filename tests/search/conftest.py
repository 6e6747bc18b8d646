"""One small collection with an index, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.search.small import make_small
from webstrata.search.build import build_index

if TYPE_CHECKING:
    import webstrata as ws
    from webstrata.search.index import TextIndex


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    """The months of `small`, indexed; nobody writes to it."""
    collection = make_small(tmp_path_factory.mktemp("search") / "uk")
    build_index(collection, workers=1)
    return collection


@pytest.fixture(scope="session")
def index(indexed: ws.Collection) -> TextIndex:
    """Its index, opened once."""
    return indexed.text_index
