from webstrata._core import archive as archive
from webstrata._core import classify as classify
from webstrata._core import collection as collection
from webstrata._core import crawl as crawl
from webstrata._core import graph as graph
from webstrata._core import invitro as invitro
from webstrata._core import rank as rank
from webstrata._core import search as search
from webstrata._core import simulate as simulate
from webstrata._core import store as store
from webstrata._core import summaries as summaries
from webstrata._core import temporal as temporal
from webstrata._core import web as web

__all__ = [
    "__version__",
    "archive",
    "classify",
    "collection",
    "crawl",
    "graph",
    "invitro",
    "rank",
    "search",
    "simulate",
    "store",
    "summaries",
    "temporal",
    "web",
]

__version__: str
