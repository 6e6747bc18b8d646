"""The house style of pictures, and how they are written.

One typeface, one set of colours that people with any colour vision tell apart (Okabe and Ito), titles to the
left that say what is seen, axes with units. Every figure is a file ``<name>.svg``; a page ``<name>.html``
shows all of them with the library inside it, so it opens without a network.
"""

from __future__ import annotations

import contextlib
import html
import json
import os
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained, replace_file
from webstrata.errors import MissingExtraError, WebstrataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"]
FONT = "system-ui, 'Segoe UI', Helvetica, Arial, sans-serif"
GREY = "#5f6b73"
_WHOLE = "\n// whole\n"
"""Ends a library that was written to its end."""

_CONFIG: dict[str, Any] = {
    "background": "white",
    "font": "Helvetica, Arial, sans-serif",
    "padding": 12,
    "range": {"category": COLOURS, "heatmap": {"scheme": "blues"}},
    "view": {"stroke": None, "continuousWidth": 460, "continuousHeight": 300},
    "title": {
        "anchor": "start",
        "fontSize": 15,
        "fontWeight": 600,
        "subtitleFontSize": 12,
        "subtitleColor": GREY,
        "subtitlePadding": 6,
        "offset": 14,
        "frame": "group",
    },
    "axis": {
        "labelFontSize": 11,
        "titleFontSize": 12,
        "titleFontWeight": 400,
        "titleColor": GREY,
        "labelColor": GREY,
        "gridColor": "#e6e9eb",
        "domainColor": "#b0b8bd",
        "tickColor": "#b0b8bd",
        "titlePadding": 8,
    },
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": 400, "titleColor": GREY},
    "line": {"strokeWidth": 2},
    "point": {"filled": True, "size": 36},
}

_FRAME = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 {font}; color: #1d2529; max-width: 74rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.5rem; margin-bottom: .25rem; }}
p {{ max-width: 46rem; color: {grey}; }}
figure {{ margin: 2rem 0; overflow-x: auto; }}
{styles}</style>
</head>
<body>
<h1>{title}</h1>
<p>{text}</p>
{body}
</body>
</html>
"""

_FIGURES = """{figures}
<script>{library}</script>
<script>
const figures = {specs};
for (const [name, spec] of Object.entries(figures)) {{
  vegaEmbed("#" + name, spec, {{ actions: {{ export: true, source: false, editor: false }} }});
}}
</script>"""


@dataclass(frozen=True)
class Figure:
    """A chart with the name of its file."""

    name: str
    chart: Any
    """A chart of Altair."""


def load_altair() -> ModuleType:
    """The chart library with the house style switched on.

    Examples
    --------
    >>> load_altair().theme.active
    'webstrata'
    """
    try:
        import altair
        import vl_convert  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            f"pictures are made with {error.name}, which is not installed; "
            "`pip install 'webstrata[plots]'` brings it"
        ) from error
    if altair.theme.active != "webstrata":
        altair.theme.register("webstrata", enable=True)(lambda: {"config": _CONFIG})  # type: ignore[typeddict-item]
    altair.data_transformers.disable_max_rows()
    return altair


def load_library() -> str:
    """The chart library as one script that sets ``vegaEmbed``, safe inside a page.

    To put it together takes seconds, so it is kept among the user's cached files, by its version.

    Examples
    --------
    >>> "</script" in load_library()
    False
    """
    import vl_convert

    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(home) / "webstrata" / f"vega-{version('vl-convert-python')}.js"
    with contextlib.suppress(OSError):
        text = path.read_text()
        if text.endswith(_WHOLE):
            return text
    library = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    library = library.replace("</script", "<\\/script") + _WHOLE
    with contextlib.suppress(OSError, WebstrataError):  # it is made again the next time
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, library.encode())
    return library


def make_page(title: str, text: str, body: str, *, styles: str = "") -> str:
    """A page of the house: a heading, a sentence or two, and what stands below them as HTML.

    Examples
    --------
    >>> page = make_page("Hosts & links", "All of them.", "<p>none</p>")
    >>> "<h1>Hosts &amp; links</h1>" in page, page.splitlines()[-3]
    (True, '<p>none</p>')
    """
    return _FRAME.format(
        title=html.escape(title), text=html.escape(text), font=FONT, grey=GREY, styles=styles, body=body
    )


def write_figures(
    figures: Sequence[Figure], folder: Path, *, page: str, title: str, text: str = "", above: str = ""
) -> list[Path]:
    """Write each figure as SVG, and all of them as a page; the paths, the page last.

    Parameters
    ----------
    figures
        What to write.
    folder
        Where; it is made if it is not there.
    page
        Name of the page, without ``.html``.
    title
        Heading of the page.
    text
        A sentence or two below it.
    above
        HTML that stands above the figures, such as a table.

    Examples
    --------
    >>> from webstrata import testing
    >>> altair = load_altair()
    >>> data = altair.Data(values=[{"x": 1, "y": 2}])
    >>> chart = altair.Chart(data).mark_point().encode(x="x:Q", y="y:Q")
    >>> paths = write_figures([Figure("one", chart)], testing.scratch(), page="all", title="One")
    >>> [path.name for path in paths]
    ['one.svg', 'all.html']
    """
    import vl_convert

    load_altair()
    with explained(folder, "make the folder"):
        folder.mkdir(parents=True, exist_ok=True)
    specs = {figure.name: figure.chart.to_dict() for figure in figures}
    paths = []
    for name, spec in specs.items():
        path = folder / f"{name}.svg"
        replace_file(path, vl_convert.vegalite_to_svg(spec).encode())
        paths.append(path)
    blocks = "\n".join(f'<figure><div id="{html.escape(name)}"></div></figure>' for name in specs)
    body = above + _FIGURES.format(
        figures=blocks,
        library=load_library(),
        specs=json.dumps(specs).replace("</", "<\\/"),
    )
    path = folder / f"{page}.html"
    replace_file(path, make_page(title, text, body).encode())
    return [*paths, path]
