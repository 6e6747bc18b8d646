"""What simulated crawls brought in: curves by pages and time, with bands over runs, and how they are kept.

After p pages of a run, of which r are relevant, on h hosts: **harvest rate** r / p, **recall** r / R with R
relevant pages in all, **coverage** h / H with H hosts in all. **Area** is the mean recall over a crawl of the
most pages allowed; a run that ends before keeps what it has. A band is the mean of the runs ± t s / √n, with
s their standard deviation and t of Student's distribution: in 95 of 100 such experiments it holds the mean
of all possible runs.

The part `simulation`, or ``simulation-NAME``, has

======================  ==================================================================================
``simulation.toml``     format, snapshot, pages, relevant pages, hosts; ``[simulate]``, every setting;
                        ``[inputs]``, checksums of the parts; ``[files]``, SHA-256 of files that were named
``runs.parquet``        a row a run: ``policy run pages seconds relevant hosts relevant_hosts area``,
                        ``requests failed lost robots``, ``seeds`` (nodes) and ``digest``, SHA-256 of pages
                        and times in their order
``curves.parquet``      ``policy run pages seconds relevant hosts relevant_hosts`` at each point
======================  ==================================================================================
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tomli_w
from scipy.special import stdtrit

from webstrata.collection.caveats import MIN_LABELS, MIN_PAGES, warn_few
from webstrata.collection.files import explained, open_writer
from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import Rows, Table
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

FORMAT = 1
MEASURES = ("harvest", "recall", "coverage")
SHOWN_MEASURES = {
    "harvest": "harvest rate",
    "recall": "recall",
    "area": "mean recall",
    "coverage": "hosts reached",
}
"""Measures of a policy, by what they are called for people."""
_COUNTS = ("pages", "seconds", "relevant", "hosts", "relevant_hosts")
_REQUESTS = ("requests", "failed", "lost", "robots")


@dataclass(frozen=True)
class Trace:
    """One run: the pages in the order in which they came, and when."""

    policy: str
    run: int
    seeds: npt.NDArray[np.uint32]
    nodes: npt.NDArray[np.uint32]
    times: Numbers
    requests: tuple[int, int, int, int] = (0, 0, 0, 0)
    """All of them, those that failed, pages that never came, and robots.txt."""

    @property
    def digest(self) -> str:
        """SHA-256 of pages and times."""
        return hashlib.sha256(
            self.nodes.astype("<u4").tobytes() + self.times.astype("<f8").tobytes()
        ).hexdigest()


@dataclass(frozen=True)
class Curve:
    """One run at some numbers of pages."""

    policy: str
    run: int
    seeds: tuple[int, ...]
    digest: str
    area: float
    counts: Mapping[str, Numbers]
    """By the names of the columns."""
    requests: tuple[int, int, int, int] = (0, 0, 0, 0)
    """All of them, those that failed, pages that never came, and robots.txt."""

    def to_bytes(self) -> bytes:
        """All of it, for `from_bytes`."""
        plain = asdict(self) | {"counts": {name: column.tolist() for name, column in self.counts.items()}}
        return json.dumps(plain).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Curve:
        """What `to_bytes` gave."""
        plain = json.loads(data)
        counts = {name: np.array(column, np.float64) for name, column in plain.pop("counts").items()}
        tuples = {name: tuple(plain[name]) for name in ("seeds", "requests")}
        return cls(**plain | tuples, counts=counts)


@dataclass(frozen=True)
class Ground:
    """What there is to be found."""

    relevant: npt.NDArray[np.bool_]
    hosts: npt.NDArray[np.uint32]
    """Of each page."""
    num_hosts: int
    most: int
    """Pages that a crawl may have."""

    @property
    def facts(self) -> dict[str, int]:
        """Numbers of pages, relevant pages and hosts."""
        return {
            "pages": len(self.relevant),
            "relevant": int(self.relevant.sum()),
            "hosts": self.num_hosts,
            "most": self.most,
        }


def measure(trace: Trace, ground: Ground, points: int = 200) -> Curve:
    """A run at so many points, from the first page to the most that a crawl may have.

    Examples
    --------
    >>> ground = Ground(np.array([True, False, True]), np.array([0, 0, 1], np.uint32), 2, most=4)
    >>> seeds, nodes = np.array([0], np.uint32), np.array([0, 2], np.uint32)
    >>> curve = measure(Trace("best-first", 0, seeds, nodes, np.array([1.0, 2.0])), ground, 4)
    >>> curve.counts["relevant"].tolist(), curve.counts["hosts"].tolist(), curve.area
    ([1.0, 2.0], [1.0, 2.0], 0.875)
    """
    number = len(trace.nodes)
    grid = np.unique(np.linspace(1, max(ground.most, 1), points).round().astype(np.int64))
    grid = np.unique(np.append(grid[grid < number], number)) if number else np.zeros(0, np.int64)
    hits = ground.relevant[trace.nodes]
    hosts = ground.hosts[trace.nodes]
    places = np.flatnonzero(hits)
    counts = {
        "pages": grid,
        "seconds": trace.times[grid - 1],
        "relevant": np.searchsorted(places, grid),
        "hosts": np.searchsorted(np.sort(np.unique(hosts, return_index=True)[1]), grid),
        "relevant_hosts": np.searchsorted(
            np.sort(places[np.unique(hosts[hits], return_index=True)[1]]), grid
        ),
    }
    total = max(int(ground.relevant.sum()), 1)
    area = float((ground.most - places).sum()) / (max(ground.most, 1) * total)
    return Curve(
        trace.policy,
        trace.run,
        tuple(trace.seeds.tolist()),
        trace.digest,
        area,
        {name: column.astype(np.float64) for name, column in counts.items()},
        trace.requests,
    )


@dataclass(frozen=True)
class Band:
    """The mean of some runs with its bounds, at each of some places."""

    places: Numbers
    mean: Numbers
    low: Numbers
    high: Numbers


@dataclass(frozen=True)
class PolicyRow:
    """How a policy did at the end, a mean with half of its band each."""

    policy: str
    runs: int
    pages: float
    seconds: float
    values: Mapping[str, tuple[float, float]]
    """Harvest, recall, area, coverage: mean, and half of the band."""
    requests: Mapping[str, float]
    """All of them, those that failed, pages that never came, and robots.txt, on the mean."""


class Harvest(Table):
    """The curves of all policies and runs.

    Examples
    --------
    >>> ground = Ground(np.array([True, False, True]), np.array([0, 0, 1], np.uint32), 2, most=3)
    >>> seeds, orders = np.array([0], np.uint32), [[0, 2, 1], [0, 1, 2]]
    >>> curves = [
    ...     measure(Trace("random", run, seeds, np.array(order, np.uint32), np.arange(3.0)), ground)
    ...     for run, order in enumerate(orders)
    ... ]
    >>> harvest = Harvest(ground.facts, {}, curves)
    >>> harvest.band("random", "recall").mean.round(3).tolist()
    [0.5, 0.75, 1.0]
    >>> harvest.rows()[0].values["area"][0].__round__(3)
    0.75
    """

    def __init__(
        self, facts: Mapping[str, int], configuration: Mapping[str, Any], curves: Sequence[Curve]
    ) -> None:
        self.facts = dict(facts)
        self.configuration = dict(configuration)
        """Every setting, and what it was made from."""
        self.curves = list(curves)

    @property
    def policies(self) -> list[str]:
        """The names of the policies, as they were told."""
        return list(dict.fromkeys(curve.policy for curve in self.curves))

    def value(self, curve: Curve, name: str) -> Numbers:
        """Harvest, recall or coverage at the points of a curve."""
        counts = curve.counts
        if name == "harvest":
            return counts["relevant"] / np.maximum(counts["pages"], 1)
        top, total = ("relevant", "relevant") if name == "recall" else ("hosts", "hosts")
        return counts[top] / max(self.facts[total], 1)

    def band(self, policy: str, name: str, by: str = "pages") -> Band:
        """Mean and band of a measure over the runs of a policy, by ``pages`` or ``seconds``."""
        curves = [curve for curve in self.curves if curve.policy == policy and len(curve.counts["pages"])]
        if not curves:
            return Band(*(np.zeros(0),) * 4)
        if by == "pages":
            places = np.unique(np.concatenate([curve.counts[by] for curve in curves]))
        else:
            last = max(curve.counts[by][-1] for curve in curves)
            places = np.linspace(0, last, max(len(curve.counts[by]) for curve in curves))
        values = []
        for curve in curves:
            # what was true at the last point before; before the first, nothing
            at = np.searchsorted(curve.counts[by], places, side="right")
            values.append(np.append(0.0, self.value(curve, name))[at])
        table = np.stack(values)
        half = half_band(table)
        mean = table.mean(axis=0)
        return Band(places, mean, np.maximum(mean - half, 0), np.minimum(mean + half, 1))

    def to_rows(self) -> list[dict[str, Any]]:
        """How each policy did: means, and half of each band as ``…_band``."""
        return [
            {
                "policy": row.policy,
                "runs": row.runs,
                "pages": row.pages,
                "seconds": row.seconds,
                **{name: mean for name, (mean, _) in row.values.items()},
                **{f"{name}_band": half for name, (_, half) in row.values.items()},
            }
            for row in self.rows()
        ]

    @property
    def summary(self) -> str:
        """What was simulated, in a sentence."""
        facts, chosen = self.facts, self.configuration.get("simulate", {})
        runs = max((row.runs for row in self.rows()), default=1)
        about = f" ({chosen['relevant']})" if chosen.get("relevant") else ""
        return (
            f"{f'{runs} runs of' if runs > 1 else 'A run of'} up to {tell_count(facts['most'], 'page')}; "
            f"{facts['relevant']:,} of {tell_count(facts['pages'], 'page')} on "
            f"{tell_count(facts['hosts'], 'host')} are relevant{about}."
            + (" ± is half of a band of 95%." if runs > 1 else "")
        )

    shown = 0  # of the plain numbers

    def tables(self) -> dict[str, Table]:
        """What each policy brought in, and the same as plain numbers for programs."""
        is_timed = bool(self.configuration.get("simulate", {}).get("clock"))
        rows = []
        for row in self.rows():
            cells: dict[str, Any] = {"policy": row.policy, "runs": row.runs, "pages": round(row.pages)}
            if is_timed:
                cells["time"] = f"{row.seconds:,.0f} s"
            for name, title in SHOWN_MEASURES.items():
                mean, half = row.values[name]
                cells[title] = f"{mean:.4f} ± {half:.4f}" if row.runs > 1 else f"{mean:.4f}"
            rows.append(cells)
        return {"What each policy brought in": Rows("policies", rows), "Policies": self}

    def rows(self) -> list[PolicyRow]:
        """How each policy did, as the table shows it."""
        found = []
        for policy in self.policies:
            curves = [curve for curve in self.curves if curve.policy == policy]
            values = {
                name: np.array(
                    [self.value(curve, name)[-1] if len(curve.counts["pages"]) else 0.0 for curve in curves]
                )
                for name in MEASURES
            } | {"area": np.array([curve.area for curve in curves])}
            last = [
                {name: float(curve.counts[name][-1]) if len(curve.counts[name]) else 0.0 for name in _COUNTS}
                for curve in curves
            ]
            found.append(
                PolicyRow(
                    policy,
                    len(curves),
                    float(np.mean([counts["pages"] for counts in last])),
                    float(np.mean([counts["seconds"] for counts in last])),
                    {
                        name: (float(column.mean()), float(half_band(column[:, None])[0]))
                        for name, column in values.items()
                    },
                    {
                        name: float(np.mean([curve.requests[place] for curve in curves]))
                        for place, name in enumerate(_REQUESTS)
                    },
                )
            )
        return found

    @property
    def warnings(self) -> list[str]:
        """What of the curves should not be relied on, and why."""
        rows = self.rows()
        found = []
        short = {row.policy: row.pages for row in rows if row.pages < min(MIN_PAGES, self.facts["most"])}
        if short:
            fewest = min(short.values())
            found.append(
                f"{', '.join(short)}: fetched {fewest:,.0f} of {self.facts['pages']:,} pages, since no more "
                "can be reached from the start; rates of so few pages say nothing"
            )
        relevant = self.facts["relevant"]
        if relevant < self.facts["pages"]:
            found += warn_few(relevant, MIN_LABELS, "relevant page", "recall has few possible values")
        if any(row.runs == 1 for row in rows):
            found.append("one run of each policy: there is no band, and a policy may be ahead by chance")
        if self.facts["hosts"] == 1:
            found.append("all pages are of one host: shares of hosts and politeness say nothing")
        return found

    def to_dict(self) -> dict[str, Any]:
        """As plain data: facts, the table, and the digest of each run."""
        return self.facts | {
            "warnings": self.warnings,
            "policies": [
                {
                    "policy": row.policy,
                    "runs": row.runs,
                    "pages": round(row.pages, 2),
                    "seconds": round(row.seconds, 3),
                    **{name: round(number, 2) for name, number in row.requests.items()},
                    **{name: round(mean, 6) for name, (mean, _) in row.values.items()},
                    "half_bands": {name: round(half, 6) for name, (_, half) in row.values.items()},
                    "digests": [curve.digest for curve in self.curves if curve.policy == row.policy],
                }
                for row in self.rows()
            ],
            "configuration": self.configuration,
        }

    def write(self, folder: Path) -> None:
        """Write the three files of the header."""
        document = {"format": FORMAT} | self.configuration | {"facts": self.facts}
        with open_writer(folder / "simulation.toml") as stream:
            stream.write(tomli_w.dumps(document).encode())
        lasts = [
            {name: curve.counts[name][-1] if len(curve.counts[name]) else 0.0 for name in _COUNTS}
            for curve in self.curves
        ]
        runs = {
            "policy": [curve.policy for curve in self.curves],
            "run": pa.array([curve.run for curve in self.curves], pa.uint32()),
            **{name: pa.array([last[name] for last in lasts], pa.float64()) for name in _COUNTS},
            "area": pa.array([curve.area for curve in self.curves], pa.float64()),
            **{
                name: pa.array([curve.requests[place] for curve in self.curves], pa.uint64())
                for place, name in enumerate(_REQUESTS)
            },
            "seeds": pa.array([list(curve.seeds) for curve in self.curves], pa.list_(pa.uint32())),
            "digest": [curve.digest for curve in self.curves],
        }
        sizes = [len(curve.counts["pages"]) for curve in self.curves]
        curves = {
            "policy": np.repeat(np.array(runs["policy"], object), sizes),
            "run": np.repeat(np.array([curve.run for curve in self.curves], np.uint32), sizes),
            **{
                name: np.concatenate([np.zeros(0), *(curve.counts[name] for curve in self.curves)])
                for name in _COUNTS
            },
        }
        for name, columns in (("runs", runs), ("curves", curves)):
            with open_writer(folder / f"{name}.parquet") as stream:
                pq.write_table(pa.table(columns), stream, compression="zstd")

    @classmethod
    def read(cls, folder: Path) -> Harvest:
        """What `write` has written, or `FormatError`."""
        configuration = read_configuration(folder / "simulation.toml")
        facts = configuration.pop("facts")
        with explained(folder, "read"):
            runs = pq.read_table(folder / "runs.parquet").to_pylist()
            table = pq.read_table(folder / "curves.parquet")
        columns = {name: table[name].to_numpy() for name in ("policy", "run", *_COUNTS)}
        curves = []
        for row in runs:
            own = (columns["policy"] == row["policy"]) & (columns["run"] == row["run"])
            counts = {name: columns[name][own] for name in _COUNTS}
            asked = tuple(row.get(name, 0) for name in _REQUESTS)
            seeds = tuple(row["seeds"])
            curves.append(Curve(row["policy"], row["run"], seeds, row["digest"], row["area"], counts, asked))
        return cls(facts, configuration, curves)


def read_configuration(path: Path) -> dict[str, Any]:
    """What `simulation.toml` says, or `FormatError`.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "simulation.toml"
    >>> _ = path.write_text("format = 1" + chr(10) + "[simulate]" + chr(10) + "runs = 3")
    >>> read_configuration(path)
    {'simulate': {'runs': 3}}
    >>> _ = path.write_text("format = 7")
    >>> read_configuration(path)
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...simulation.toml: the simulation has format 7, and this version reads 1
    """
    with explained(path, "read"):
        text = path.read_bytes()
    try:
        document = tomllib.loads(text.decode())
    except ValueError as error:
        raise FormatError(
            f"{path}: this is no TOML ({error}); name the simulation.toml of a result"
        ) from error
    if document.pop("format", None) != FORMAT or not isinstance(document.get("simulate"), dict):
        found = tomllib.loads(text.decode()).get("format")
        raise FormatError(f"{path}: the simulation has format {found}, and this version reads {FORMAT}")
    return document


def half_band(table: Numbers) -> Numbers:
    """Half of a band, t s / √n, of each column, n being the rows; 0 where there is one.

    Examples
    --------
    >>> half_band(np.array([[1.0], [2.0], [3.0]])).round(3).tolist()
    [2.484]
    """
    number = len(table)
    if number < 2:
        return np.zeros(table.shape[1])
    factor = float(stdtrit(number - 1, 0.975)) / np.sqrt(number)
    found: Numbers = factor * table.std(axis=0, ddof=1)
    return found
