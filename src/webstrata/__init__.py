"""Gather, compress, date and study a piece of the web.

The public names, each loaded when it is first asked for::

    import webstrata as ws

    uk = ws.open("uk")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webstrata import errors as errors
    from webstrata import rank as rank
    from webstrata._core import __version__ as __version__
    from webstrata.api import Collection as Collection
    from webstrata.api import Snapshot as Snapshot
    from webstrata.api import create as create
    from webstrata.api import open as open
    from webstrata.crawl.run import Crawl as Crawl
    from webstrata.crawl.settings import CrawlSettings as CrawlSettings
    from webstrata.graph.view import Graph as Graph
    from webstrata.simulate import invitro as invitro

_HOMES = {
    "Collection": "webstrata.api",
    "Crawl": "webstrata.crawl.run",
    "CrawlSettings": "webstrata.crawl.settings",
    "Graph": "webstrata.graph.view",
    "Snapshot": "webstrata.api",
    "__version__": "webstrata._core",
    "create": "webstrata.api",
    "errors": "webstrata.errors",
    "invitro": "webstrata.simulate.invitro",
    "open": "webstrata.api",
    "rank": "webstrata.rank",
}

__all__ = [
    "Collection",
    "Crawl",
    "CrawlSettings",
    "Graph",
    "Snapshot",
    "__version__",
    "create",
    "errors",
    "invitro",
    "open",
    "rank",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'webstrata' has no attribute {name!r}")
    module = importlib.import_module(home)
    value: object = module if home.rpartition(".")[2] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
