"""One small collection with an index, and one in which something happens, made once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.search.change.events import make_events
from tests.search.small import MONTHS, make_small
from tests.temporal.months import add_month
from webstrata.search.build import build_text_index
from webstrata.search.distributed.partitions import build_partition
from webstrata.web.row_key import row_key

if TYPE_CHECKING:
    import webstrata as ws
    from webstrata.search.index import TextIndex


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    """The months of `small`, indexed; nobody writes to it."""
    collection = make_small(tmp_path_factory.mktemp("search") / "uk")
    build_text_index(collection, workers=1)
    return collection


@pytest.fixture(scope="session")
def index(indexed: ws.Collection) -> TextIndex:
    """Its index, opened once."""
    return indexed.text_index


@pytest.fixture(scope="session")
def divided(tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    """The same months, with partitions by documents and by terms in three parts; nobody writes to it."""
    collection = make_small(tmp_path_factory.mktemp("divided") / "uk")
    build_text_index(collection, workers=1)
    for kind in ("documents", "terms"):
        build_partition(collection, kind, 3, workers=1)
    return collection


@pytest.fixture(scope="module")
def tiered(tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    """One month whose pages are ranked, in two tiers."""
    collection = make_small(tmp_path_factory.mktemp("tiered") / "uk", {"2026-05": MONTHS["2026-05"]})
    keys = sorted(map(row_key, MONTHS["2026-05"]), key=str.encode)
    add_month(collection, "2026-05", keys, [(0, 3), (1, 3), (2, 3)]).rank()
    build_text_index(collection, workers=1)
    build_partition(collection, "tiers", 2, workers=1)
    return collection


@pytest.fixture(scope="session")
def uk(tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    """Three months with two events; nobody writes to it but what a search keeps."""
    return make_events(tmp_path_factory.mktemp("events") / "uk")
