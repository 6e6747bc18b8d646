"""The tables of unions: what snapshots have in common, how long pages live, what the union takes, and bias.

These are tables 1 to 3 and section 5 of TIME for a collection, as `webstrata.temporal.footprint` and
`webstrata.temporal.survival` count them.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import Rows, Table
from webstrata.temporal.codings import compare_codings
from webstrata.temporal.footprint import describe_footprint, describe_snapshots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.collection.progress import Progress
    from webstrata.temporal.bias import BiasReport
    from webstrata.temporal.survival import Survival
    from webstrata.temporal.union import StoredUnion, UnionFacts

LISTED = 20
"""Rules that are listed."""
ESTIMATES = {
    "page_survival": "pages that live on",
    "page_birth": "pages that are new",
    "link_survival": "links that live on",
    "outdegree": "links per page",
    "dangling": "pages without links",
}
"""Estimates of bias by what they are called for people."""
FOOTPRINT = {
    "graph_bytes": "graph, bytes",
    "label_bytes": "labels, bytes",
    "pointer_bytes": "pointers into the graph, bytes",
    "bits_per_arc": "bits per arc",
    "bits_per_label": "bits per label",
    "bits_per_pointer": "bits per pointer",
    "bits_per_instance": "bits per link instance, all",
}
"""What is told of the size of a union, by what it is called for people."""


class UnionStatistics(Table):
    """What the snapshots of a union have in common, how long pages live, and what the union takes.

    Examples
    --------
    >>> from webstrata import testing
    >>> found = UnionStatistics(testing.collection().temporal)
    >>> found.summary
    '3 snapshots, aligned by static: 16 nodes, 43 arcs, 100 link instances (2.33 per arc).'
    >>> list(found.tables())[:3]
    ['Snapshots', 'Hosts in common', 'URLs in common']
    """

    shown = 0  # of the sizes with all their numbers

    def __init__(
        self, union: StoredUnion, *, codings: bool = False, progress: Progress | None = None
    ) -> None:
        self.facts = union.facts
        self.sizes = describe_snapshots(union, with_records=codings)
        self.footprint = describe_footprint(union)
        self.survivals = union.survival()
        self.codings = compare_codings(union, progress=progress).rows if codings else []

    @property
    def summary(self) -> str:
        """What was united, in a sentence."""
        facts, forward = self.facts, self.footprint[0]
        each = forward.num_instances / max(forward.num_arcs, 1)
        return (
            f"{tell_count(len(facts.snapshots), 'snapshot')}, aligned by {facts.by}: "
            f"{tell_count(forward.num_nodes, 'node')}, {tell_count(forward.num_arcs, 'arc')}, "
            f"{tell_count(forward.num_instances, 'link instance')} ({each:.2f} per arc)."
        )

    @property
    def warnings(self) -> list[str]:
        """What of the survival curves should not be relied on."""
        if not self.survivals:
            return ["the union was built by version 0.1.0 and has no survival curves; build `temporal` again"]
        return [sentence for survival in self.survivals for sentence in survival.warnings]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per snapshot: its captures, pages, arcs and bits."""
        return [
            asdict(row) | {"graph_bytes": row.graph_bytes, "bits_per_arc": round(row.bits_per_arc, 4)}
            for row in self.sizes
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            **facts_to_dict(self.facts),
            "arcs": self.facts.arcs,
            "arc_ages": self.facts.arc_ages,
            "sizes": self.to_rows(),
            "survival": [survival.to_dict() for survival in self.survivals],
            "union": [row.to_dict() for row in self.footprint],
            "codings": self.codings,
            "warnings": self.warnings,
        }

    def tables(self) -> dict[str, Table]:
        """Tables 1 to 3 of TIME, rules, the footprint, survival, births and deaths, ages of arcs."""
        return {
            "Snapshots": self._tabulate_sizes(),
            **tabulate_facts(self.facts),
            "Size of the union": self._tabulate_footprint(),
            **(
                {"The coding of TIME and ours on this union": self._tabulate_codings()}
                if self.codings
                else {}
            ),
            **tabulate_survivals(self.survivals),
            "Snapshots that an arc is in": self._tabulate_ages(),
            "Sizes": self,
        }

    def _tabulate_sizes(self) -> Table:
        rows = [
            {
                "snapshot": row.snapshot,
                "captures": row.captures,
                **({"uncompressed": row.uncompressed_bytes} if self.codings else {}),
                "WARC": row.warc_bytes,
                "nodes": row.pages,
                "arcs": row.arcs,
                "graph": row.graph_bytes,
                "bits per arc": row.bits_per_arc,
            }
            for row in self.sizes
        ]
        sizes = dict.fromkeys(("uncompressed", "WARC", "graph"), "bytes")
        return Rows("snapshots", rows, formats={**sizes, "bits per arc": ".2f"})

    def _tabulate_codings(self) -> Table:
        rows = [
            {
                "graph": row["graph"],
                "labels": row["labels"],
                "bits per arc": row["bits_per_arc"],
                "bits per label": row["bits_per_label"],
                "size": row["bytes"],
                "bits per link instance": row["bits_per_instance"],
            }
            for row in self.codings
        ]
        bits = dict.fromkeys(("bits per arc", "bits per label", "bits per link instance"), ".3f")
        return Rows("codings", rows, formats={**bits, "size": "bytes"})

    def _tabulate_footprint(self) -> Table:
        rows: list[dict[str, Any]] = []
        for name, title in FOOTPRINT.items():
            values = {row.direction: getattr(row, name) for row in self.footprint}
            rows.append({"": title} | {key: round(float(value), 4) for key, value in values.items()})
        return Rows("size of the union", rows, formats={row.direction: ",.10g" for row in self.footprint})

    def _tabulate_ages(self) -> Table:
        ages = self.facts.arc_ages
        total = max(sum(ages), 1)
        rows = [{"snapshots": age, "arcs": n, "share": n / total} for age, n in enumerate(ages, 1)]
        return Rows("ages of arcs", rows, formats={"share": ".1%"})


