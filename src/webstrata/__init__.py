"""Crawl, archive, compress and analyse part of the web over time.

The public names, each loaded when it is first asked for::

    import webstrata as ws

    uk = ws.open("uk")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from webstrata.collection import tables

if TYPE_CHECKING:
    from webstrata import errors as errors
    from webstrata import invitro as invitro
    from webstrata import rank as rank
    from webstrata import testing as testing
    from webstrata._core import __version__ as __version__
    from webstrata.api import Collection as Collection
    from webstrata.api import Snapshot as Snapshot
    from webstrata.api import content_evaluate as content_evaluate
    from webstrata.api import content_extract as content_extract
    from webstrata.api import create as create
    from webstrata.api import graph_check as graph_check
    from webstrata.api import graph_convert as graph_convert
    from webstrata.api import open as open
    from webstrata.crawl.run import Crawl as Crawl
    from webstrata.crawl.settings import CrawlSettings as CrawlSettings
    from webstrata.graph.view import Graph as Graph
    from webstrata.simulate.policies import Policy as Policy
    from webstrata.simulate.run import Simulation as Simulation
    from webstrata.simulate.settings import SimulateSettings as SimulateSettings

_HOMES = {
    "Collection": "webstrata.api",
    "Crawl": "webstrata.crawl.run",
    "CrawlSettings": "webstrata.crawl.settings",
    "Graph": "webstrata.graph.view",
    "Policy": "webstrata.simulate.policies",
    "SimulateSettings": "webstrata.simulate.settings",
    "Simulation": "webstrata.simulate.run",
    "Snapshot": "webstrata.api",
    "__version__": "webstrata._core",
    "content_evaluate": "webstrata.api",
    "content_extract": "webstrata.api",
    "create": "webstrata.api",
    "errors": "webstrata.errors",
    "graph_check": "webstrata.api",
    "graph_convert": "webstrata.api",
    "invitro": "webstrata.invitro",
    "open": "webstrata.api",
    "rank": "webstrata.rank",
    "testing": "webstrata.testing",
}

__all__ = [
    "Collection",
    "Crawl",
    "CrawlSettings",
    "Graph",
    "Policy",
    "SimulateSettings",
    "Simulation",
    "Snapshot",
    "__version__",
    "content_evaluate",
    "content_extract",
    "create",
    "errors",
    "graph_check",
    "graph_convert",
    "invitro",
    "open",
    "rank",
    "testing",
]


def _draw(result: object, title: str = "") -> list[object]:
    from webstrata.serve.figures.results import draw_result

    return [*draw_result(result, title)]


tables.draw = _draw  # results of all rooms have `figures()`, which `serve` makes


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
