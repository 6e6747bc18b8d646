"""A collection with everything that pages show, as they hold it and over real HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.once import make_once
from tests.serve.page.served import fill
from webstrata.serve.page.site import Site
from webstrata.serve.running import PageServer
from webstrata.serve.settings import ServeSettings

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def ready(tmp_path_factory: pytest.TempPathFactory) -> ws.Collection:
    """The ready collection; nobody may change it."""
    return ws.open(make_once(tmp_path_factory, "pages", fill) / "uk")


@pytest.fixture
def site(ready: ws.Collection) -> Site:
    return Site(ready, "uk", replay="http://127.0.0.1:8081")


@pytest.fixture(scope="module")
def url(ready: ws.Collection) -> Iterator[str]:
    with PageServer([ready], ServeSettings(port=0)) as server:
        yield server.url
