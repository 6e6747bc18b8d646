"""In which order a simulated crawl fetches pages: policies of the core, and those that a user writes.

A policy gives every page that was found and not yet fetched a priority; the largest comes first, of equal
ones the page found first. s(v) is the score of a page, seen once it is fetched; seeds begin with the best.

=================  =======================================================================================
``breadth-first``  the order in which pages were found
``depth-first``    links of the page fetched last first; a page found again moves up
``random``         any page alike, at each step
``best-first``     max s(v) over the fetched v → w
``shark``          max (1 − γ) i(v) + γ n(v, w) over the fetched v → w: inherited is i(v) = δ s(v) or, where
                   that is 0, δ times what v inherited itself; n is what the text of the link and its
                   surroundings say (`anchors`), and without these γ is 0 (Hersovici et al. 1998)
``pagerank``       PageRank of what is known so far, found again whenever half as much again was fetched
                   (Cho, García-Molina, Page 1998); with ``knowing``, that of the earlier snapshot
``opic``           cash: a page passes what it has on to its links in equal shares (Abiteboul et al. 2003)
``in-degree``      how many fetched pages lead to it
``learned``        the score as a linear model foretells it, which learns from each page that is fetched:
                   best and mean score of the pages that lead to it, mean of its host, number of links, and
                   with ``knowing`` what is known from the past
``past``           what is known from the earlier snapshot alone
``oracle``         knows what no crawler does: relevant pages first, then those with the fewest links to one
=================  =======================================================================================

All of them run in the core (`rust/src/simulate/run`). A user's policy is a class with one method::

    class FewLinks(Policy):
        def prioritize(self, page):
            return [1 / len(page.links)] * len(page.links)
"""

from __future__ import annotations

import importlib.util
import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from webstrata.collection.settings import unknown_name
from webstrata.errors import MissingError, SettingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from webstrata.graph.view import Graph
    from webstrata.simulate.web import StoredWeb

    Numbers = npt.NDArray[np.float64]

POLICIES = (
    "best-first",
    "breadth-first",
    "depth-first",
    "in-degree",
    "learned",
    "opic",
    "oracle",
    "pagerank",
    "past",
    "random",
    "shark",
)
_ALPHA = 0.85
_STEPS = 20
_LEAST = 1e-3


@dataclass(frozen=True)
class SimulatedPage:
    """A page that a simulated crawl has just fetched, as a policy sees it."""

    node: int
    """Its number in the snapshot: ``web.urls[node]`` is its URL."""
    links: npt.NDArray[np.uint32]
    """The nodes that it links to, fetched ones too."""
    score: float
    """Its relevance, from 0 to 1, as ``relevant`` of the settings defines it."""
    priority: float
    """By which it was chosen."""
    time: float
    """Simulated seconds, or the number of the page where there is no clock."""


class Policy(ABC):
    """A crawl policy in Python: subclass it, and return a priority for each link of a page.

    `begin` gets the stored web once per run: ``web.num_nodes``, ``web.urls`` (URL of each node) and
    ``web.snapshot`` with its parts. `prioritize` gets a `SimulatedPage` for every page that is fetched:

    =============  ==============================================================================
    ``node``       number of the page
    ``links``      nodes that it links to, in order, fetched ones too
    ``score``      relevance of the page, from 0 to 1
    ``priority``   the priority by which it was chosen
    ``time``       simulated seconds, or the number of the page if there is no clock
    =============  ==============================================================================

    The page with the highest priority is fetched next; of equal ones, the one found first.

    Examples
    --------
    >>> class FewLinks(Policy):
    ...     def prioritize(self, page):
    ...         return [1 / len(page.links)] * len(page.links)
    >>> FewLinks().prioritize(SimulatedPage(0, np.array([1, 2], np.uint32), 1.0, 0.0, 1.0))
    [0.5, 0.5]
    """

    def begin(self, web: StoredWeb, random: np.random.Generator) -> None:  # noqa: B027 (there may be nothing)
        """Prepare for a run; whatever is drawn is drawn with `random`."""

    @abstractmethod
    def prioritize(self, page: SimulatedPage) -> Sequence[float] | npt.NDArray[np.floating]:
        """A priority for each link of a page; that of a link known before is replaced."""


