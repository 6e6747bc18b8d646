"""The sheet of measured crawls: BUBING's figures 3 and 4 and table 1, where results of real crawls are.

The benchmark ``python -m bench.crawl.sweep --output COLLECTION/reports/crawl-sweep.json`` crawls an in-vitro
web over loopback and writes the results; nothing here is computed. Without the file there is no sheet.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained
from webstrata.errors import FormatError
from webstrata.serve.figures.sweep import draw_sweep
from webstrata.serve.report.sheet import Missing, Sheet, SheetTable, to_drawings

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Collection

FILE = "crawl-sweep.json"
FORMAT = 1
_RATES = {
    "pages_per_second": "pages/s",
    "megabytes_per_second": "MB/s",
    "cpu_load": "CPU load (cores)",
    "pages_per_cpu_second": "pages per CPU second",
}
_KEYS = {"figure_3": "fetchers", "figure_4": "ip_delay", "table_1": "crawler"}


def make_sweep(collection: Collection) -> list[Sheet | Missing]:
    """The sheet of the results in a collection; none where there are none.

    Examples
    --------
    >>> from webstrata import testing
    >>> make_sweep(testing.collection())
    []
    """
    path = collection.working_folder("reports") / FILE
    if not path.is_file():
        return []
    found = read_sweep(path)
    machine = found["machine"]
    others = f" Other crawlers are missing: {_list(found['absent'])}." if found["absent"] else ""
    sheet = Sheet(
        "sweep",
        "Measured crawls",
        [
            f"Real crawls of an in-vitro web over loopback, on {machine['cores']} cores with a load of "
            f"{machine['load_before']} before and {machine['load_after']} after, server included. Fetchers "
            f"are varied on a web whose servers take {found['latency']} to the first byte.{others}"
        ],
        [
            _table("Crawlers compared (BUBING, table 1)", found["table_1"], {"crawler": "crawler"}),
            _table(
                "Fetchers, without delays (BUBING, figure 3)", found["figure_3"], {"fetchers": "fetchers"}
            ),
            _table(
                "Delays (BUBING, figure 4)",
                found["figure_4"],
                {"ip_delay": "delay of an address", "host_delay": "of a host", "front": "largest front"},
            ),
        ],
        to_drawings(draw_sweep(found["figure_3"], found["figure_4"]), "sweep"),
        notes=["Warning: these are results of --quick: short crawls and few points."]
        if found["quick"]
        else [],
    )
    return [sheet]


def read_sweep(path: Path) -> dict[str, Any]:
    """The results in a file, or `FormatError`.

    Examples
    --------
    >>> from webstrata import testing
    >>> path = testing.scratch() / "crawl-sweep.json"
    >>> machine = {"cores": 2, "load_before": 0.1, "load_after": 0.9}
    >>> facts = {"format": FORMAT, "quick": True, "latency": 0.1, "absent": {}, "machine": machine}
    >>> _ = path.write_text(json.dumps(facts | {name: [] for name in _KEYS}))
    >>> read_sweep(path)["quick"]
    True
    >>> _ = path.write_text('{"format": 9}')
    >>> read_sweep(path)
    Traceback (most recent call last):
    webstrata.errors.FormatError: ...crawl-sweep.json: these are not results of bench.crawl.sweep...
    """
    with explained(path, "read"):
        content = path.read_bytes()
    try:
        found = json.loads(content)
        points = [point for name in _KEYS for point in found[name]]
        is_sound = (
            found["format"] == FORMAT
            and {"quick", "latency", "absent"} <= set(found)
            and {"cores", "load_before", "load_after"} <= set(found["machine"])
            and all({*_RATES, "front"} <= set(point) for point in points)
            and all(key in point for name, key in _KEYS.items() for point in found[name])
        )
    except (ValueError, TypeError, KeyError):
        is_sound = False
    if not is_sound:
        raise FormatError(
            f"{path}: these are not results of bench.crawl.sweep in format {FORMAT}; run it again, or remove "
            f"the file"
        )
    return dict(found)


def _table(title: str, points: list[dict[str, Any]], names: dict[str, str]) -> SheetTable:
    columns = names | _RATES
    return SheetTable(title, list(columns.values()), [[point[name] for name in columns] for point in points])


def _list(absent: dict[str, str]) -> str:
    return "; ".join(f"{name} ({why})" for name, why in absent.items())
