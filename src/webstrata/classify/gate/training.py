"""How a gate is learned: pages that a crawl has stored, hosts that somebody has labelled, and the trade-off.

Of each host the first k pages count, in the order in which they were fetched: what a gate would have seen.
Labelled hosts are scored by models that were learned without them (folds that cut no domain and no address),
and from those scores come the links model, the thresholds and the curve. The hosts without a label are scored
too: they are neighbours.

For the links model each host is met three times, in three random orders of arrival: a neighbour that comes
later in an order is not known yet. So it learns what little is known early in a crawl as well as late.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

import webstrata.classify.learning.extra  # noqa: F401  (says what to install before anything else fails)
from webstrata.archive.codings import read_payload
from webstrata.archive.warc import read_record
from webstrata.classify.gate.model import GateModel, GateNeighbours, bound_threshold, weigh
from webstrata.classify.gate.samples import SiteSample, host_name, measure_pages, measure_site
from webstrata.classify.learning.models.flat import FlatTrees
from webstrata.classify.learning.splits import group_hosts, split_folds
from webstrata.collection.progress import Progress
from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import FactsTable, Rows, Table
from webstrata.errors import FormatError, MissingError
from webstrata.store.pages import Pages
from webstrata.store.takedowns import find_takedowns
from webstrata.store.warc_files import WarcFiles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from webstrata.collection import Snapshot

    Numbers = npt.NDArray[np.float64]

LOSSES = (0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Shares of honest pages lost for which the trade-off is shown."""
ORDERS = 3
"""Random orders of arrival in which the links model meets each host."""
_TREES = {
    "objective": "binary",
    "num_leaves": 8,
    "learning_rate": 0.06,
    "min_data_in_leaf": 8,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 1.0,
    "verbose": -1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
}
_ROUNDS = 120


def learn_trees(rows: Numbers, truth: npt.NDArray[np.bool_], *, seed: int) -> FlatTrees:
    """Boosted trees that tell the rows that are true, in plain arrays.

    Examples
    --------
    >>> rows = np.arange(100.0).reshape(-1, 1)
    >>> scores = learn_trees(rows, rows[:, 0] > 50, seed=1).scores(rows)[:, 0]
    >>> bool(scores[0] < 0.5 < scores[-1])
    True
    """
    import lightgbm

    data = lightgbm.Dataset(rows, truth.astype(np.float32), params={"verbose": -1})
    return FlatTrees.of_booster(lightgbm.train(_TREES | {"seed": seed}, data, num_boost_round=_ROUNDS))


@dataclass(frozen=True)
class GatePoint:
    """A place on the trade-off: what is cut, and what is lost, if hosts from a score on are refused."""

    threshold: float
    spam_hosts: float
    """Share of the spam hosts that are refused."""
    spam_pages: float
    """Share of their pages that are not fetched: those behind the sampled ones."""
    honest_hosts: float
    honest_pages: float


