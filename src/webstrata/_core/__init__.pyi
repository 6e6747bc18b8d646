from webstrata._core import collection as collection
from webstrata._core import graph as graph
from webstrata._core import simulate as simulate

__all__ = ["__version__", "collection", "graph", "simulate"]

__version__: str
