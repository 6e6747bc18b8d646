"""webstrata summaries stats: what an archive takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from webstrata.cli.options import collection_argument, json_option, plots_option
from webstrata.cli.output import TerminalProgress, show_bytes, show_json, show_table
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection
    from webstrata.summaries.statistics import Statistics


@click.command("stats", epilog="Example: webstrata summaries stats uk 2026-06 --best-codes --plots pictures")
@collection_argument
@click.argument("label", metavar="SNAPSHOT")
@click.option(
    "--best-codes", is_flag=True, help="Try every code on every kind of number, and say which is best."
)
@plots_option("stats.html", "the two figures of the paper")
@json_option
def command(
    collection: Collection, label: str, *, best_codes: bool, plots: Path | None, as_json: bool
) -> None:
    """Tell what the archive of SNAPSHOT takes, and which codes would take less.

    With pictures, the two figures of the paper: the frequency of terms by rank, and the gaps between the
    terms of a page.
    """
    from webstrata.summaries.statistics import describe_archive

    if plots:
        # a missing extra is better said before a long computation than after it
        from webstrata.serve.figures.style import load_altair

        load_altair()
    found = describe_archive(collection[label].summaries, with_codes=best_codes, progress=TerminalProgress())
    name = f"{collection.path} {label}"
    paths = _draw(found, name, plots) if plots else []
    if as_json:
        show_json({"archive": name} | found.to_json() | {"plots": [str(path) for path in paths]})
        return
    _show(found, name)
    if paths:
        click.echo(f"\nPictures: {paths[-1]} shows both.")


def _draw(found: Statistics, name: str, folder: Path) -> list[Path]:
    from webstrata.serve.figures.style import write_figures
    from webstrata.serve.figures.summaries import draw_archive

    text = (
        f"{tell_count(found.num_summaries, 'summary', 'summaries')}, {tell_count(found.num_terms, 'term')}, "
        f"{tell_count(found.num_postings, 'count')}."
    )
    return write_figures(draw_archive(found, name), folder, page="stats", title=name, text=text)


def _show(found: Statistics, name: str) -> None:
    click.echo(
        f"{name}: {tell_count(found.num_summaries, 'summary', 'summaries')} of "
        f"{tell_count(found.num_nodes, 'node')}, {tell_count(found.num_terms, 'term')}, "
        f"{tell_count(found.num_postings, 'count')}, {tell_count(found.num_words, 'word')}."
    )
    click.echo(
        f"{found.summary_bytes:.1f} bytes a page in the coding {found.coding}, of these "
        f"{found.pointer_bits:.2f} bits to find the summary.\n"
    )
    rows = [
        [file, show_bytes(size), f"{size / max(found.num_summaries, 1):.2f}"]
        for file, size in found.bytes.items()
    ]
    show_table(["file", "size", "bytes a page"], rows)
    if not found.costs:
        return
    from webstrata.summaries.codes import best_codes

    click.echo("\nBits a number in the coding `codes`")
    show_table(
        ["kind", "numbers", "entropy", "best codes"],
        [
            [
                kind,
                costs.numbers,
                f"{costs.entropy / max(costs.numbers, 1):.3f}",
                ", ".join(
                    f"{code} {bits / max(costs.numbers, 1):.3f}"
                    for code, bits in list(costs.bits.items())[:4]
                ),
            ]
            for kind, costs in found.costs.items()
        ],
    )
    options = " ".join(
        ("--count-differences" if value else "--no-count-differences")
        if isinstance(value, bool)
        else f"--{setting.replace('_', '-')} {value}"
        for setting, value in best_codes(found.costs).items()
    )
    click.echo(f"\nBest: webstrata summaries build … --coding codes {options}")
