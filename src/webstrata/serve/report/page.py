"""The report as one HTML file: text, tables, data of figures, the chart library; nothing from elsewhere.

A policy in the page itself forbids every request, so that nothing can be loaded even by mistake. Figures are
drawn when they come into view, in light or dark colours as the reader's system has it; each has buttons for
its data as CSV and JSON, and as a picture.
"""

from __future__ import annotations

import datetime as dt
import html
import json
from importlib import resources
from typing import TYPE_CHECKING, Any

from webstrata._core import __version__
from webstrata.collection.files import make_directory, replace_file
from webstrata.errors import FormatError, WebstrataError
from webstrata.pipeline.reporting import FOLDER, PAGE
from webstrata.serve.figures.style import load_altair, load_library
from webstrata.serve.report.chapters import Chapter, make_chapters
from webstrata.serve.report.sheet import Drawing, Missing, Sheet, SheetTable, bounded
from webstrata.store.hiding import scrub

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection

_MANY_COLUMNS = 10
"""From more on a table is printed in smaller letters."""
_WIDE = 800
FILE = PAGE

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:"
)
_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div class="sheet-body">
<header><h1>{title}</h1><p>{text}</p></header>
<nav aria-label="Chapters"><ul>
{nav}
</ul></nav>
<main>
{body}
</main>
</div>
<noscript><p class="note">Figures are drawn by a script inside this file; tables need none.</p></noscript>
<script type="application/json" id="specs">{specs}</script>
<script>{library}</script>
<script>{script}</script>
</body>
</html>
"""


def write_report(collection: Collection, path: Path | None = None) -> tuple[Path, list[Chapter]]:
    """Write the report of a collection; where it is, and its chapters.

    Where a chapter cannot be made, because a part is damaged or by an unexpected error, the others are
    written, and `FormatError` or `WebstrataError` is raised after that.

    Parameters
    ----------
    collection
        Whose stored parts are told.
    path
        Where to write; ``reports/report.html`` in the collection where not given.

    Examples
    --------
    >>> from webstrata import testing
    >>> path, chapters = write_report(testing.empty(title="The <UK>"))
    >>> path.name, "The &lt;UK&gt;" in path.read_text()
    ('report.html', True)
    """
    altair = load_altair()  # a missing extra is said first
    # every row would be compared with the schema, which takes longer than all the rest
    with altair.utils.schemapi.debug_mode(False):
        chapters = make_chapters(collection)
    if path is None:
        path = make_directory(collection.working_folder(FOLDER)) / FILE
    replace_file(path, scrub(collection, make_html(collection.title, chapters)).encode())
    failed = [(chapter.name, error) for chapter in chapters for error in chapter.failures]
    if failed:
        name, error = failed[0]
        if isinstance(error, FormatError):
            raise FormatError(
                f"{path}: written, but chapter {name} is incomplete ({len(failed)} in all): {error.explain()}"
            ) from error
        raise WebstrataError(
            f"{path}: written, but chapter {name} is incomplete ({len(failed)} in all): unexpected "
            f"{type(error).__name__}: {error}; please report this error"
        ) from error
    return path, chapters


def make_html(title: str, chapters: list[Chapter]) -> str:
    """The page of some chapters.

    Examples
    --------
    >>> page = make_html("uk", [Chapter("crawl", "Crawl", missing=[Missing("crawls", "make crawls")])])
    >>> "There is no data for crawls" in page
    True
    """
    figures = [figure for chapter in chapters for sheet in chapter.sheets for figure in sheet.figures]
    made = f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M} UTC by webstrata {__version__}"
    lacking = sum(len(chapter.missing) for chapter in chapters)
    text = f"Written {made}. {len(figures)} figures; "
    text += {
        0: "nothing is missing.",
        1: "one thing is missing, and the command that makes it is said.",
    }.get(lacking, f"{lacking} things are missing, each with the command that makes it.")
    folder = resources.files(__package__)
    return _FRAME.format(
        policy=_POLICY,
        title=html.escape(title),
        text=html.escape(text),
        style=(folder / "report.css").read_text(),
        nav="\n".join(_entry(chapter) for chapter in chapters),
        body="\n".join(_section(chapter) for chapter in chapters),
        specs=_quiet(json.dumps({figure.name: _without_title(figure.spec) for figure in figures})),
        library=load_library(),
        script=(folder / "report.js").read_text(),
    )


def _quiet(text: str) -> str:
    """JSON that cannot end the element it stands in."""
    return text.replace("</", "<\\/").replace("<!--", "<\\u0021--")


def _entry(chapter: Chapter) -> str:
    lacks = ' class="lacks" title="something is missing here"' if chapter.missing else ""
    return f'<li><a href="#{chapter.name}"{lacks}>{html.escape(chapter.title)}</a></li>'


def _section(chapter: Chapter) -> str:
    blocks = [f'<section id="{chapter.name}"><h2>{html.escape(chapter.title)}</h2>']
    blocks += [_sheet(sheet) for sheet in chapter.sheets]
    blocks += [_lack(missing) for missing in chapter.missing]
    return "\n".join([*blocks, "</section>"])


def _lack(missing: Missing) -> str:
    why = f" ({html.escape(missing.why)})" if missing.why else ""
    return (
        f'<p class="missing">There is no data for {html.escape(missing.what)}{why}; '
        f"<code>{html.escape(missing.command)}</code> makes it.</p>"
    )


def _sheet(sheet: Sheet) -> str:
    blocks = [f"<h3>{html.escape(sheet.title)}</h3>"]
    kind = ' class="truth"' if sheet.name == "truth" else ""
    blocks += [f"<p{kind}>{html.escape(text)}</p>" for text in sheet.text]
    blocks += [f'<p class="note">{html.escape(note)}</p>' for note in sheet.notes]
    if sheet.figures:
        blocks.append(f'<div class="figures">{"".join(_figure(figure) for figure in sheet.figures)}</div>')
    if sheet.tables:
        blocks.append(
            f'<div class="tables">{"".join(_table(bounded(table)) for table in sheet.tables)}</div>'
        )
    if sheet.command:
        blocks.append(f'<p class="command">Made by <code>{html.escape(sheet.command)}</code></p>')
    return "\n".join(blocks)


def _figure(figure: Drawing) -> str:
    title, subtitle = _titles(figure.spec)
    name, shown = html.escape(figure.name), html.escape(title)
    kind = ' class="wide"' if _is_wide(figure.spec) else ""
    return (
        f"<figure{kind}><figcaption><b>{shown}</b>{html.escape(subtitle)}</figcaption>"
        f'<div class="plot" role="img" aria-label="{shown}" data-figure="{name}"></div>'
        '<div class="get"><button type="button" data-get="csv">CSV</button>'
        '<button type="button" data-get="json">JSON</button>'
        '<button type="button" data-get="svg">SVG</button></div></figure>'
    )


def _is_wide(spec: dict[str, Any]) -> bool:
    """Whether a chart takes the whole width: it has panels, or was drawn wide."""
    width = spec.get("width")
    is_large = isinstance(width, int) and width >= _WIDE
    return is_large or "facet" in spec or bool({"facet", "column"} & set(spec.get("encoding", ())))


def _titles(spec: dict[str, Any]) -> tuple[str, str]:
    title = spec.get("title", "")
    if isinstance(title, dict):
        return str(title.get("text", "")), str(title.get("subtitle", ""))
    return str(title), ""


def _without_title(spec: dict[str, Any]) -> dict[str, Any]:
    """The caption has the title, and wraps it where a screen is narrow."""
    return {key: value for key, value in spec.items() if key != "title"}


def _table(table: SheetTable) -> str:
    right = [
        all(value is None or _is_number(value) for value in column)
        and any(value is not None for value in column)
        for column in zip(*table.rows, strict=True)
    ] or [False] * len(table.columns)
    kinds = [' class="n"' if is_right else "" for is_right in right]
    heads = "".join(f"<th{k}>{html.escape(c)}</th>" for k, c in zip(kinds, table.columns, strict=True))
    rows = "".join(
        f"<tr>{''.join(_cell(value, kind) for value, kind in zip(row, kinds, strict=True))}</tr>"
        for row in table.rows
    )
    note = f'<p class="small">{html.escape(table.note)}</p>' if table.note else ""
    title = html.escape(table.title)
    kind = "table many" if len(table.columns) > _MANY_COLUMNS else "table"
    return (
        f'<div class="{kind}"><h4>{title}</h4><div class="scroll"><table aria-label="{title}">'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{note}"
        '<div class="get"><button type="button" data-get="csv">CSV</button></div></div>'
    )


def _cell(value: object, kind: str) -> str:
    if value is None:
        return f'<td{kind} data-value=""></td>'
    if not _is_number(value):
        text = html.escape(str(value))
        return f'<td{kind} title="{text}">{text}</td>' if len(text) > 40 else f"<td{kind}>{text}</td>"
    shown = f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
    return f'<td{kind} data-value="{value}">{shown}</td>'


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
