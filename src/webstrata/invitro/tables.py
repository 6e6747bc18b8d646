"""The tables of a synthetic web's description: months, settings, links, hosts, overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.collection.tables import Rows, Table

if TYPE_CHECKING:
    from webstrata.invitro.describe import MonthCounts, WebDescription
    from webstrata.temporal.overlap import Overlap

REAL_BITS = {"cnr-2000": (2.9, 2.9), ".uk, twelve months (TIME, table 1)": (2.69, 3.30)}
"""Bits per link of real graphs, the least and the most."""


def tabulate_description(found: WebDescription) -> dict[str, Table]:
    """All tables by title.

    Examples
    --------
    >>> from webstrata.invitro import Web, describe
    >>> tables = tabulate_description(describe(Web("tiny", months=2)))
    >>> tables["Months"].rows[0]["nodes"]
    301
    """
    return {
        "Months": _tabulate_served(found.months),
        "Months, as a collection sees them (redirects and duplicates resolved)": _tabulate_seen(found.months),
        "Settings, and what was found (± 3 standard errors and a systematic part)": _tabulate_measures(found),
        f"Links of a page in month {found.month}": Rows(
            "areas",
            [
                {"area": area.name, "links": area.links_per_page, "in host": area.inner_share}
                for area in found.areas
            ],
            formats={"links": ".2f", "in host": ".1%"},
        ),
        "Compression of the graph by webgraph, in bits per link": _tabulate_bits(found),
        "Pages, and how gzip compresses them (medians)": _tabulate_pages(found),
        "Hosts": _tabulate_hosts(found),
        **_tabulate_overlaps(found),
        "Events": Rows(
            "events",
            [
                {
                    "event": event.name,
                    "topic": event.topic,
                    "month": event.month,
                    "pages born": event.born,
                    "pages changed": event.changed,
                }
                for event in found.events
            ],
        ),
        "All numbers": found,
    }


def _tabulate_served(months: tuple[MonthCounts, ...]) -> Table:
    rows = [
        {
            "month": month.month,
            "hosts": month.hosts,
            "domains": month.domains,
            "nodes": month.num_nodes,
            "arcs": month.num_arcs,
            "per node": month.num_arcs / max(month.num_nodes, 1),
            "in host": month.inner_share,
            "copies": month.duplicate_share,
            "spam hosts": month.spam_host_share,
        }
        for month in months
    ]
    formats = {"per node": ".1f"} | dict.fromkeys(("in host", "copies", "spam hosts"), ".1%")
    return Rows("months", rows, formats=formats)


def _tabulate_seen(months: tuple[MonthCounts, ...]) -> Table:
    rows = [
        {
            "month": month.month,
            "nodes": month.collection_nodes,
            "arcs": month.collection_arcs,
            "per node": month.collection_arcs / max(month.collection_nodes, 1),
            "variations": month.variation_share,
            "noindex": month.noindex_share,
            "disallowed": month.disallowed_share,
        }
        for month in months
    ]
    formats = {"per node": ".1f"} | dict.fromkeys(("variations", "noindex", "disallowed"), ".1%")
    return Rows("months as collected", rows, formats=formats)


def _tabulate_measures(found: WebDescription) -> Table:
    rows = [
        {
            "setting": measure.setting,
            "asked": measure.asked,
            "found": measure.found,
            "±": measure.error,
            "": "ok" if measure.is_within else "OUTSIDE",
            "measured on": measure.what + (f", from {measure.fit.x_min} on" if measure.fit else ""),
        }
        for measure in found.measures
    ]
    return Rows("settings", rows, formats={"asked": "g", "found": ".4g", "±": ".2g"})


def _tabulate_bits(found: WebDescription) -> Table:
    rows = [
        {"graph": f"{view} view", "bits per link": f"{size.bits_per_link:.3f}"}
        for view, size in found.compressed.items()
    ]
    rows += [
        {"graph": name, "bits per link": f"{low:.2f}" if low == high else f"{low:.2f} to {high:.2f}"}
        for name, (low, high) in REAL_BITS.items()
    ]
    return Rows("compression", rows)


def _tabulate_pages(found: WebDescription) -> Table:
    rows = [
        {
            "pages": pages.source,
            "number": pages.num_pages,
            "bytes": round(pages.median_bytes),
            "links": pages.links_per_page,
            "HTML ratio": pages.html_ratio,
            "text ratio": pages.text_ratio,
            "text in HTML": pages.text_share,
        }
        for pages in (found.pages, found.real_pages)
    ]
    formats = {"bytes": "bytes", "links": ".0f", "HTML ratio": ".2f", "text ratio": ".2f"}
    return Rows("pages", rows, formats=formats | {"text in HTML": ".1%"})


def _tabulate_hosts(found: WebDescription) -> Table:
    kinds = {
        "language": found.languages,
        "charset": found.charsets,
        "robots.txt": found.robots,
        "addresses": found.addresses,
    }
    return Rows(
        "hosts",
        [
            {"": kind, "shares": ", ".join(f"{name} {share:.1%}" for name, share in shares.items())}
            for kind, shares in kinds.items()
        ],
    )


def _tabulate_overlaps(found: WebDescription) -> dict[str, Table]:
    if found.hosts.num_months < 2:
        return {}
    tables: dict[str, Table] = {
        f"Overlap of {overlap.what} between months, of their mean number": _tabulate_overlap(overlap)
        for overlap in (found.hosts, found.urls)
    }
    for one in found.comparisons:
        title = f"Overlap of {one.what} by months apart, and that of {one.source}"
        lags = [str(lag) for lag in range(1, len(one.ours) + 1)]
        rows = [
            {"": name} | dict(zip(lags, shares, strict=False))
            for name, shares in (("this web", one.ours), ("paper", one.theirs))
        ]
        first, second = one.largest_pair
        note = (
            f"Mean deviation {one.mean_deviation:.3f}, largest {one.largest_lag_deviation:.3f}; of single "
            f"pairs of months at most {one.largest_pair_deviation:.3f} (months {first} and {second})."
        )
        tables[title] = Rows("overlap by months apart", rows, formats=dict.fromkeys(lags, ".2f"), note=note)
    return tables


def _tabulate_overlap(overlap: Overlap) -> Table:
    months = range(overlap.num_months)
    rows: list[dict[str, Any]] = [
        {"": str(one)} | {str(other): overlap.share(one, other) if other >= one else None for other in months}
        for one in months
    ]
    return Rows(f"overlap of {overlap.what}", rows, formats={str(month): ".2f" for month in months})