def find_policy(name: str) -> str | type[Policy]:
    """The name of a policy of the core, or the class that ``FILE.py:CLASS`` names.

    Examples
    --------
    >>> find_policy("shark")
    'shark'
    >>> find_policy("best")
    Traceback (most recent call last):
    webstrata.errors.SettingError: policy: best is no policy; known are best-first, ...
    """
    if name in POLICIES:
        return name
    file, colon, cls = name.rpartition(":")
    if not colon:
        raise SettingError(
            unknown_name("policy", name, "policy", dict.fromkeys(POLICIES)) + ", or write FILE.py:CLASS"
        )
    path = Path(file)
    if not path.is_file():
        raise MissingError(
            f"{file}: this file is not there; name one with a class of a policy, as FILE.py:CLASS"
        )
    spec = importlib.util.spec_from_file_location(f"policy_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{file}: this is no file of Python; name one that ends with .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{file}: it cannot be read, {describe(error)}; mend it") from error
    found = getattr(module, cls, None)
    if not (inspect.isclass(found) and issubclass(found, Policy)) or inspect.isabstract(found):
        raise UsageError(
            f"{file}: it has no class {cls} that is a webstrata.Policy with `prioritize`; name another one"
        )
    return found


def ask(policy: Policy, page: SimulatedPage, url: str) -> Numbers:
    """The priorities that a policy gives the links of a page, checked.

    Examples
    --------
    >>> class ShortFirst(Policy):
    ...     def prioritize(self, page):
    ...         return [1.0 / len(page.links)] * len(page.links)
    >>> page = SimulatedPage(0, np.array([1, 2], np.uint32), 1.0, 0.0, 1.0)
    >>> ask(ShortFirst(), page, "http://a.org/")
    array([0.5, 0.5])
    >>> class Bad(Policy):
    ...     def prioritize(self, page):
    ...         return [float("nan")] * len(page.links)
    >>> ask(Bad(), page, "http://a.org/")
    Traceback (most recent call last):
    webstrata.errors.UsageError: policy Bad, at http://a.org/: it gave nan as a priority; numbers are needed
    """
    where = f"policy {type(policy).__name__}, at {url}"
    try:
        keys = np.ascontiguousarray(policy.prioritize(page), np.float64)
    except Exception as error:
        raise UsageError(f"{where}: it raised {describe(error)}; mend its `prioritize`") from error
    if keys.shape != page.links.shape:
        raise UsageError(
            f"{where}: it gave priorities of shape {keys.shape} for {len(page.links)} links; "
            "one each is needed"
        )
    if np.isnan(keys).any():
        raise UsageError(f"{where}: it gave nan as a priority; numbers are needed")
    return keys


def describe(error: BaseException) -> str:
    """An exception on one line.

    Examples
    --------
    >>> describe(KeyError("x"))
    "KeyError: 'x'"
    """
    return " ".join(f"{type(error).__name__}: {error}".split())


def nearest_first(graph: Graph, relevant: npt.NDArray[np.bool_]) -> Numbers:
    """Minus the number of links from each page to the nearest relevant one, least where none is reached.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> nearest_first(Graph.from_arcs([(0, 1), (1, 2)], num_nodes=4), np.array([0, 0, 1, 0], bool)).tolist()
    [-2.0, -1.0, 0.0, -3.0]
    """
    transpose = graph.transpose()
    distances = np.where(relevant, 0, -1)
    level, distance = np.flatnonzero(relevant).astype(np.uint32), 0
    while len(level):
        distance += 1
        found = np.unique(transpose.batch_successors(level)[1])
        level = found[distances[found] < 0]
        distances[level] = distance
    distances[distances < 0] = distances.max(initial=0) + 1
    return 0.0 - distances


def known_pagerank(graph: Graph, fetched: npt.NDArray[np.uint32]) -> Numbers:
    """PageRank in what a crawler knows that has fetched these pages: they, their links, and where these lead.

    Pages that are not known have 0. Steps end with a change of a thousandth; who crawls needs an order.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> graph = Graph.from_arcs([(0, 1), (0, 2), (1, 2), (2, 3)])
    >>> np.argsort(-known_pagerank(graph, np.array([0, 1], np.uint32)), kind="stable").tolist()
    [2, 1, 0, 3]
    """
    offsets, targets = graph.batch_successors(fetched)
    degrees = np.diff(offsets).astype(np.float64)
    shares = np.repeat(1 / np.maximum(degrees, 1), degrees.astype(np.int64))
    shape = (len(fetched), graph.num_nodes)
    passed = sp.csr_matrix((shares, targets, offsets.astype(np.int64)), shape=shape).T.tocsr()
    known = np.zeros(graph.num_nodes, bool)
    known[fetched] = known[targets] = True
    passes = np.zeros(graph.num_nodes, bool)
    passes[fetched[degrees > 0]] = True
    jump = known / max(int(known.sum()), 1)
    scores = jump.astype(np.float64)
    for _ in range(_STEPS):
        lost = scores[known & ~passes].sum()
        new = _ALPHA * (passed @ scores[fetched]) + (_ALPHA * lost + 1 - _ALPHA) * jump
        change = np.abs(new - scores).sum()
        scores = new
        if change < _LEAST:
            break
    return scores
