"""webstrata invitro describe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from webstrata.cli.invitro.options import month_option, web_options
from webstrata.cli.options import json_option, plots_option
from webstrata.cli.output import TerminalProgress, show_bytes, show_json, show_table
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.simulate.invitro import Web
    from webstrata.simulate.invitro.describe import Description
    from webstrata.temporal.overlap import Overlap


@click.command(
    "describe", epilog="Example: webstrata invitro describe --preset realistic --seed 7 --plots pictures"
)
@web_options
@month_option
@click.option(
    "--sample",
    type=click.IntRange(1),
    metavar="PAGES",
    help="Describe a web of the same kind with so many pages; needed above 2 000 000.",
)
@click.option(
    "--corpus",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    envvar="WEBSTRATA_CORPUS",
    help="Folder of real HTML pages to compare with.",
)
@plots_option("describe.html")
@json_option
def command(
    web: Web,
    month: int,
    sample: int | None,
    corpus: Path | None,
    plots: Path | None,
    *,
    as_json: bool,
) -> None:
    """Tell what an in-vitro web looks like, in numbers and plots.

    Months are told one by one, settings beside what was measured, and how much the months have in common.
    Degrees, compression and texts are those of --month.
    """
    from webstrata.simulate.invitro.describe import describe

    if plots:
        # a missing extra is better said before a long computation than after it
        from webstrata.serve.figures.style import load_altair

        load_altair()
    found = describe(web, month=month, sample=sample, corpus=corpus, progress=TerminalProgress())
    paths = _draw(found, plots) if plots else []
    if as_json:
        show_json(found.to_json() | {"plots": [str(path) for path in paths]})
        return
    _show(found)
    if paths:
        click.echo(f"\nPictures: {paths[-1]} shows all {len(paths) - 1} of them.")


def _draw(found: Description, folder: Path) -> list[Path]:
    from webstrata.serve.figures.invitro import draw_description
    from webstrata.serve.figures.style import write_figures

    return write_figures(
        draw_description(found),
        folder,
        page="describe",
        title=f"The in-vitro web {found.preset}, seed {found.seed}",
        text=_kind(found),
    )


def _kind(found: Description) -> str:
    text = f"{len(found.months)} months; degrees, links and compression are those of month {found.month}."
    if found.sampled_from:
        text = (
            f"A web of the same kind as one of {tell_count(found.sampled_from, 'page')}, with fewer. {text}"
        )
    return text


def _show(found: Description) -> None:
    click.echo(f"{found.preset}, seed {found.seed}: {_kind(found)}")
    _head("Months")
    show_table(
        ["month", "hosts", "domains", "nodes", "arcs", "per node", "in host", "copies", "spam hosts"],
        [
            [
                month.month,
                month.hosts,
                month.domains,
                month.num_nodes,
                month.num_arcs,
                f"{month.num_arcs / max(month.num_nodes, 1):.1f}",
                _percent(month.inner_share),
                _percent(month.duplicate_share),
                _percent(month.spam_host_share),
            ]
            for month in found.months
        ],
    )
    _head("Months, as a collection sees them (redirects and duplicates resolved)")
    show_table(
        ["month", "nodes", "arcs", "per node", "variations", "noindex", "disallowed"],
        [
            [
                month.month,
                month.collection_nodes,
                month.collection_arcs,
                f"{month.collection_arcs / max(month.collection_nodes, 1):.1f}",
                _percent(month.variation_share),
                _percent(month.noindex_share),
                _percent(month.disallowed_share),
            ]
            for month in found.months
        ],
    )
    _head("Settings, and what was found (± 3 standard errors and a systematic part)")
    show_table(
        ["setting", "asked", "found", "±", "", "measured on"],
        [
            [
                measure.setting,
                f"{measure.asked:g}",
                f"{measure.found:.4g}",
                f"{measure.error:.2g}",
                "ok" if measure.is_within else "OUTSIDE",
                measure.what + (f", from {measure.fit.x_min} on" if measure.fit else ""),
            ]
            for measure in found.measures
        ],
    )
    _show_month(found)
    _show_overlaps(found)
    if found.events:
        _head("Events")
        show_table(
            ["event", "topic", "month", "pages born", "pages changed"],
            [[event.name, event.topic, event.month, event.born, event.changed] for event in found.events],
        )


def _show_month(found: Description) -> None:
    from webstrata.simulate.invitro.describe import REAL_BITS

    _head(f"Links of a page in month {found.month}")
    show_table(
        ["area", "links", "in host"],
        [[area.name, f"{area.links_per_page:.2f}", _percent(area.inner_share)] for area in found.areas],
    )
    _head("Compression of the graph by webgraph, in bits per link")
    rows = [[f"{view} view", f"{size.bits_per_link:.3f}"] for view, size in found.compressed.items()]
    rows += [
        [name, f"{low:.2f}" if low == high else f"{low:.2f} to {high:.2f}"]
        for name, (low, high) in REAL_BITS.items()
    ]
    show_table(["graph", "bits per link"], rows)
    _head("Pages, and how gzip compresses them (medians)")
    show_table(
        ["pages", "number", "bytes", "links", "HTML ratio", "text ratio", "text in HTML"],
        [
            [
                pages.source,
                pages.num_pages,
                show_bytes(round(pages.median_bytes)),
                f"{pages.links_per_page:.0f}",
                f"{pages.html_ratio:.2f}",
                f"{pages.text_ratio:.2f}",
                _percent(pages.text_share),
            ]
            for pages in (found.pages, found.real_pages)
        ],
    )
    _head("Hosts")
    for title, shares in (
        ("language", found.languages),
        ("charset", found.charsets),
        ("robots.txt", found.robots),
        ("addresses", found.addresses),
    ):
        click.echo(f"{title:11}" + ", ".join(f"{name} {_percent(share)}" for name, share in shares.items()))


def _show_overlaps(found: Description) -> None:
    if found.hosts.num_months < 2:
        return
    for overlap in (found.hosts, found.urls):
        _head(f"Overlap of {overlap.what} between months, of their mean number")
        _show_overlap(overlap)
    for comparison in found.comparisons:
        _head(f"Overlap of {comparison.what} by months apart, and that of {comparison.source}")
        lags = [str(lag) for lag in range(1, len(comparison.ours) + 1)]
        show_table(
            ["", *lags], [["this web", *_cells(comparison.ours)], ["paper", *_cells(comparison.theirs)]]
        )
        one, other = comparison.largest_pair
        mean, most = comparison.mean_deviation, comparison.largest_lag_deviation
        click.echo(
            f"mean deviation {mean:.3f}, largest {most:.3f}; of single pairs of months at most "
            f"{comparison.largest_pair_deviation:.3f} (months {one} and {other})"
        )


def _show_overlap(overlap: Overlap) -> None:
    months = range(overlap.num_months)
    rows = [
        [str(one), *("" if other < one else f"{overlap.share(one, other):.2f}" for other in months)]
        for one in months
    ]
    show_table(["", *map(str, months)], rows)


def _cells(shares: Sequence[float]) -> list[str]:
    return [f"{share:.2f}" for share in shares]


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _head(text: str) -> None:
    click.echo(f"\n{text}")