def facts_to_dict(facts: UnionFacts) -> dict[str, Any]:
    """What a union was made of, and its overlap tables, as plain data.

    Examples
    --------
    >>> from webstrata import testing
    >>> facts_to_dict(testing.collection().temporal.facts)["pages"]
    [13, 13, 15]
    """
    names = ("snapshots", "by", "rules", "pages", "aligned", "hosts", "urls")
    return {name: getattr(facts, name) for name in names}


def tabulate_facts(facts: UnionFacts) -> dict[str, Table]:
    """Hosts and URLs that every two snapshots have in common, pages that are aligned, and rules.

    Examples
    --------
    >>> from webstrata import testing
    >>> tables = tabulate_facts(testing.collection().temporal.facts)
    >>> tables["Pages that are aligned"].rows[0]
    {'snapshot': '2026-04', 'pages': 13, 'aligned': 13, 'share': 1.0, 'put together': 0}
    """
    aligned = [
        {
            "snapshot": label,
            "pages": pages,
            "aligned": count,
            "share": count / max(pages, 1),
            "put together": count - facts.urls[number][number],
        }
        for number, (label, pages, count) in enumerate(
            zip(facts.snapshots, facts.pages, facts.aligned, strict=True)
        )
    ]
    # a union of an earlier version has rules of single hosts alone, which do not say so
    known = [{"hosts": 1, **rule} for rule in facts.rules]
    known.sort(key=lambda rule: (-rule["support"], rule["host"], rule["name"]))
    rules = [
        {
            "host": rule["host"],
            "kind": rule["kind"],
            "name": rule["name"],
            "support": rule["support"],
            "across snapshots": rule["across"],
            "hosts": rule["hosts"],
            "precision": rule["precision"],
        }
        for rule in known
    ]
    note = "`refused_rules` with a host and a name takes a rule back."
    return {
        "Hosts in common": _tabulate_triangle("hosts in common", facts.snapshots, facts.hosts),
        "URLs in common": _tabulate_triangle("URLs in common", facts.snapshots, facts.urls),
        "Pages that are aligned": Rows("aligned", aligned, formats={"share": ".1%"}),
        f"Rules learned: {len(rules)}": Rows(
            "rules", rules, formats={"precision": ".3f"}, shown=LISTED, note=note
        ),
    }


def _tabulate_triangle(name: str, labels: Sequence[str], common: Sequence[Sequence[int]]) -> Table:
    rows = [
        {"": label} | {other: common[one][two] if two >= one else None for two, other in enumerate(labels)}
        for one, label in enumerate(labels)
    ]
    return Rows(name, rows)


def tabulate_survivals(survivals: Sequence[Survival]) -> dict[str, Table]:
    """Survival curves, shares that later snapshots have, births and deaths.

    Examples
    --------
    >>> from webstrata import testing
    >>> tables = tabulate_survivals(testing.collection().temporal.survival())
    >>> tables["Survival"].rows[0]["pages"]
    0.9615384615384616
    """
    if not survivals:
        return {}
    pages = next(survival for survival in survivals if survival.what == "pages")
    curves = []
    for place, point in enumerate(pages.curve):
        row: dict[str, Any] = {"snapshots later": point.lag, "years": point.years}
        for survival in survivals:
            curve = survival.curve
            row[survival.what] = curve[place].survival if place < len(curve) else None
        curves.append(row | {"pages at risk": point.at_risk})
    found: dict[str, Table] = {
        "Survival": Rows(
            "survival",
            curves,
            formats={"years": ".2f"} | dict.fromkeys((survival.what for survival in survivals), ".1%"),
            note="Of what is alive at a snapshot, the share that is alive later: product limit (Kaplan, "
            "Meier) over all snapshots as starts; alive is from first to last sight.",
        )
    }
    for survival in survivals:
        found |= _tabulate_survival(survival)
    return found