@dataclass(frozen=True, repr=False)
class TrainedGate(FactsTable):
    """A gate's model, and what it is worth."""

    model: GateModel
    hosts: int
    spam: int
    auc: dict[str, float]
    """Of content and of links, for hosts that the models had not seen."""
    curves: dict[str, list[GatePoint]]
    bound: float

    shown = 0  # of all numbers

    @property
    def thresholds(self) -> dict[str, float]:
        """From which scores on hosts are refused; nothing where nobody is."""
        found = {"content": self.model.content_threshold, "links": self.model.links_threshold}
        return {name: value for name, value in found.items() if math.isfinite(value)}

    @property
    def summary(self) -> str:
        """How many hosts were labelled, and how well they are separated."""
        return (
            f"{self.spam:,} of {self.hosts:,} labelled hosts are to be refused; AUC on hosts not trained on: "
            f"{self.auc['content']:.3f} by {tell_count(self.model.pages, 'page')}, "
            f"{self.auc['links']:.3f} with their neighbours."
        )

    def tables(self) -> dict[str, Table]:
        """What is cut for each share of honest pages lost; all numbers for programs."""
        rows = []
        for loss in LOSSES:
            row: dict[str, Any] = {"honest lost": loss}
            for name in self.curves:
                point = at_most(self.curves[name], loss)
                row |= {f"pages cut by {name}": point.spam_pages, f"hosts cut by {name}": point.spam_hosts}
            rows.append(row)
        formats = {column: ".1%" for row in rows for column in row}
        note = (
            "Cut are pages of such hosts after the first ones, and the hosts; lost are honest hosts and "
            "their pages, each up to that share."
        )
        return {"Losses": Rows("losses", rows, formats=formats, note=note), "All numbers": self}

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without the model."""
        return {
            "hosts": self.hosts,
            "spam": self.spam,
            "auc": self.auc,
            "bound": self.bound,
            "pages": self.model.pages,
            "thresholds": {"content": None, "links": None} | self.thresholds,
            "curves": {name: [asdict(point) for point in points[1:]] for name, points in self.curves.items()},
        }


def sample_snapshot(
    snapshot: Snapshot, number: int, *, progress: Progress | None = None
) -> tuple[list[SiteSample], npt.NDArray[np.int64]]:
    """The first pages of each host of a snapshot, measured, and how many pages each host has in all.

    Pages that were taken down do not count.

    Examples
    --------
    >>> from webstrata import testing
    >>> sites, totals = sample_snapshot(testing.snapshot(), 3)
    >>> [(site.host, site.num_pages) for site in sites][-2:], totals.tolist()
    ([('pills.example', 3), ('reef.example', 3)], [3, 3, 2, 3, 4])
    """
    progress = progress or Progress()
    with snapshot.open_part("pages") as pages, WarcFiles(snapshot) as warc:
        table = Pages(pages.path).table(
            "url", "fetch_time", "warc_filename", "warc_record_offset", "warc_record_length"
        )
        takedowns = find_takedowns(snapshot.collection)
        if takedowns:
            table = table.filter(pa.array([not takedowns.hides(url) for url in table["url"].to_pylist()]))
        hosts = np.array([host_name(url) for url in table["url"].to_pylist()], object)
        names, of_row, totals = np.unique(hosts, return_inverse=True, return_counts=True)
        times = table["fetch_time"].cast(pa.timestamp("us", "UTC")).cast(pa.int64()).to_numpy()
        order = np.lexsort((times, of_row))
        place = np.arange(len(order)) - np.repeat(np.cumsum(totals) - totals, totals)
        chosen = order[place < number]
        sites = []
        with progress.task("looking at hosts", total=len(names), unit="hosts") as task:
            for rows in np.split(chosen, np.flatnonzero(np.diff(of_row[chosen])) + 1):
                pages_of = list(_read_rows(table.take(pa.array(rows)), warc))
                sites.append(measure_site(str(names[of_row[rows[0]]]), measure_pages(pages_of)))
                task.advance(1)
    return sites, totals


def _read_rows(table: pa.Table, files: WarcFiles) -> Iterator[tuple[str, bytes]]:
    for row in table.to_pylist():
        place = (files.find(row["warc_filename"]), row["warc_record_offset"], row["warc_record_length"])
        try:
            record = read_record(*place)
        except (FormatError, MissingError):
            continue  # a check of the collection reports it
        yield row["url"], read_payload(record)


def train_gate(
    sites: Sequence[SiteSample],
    totals: npt.NDArray[np.int64],
    labels: Mapping[str, bool],
    *,
    pages: int,
    bound: float,
    addresses: Mapping[str, str] | None = None,
    folds: int = 5,
    seed: int = 0,
) -> TrainedGate:
    """Learn a gate from hosts of which some are labelled.

    Parameters
    ----------
    sites, totals
        What `sample_snapshot` found.
    labels
        Whether a host, named without ``www.``, is spam.
    pages
        How many pages of a host the samples have, at most.
    bound
        Share of honest hosts and of honest pages that may be lost.
    addresses
        Addresses of hosts, where they are known: hosts that share one stay on one side of a fold.
    folds, seed
        Into how many parts the labelled hosts are cut, and by which chance.

    Examples
    --------
    See `webstrata.classify.gate.file.save_gate` for one that is learned and kept.

    >>> from webstrata.classify.gate.samples import measure_pages, measure_site
    >>> sites = []
    >>> for number in range(40):
    ...     words = ("fish swim in the sea", "cheap pills cheap")[number % 2]
    ...     pages = measure_pages([(f"http://{number}.org/", f"<p>{words} {number}".encode())])
    ...     sites.append(measure_site(f"{number}.org", pages))
    >>> labels = {site.host: number % 2 == 1 for number, site in enumerate(sites)}
    >>> trained = train_gate(sites, np.full(40, 9), labels, pages=1, bound=0.1, folds=2)
    >>> trained.spam, trained.auc["content"]
    (20, 1.0)
    """
    known = np.array([place for place, site in enumerate(sites) if site.host in labels and site.num_pages])
    truth = np.array([labels[sites[place].host] for place in known], bool)
    if not len(known) or truth.all() or not truth.any():
        raise MissingError(
            f"a gate is learned from spam and from honest hosts, and of {len(known)} labelled hosts with "
            f"pages {int(truth.sum())} are spam; label more"
        )
    names = [sites[place].host for place in known]
    groups = group_hosts(names, [(addresses or {}).get(name) for name in names])
    fold = split_folds(truth, folds, groups, seed)
    counts = np.stack([site.counts for site in sites])
    features = np.stack([site.features for site in sites])
    weights = _learn_terms(counts[known], truth, seed)
    # of hosts that were learned from, what models without them say
    terms, content = np.empty(len(known)), np.empty(len(known))
    for number in range(folds):
        inside = fold != number
        apart = _learn_terms(counts[known[inside]], truth[inside], seed)
        terms[~inside] = _apply_terms(apart, counts[known[~inside]])
    rows = np.column_stack([features[known], terms])
    for number in range(folds):
        inside = fold != number
        held = learn_trees(rows[inside], truth[inside], seed=seed)
        content[~inside] = held.scores(rows[~inside])[:, 0]
    trees = learn_trees(rows, truth, seed=seed)
    everybody = np.column_stack([features, _apply_terms(weights, counts)])
    scores = trees.scores(everybody)[:, 0]
    scores[known] = content
    blocks = _meet(sites, scores, known, seed)
    linked = np.empty((ORDERS, len(known)))
    for number in range(folds):
        inside = fold != number
        stacked = np.vstack([np.column_stack([rows, block])[inside] for block in blocks])
        without = learn_trees(stacked, np.tile(truth[inside], ORDERS), seed=seed)
        for place, block in enumerate(blocks):
            linked[place, ~inside] = without.scores(np.column_stack([rows, block])[~inside])[:, 0]
    links = learn_trees(
        np.vstack([np.column_stack([rows, block]) for block in blocks]), np.tile(truth, ORDERS), seed=seed
    )
    sizes = totals[known].astype(np.float64)
    told = {"content": content, "links": linked[0]}
    thresholds = {name: bound_threshold(score[~truth], sizes[~truth], bound) for name, score in told.items()}
    idf, mean_length, coefficients, bias = weights
    model = GateModel(
        idf, mean_length, coefficients, bias, trees, links, thresholds["content"], thresholds["links"], pages
    )
    curves = {name: trace(score, truth, sizes, pages) for name, score in told.items()}
    auc = {name: area(score, truth) for name, score in told.items()}
    return TrainedGate(model, len(known), int(truth.sum()), auc, curves, bound)


def area(scores: Numbers, truth: npt.NDArray[np.bool_]) -> float:
    """The probability that a true one has a higher score than a false one (AUC).

    Examples
    --------
    >>> area(np.array([0.1, 0.4, 0.4, 0.9]), np.array([False, False, True, True]))
    0.875
    """
    from scipy.stats import rankdata

    ranks = rankdata(scores)
    positive = int(truth.sum())
    negative = len(truth) - positive
    return float((ranks[truth].sum() - positive * (positive + 1) / 2) / (positive * negative))


_Terms = tuple["npt.NDArray[np.float32]", float, "npt.NDArray[np.float32]", float]


def _learn_terms(counts: npt.NDArray[np.float32], truth: npt.NDArray[np.bool_], seed: int) -> _Terms:
    from scipy.sparse import csr_array
    from sklearn.linear_model import LogisticRegression

    total = len(counts)
    frequency = (counts > 0).sum(axis=0)
    idf = np.maximum(np.log((total - frequency + 0.5) / (frequency + 0.5)), 0).astype(np.float32)
    idf[frequency == 0] = 0
    mean_length = float(counts.sum(axis=1).mean())
    matrix = csr_array(weigh(counts, idf, mean_length))
    learned = LogisticRegression(C=10.0, solver="liblinear", random_state=seed).fit(matrix, truth)
    return idf, mean_length, learned.coef_[0].astype(np.float32), float(learned.intercept_[0])


def _apply_terms(learned: _Terms, counts: npt.NDArray[np.float32]) -> Numbers:
    idf, mean_length, weights, bias = learned
    return np.asarray(weigh(counts, idf, mean_length) @ weights + bias, np.float64)


def _meet(
    sites: Sequence[SiteSample], scores: Numbers, known: npt.NDArray[np.int64], seed: int
) -> list[Numbers]:
    """What the neighbours of the labelled hosts tell when each arrives, in several orders of arrival."""
    wanted = {int(place): row for row, place in enumerate(known)}
    blocks = []
    for order in range(ORDERS):
        chance = np.random.default_rng((seed, order))
        met = GateNeighbours()
        block = np.empty((len(known), 8))
        for place in chance.permutation(len(sites)).tolist():
            site = sites[place]
            met.add(site.host, site.hosts)
            if place in wanted:
                block[wanted[place]] = met.read(site.host)
            if site.num_pages:
                met.scores[site.host] = float(scores[place])
        blocks.append(block)
    return blocks


def trace(scores: Numbers, truth: npt.NDArray[np.bool_], totals: Numbers, pages: int) -> list[GatePoint]:
    """The trade-off between spam that is cut and honest hosts that are lost, from strict to lax.

    Pages count that come behind the `pages` that are fetched in any case.

    Examples
    --------
    >>> scores, truth = np.array([0.9, 0.8, 0.3, 0.1]), np.array([True, False, True, False])
    >>> [(point.spam_hosts, point.honest_hosts) for point in trace(scores, truth, np.full(4, 12.0), 3)][:3]
    [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5)]
    """
    order = np.argsort(-scores, kind="stable")
    behind = np.maximum(totals - pages, 0)
    sums = {}
    for name, side in (("spam", truth), ("honest", ~truth)):
        of_side = side[order]
        sums[name] = np.cumsum(of_side) / max(side.sum(), 1)
        sums[f"{name}_pages"] = np.cumsum(behind[order] * of_side) / max(totals[side].sum(), 1)
    points = [GatePoint(float("inf"), 0.0, 0.0, 0.0, 0.0)]
    last = np.flatnonzero(np.diff(scores[order], append=-np.inf))  # equal scores are refused together
    for place in last.tolist():
        points.append(
            GatePoint(
                float(scores[order[place]]),
                *(float(sums[name][place]) for name in ("spam", "spam_pages", "honest", "honest_pages")),
            )
        )
    return points


def at_most(points: Sequence[GatePoint], lost: float) -> GatePoint:
    """The point that cuts most spam while honest hosts and honest pages lost are no more than a share.

    Examples
    --------
    >>> points = [GatePoint(1.0, 0.0, 0.0, 0.0, 0.0), GatePoint(0.5, 0.4, 0.3, 0.01, 0.02)]
    >>> at_most(points, 0.01).threshold, at_most(points, 0.02).threshold
    (1.0, 0.5)
    """
    return max(
        (point for point in points if max(point.honest_hosts, point.honest_pages) <= lost),
        key=lambda point: (point.spam_pages, point.threshold),
    )