def _tabulate_survival(survival: Survival) -> dict[str, Table]:
    later = survival.snapshots[1:]
    shares = [
        {"": label} | dict(zip(later, row[1:], strict=True))
        for label, row in zip(survival.snapshots[:-1], survival.shares, strict=False)
    ]
    rates = [
        {
            "from": row.start,
            "to": row.end,
            "alive": row.alive,
            "births": row.births,
            "deaths": row.deaths,
            "birth rate": row.birth_rate,
            "death rate": row.death_rate,
            "births/year": row.births_per_year,
            "deaths/year": row.deaths_per_year,
        }
        for row in survival.turnover
    ]
    names = ("birth rate", "death rate", "births/year", "deaths/year")
    return {
        f"Share of the {survival.what} of a snapshot (row) that a later one has": Rows(
            f"shares of {survival.what}", shares, formats=dict.fromkeys(later, ".1%")
        ),
        f"Births and deaths of {survival.what}, per one alive at the start": Rows(
            f"births and deaths of {survival.what}", rates, formats=dict.fromkeys(names, ".3f")
        ),
    }


def tell_bias(report: BiasReport) -> str:
    """Which limits move which estimates out of their intervals, in a sentence each.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.temporal.bias import report_bias
    >>> tell_bias(report_bias(testing.collection().temporal, replicates=10)).partition(":")[0]
    'Half of a limit moves `pages that live on` out of its interval'
    """
    moving = [
        f"Half of a limit moves `{ESTIMATES[name]}` out of its interval: {', '.join(limits)}."
        for name, limits in report.moving().items()
    ]
    if not any(found.has_bounds for found in report.estimates.values()):
        moving = ["No estimate has an interval, so whether half of a limit moves one is not known."]
    return " ".join(moving or ["Half of any limit leaves every estimate that has an interval within it."])


def tabulate_bias(report: BiasReport) -> dict[str, Table]:
    """What limits cut off, estimates with intervals, and estimates with less of each limit.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.temporal.bias import report_bias
    >>> list(tabulate_bias(report_bias(testing.collection().temporal, replicates=10)))[0]
    'What was cut off'
    """
    cuts = [
        {
            "snapshot": cuts.snapshot,
            "pages": cuts.pages,
            "hosts": cuts.hosts,
            "largest host": cuts.largest_host,
            "at the limit": cuts.hosts_at_limit,
            "dropped": cuts.dropped,
            "too deep": cuts.too_deep,
            "frontier left": cuts.frontier_left,
            "not captured": cuts.not_captured,
            "seeds": cuts.seeds,
            "only by seed": cuts.only_by_seed,
            "end": cuts.end or "no crawl of ours",
        }
        for cuts in report.cuts
    ]
    deepest = max((len(cuts.depths) for cuts in report.cuts), default=0)
    depths = [
        {"snapshot": cuts.snapshot}
        | {str(depth): cuts.depths[depth] if depth < len(cuts.depths) else 0 for depth in range(deepest)}
        for cuts in report.cuts
        if cuts.depths
    ]
    estimates = [
        {"estimate": ESTIMATES[name], "value": found.value, "from": found.low, "to": found.high}
        | ({"truth": report.truth[name]} if report.truth else {})
        for name, found in report.estimates.items()
    ]
    tightened = [
        {"limit": row.limit, "of it": row.fraction, "value": row.value, "pages left": row.pages}
        | {title: row.estimates[name] for name, title in ESTIMATES.items()}
        for row in report.tightened
    ]
    exact = dict.fromkeys(("value", "from", "to", "truth"), ".4f")
    draws = f"The middle 95% of {report.replicates} draws of hosts."
    return {
        "What was cut off": Rows("cuts", cuts),
        "Pages by depth below where their host was entered": Rows("depths", depths),
        "Estimates": Rows("estimates", estimates, formats=exact, note=draws),
        "The same when the crawl is done again with less of a limit": Rows(
            "tightened limits",
            tightened,
            formats={"of it": "g", "value": "g", "pages left": ".1%"}
            | dict.fromkeys(ESTIMATES.values(), ".4f"),
        ),
        "Intervals": report,
    }
