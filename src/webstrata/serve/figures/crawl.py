"""The page of a crawl, from its `CrawlReport`: pictures of its series and of its hosts, and tables.

Unlike other pages it has its pictures inside it as SVG and no script at all, so that it is small enough to be
kept with every crawl, and can be mailed and printed.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import replace_file
from webstrata.collection.settings import describe, to_text
from webstrata.crawl.failures import FAILURES
from webstrata.crawl.series import rates
from webstrata.crawl.settings import CrawlSettings
from webstrata.serve.figures.style import COLOURS, Figure, load_altair, make_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from webstrata.crawl.report import CrawlReport

    Cells = Sequence[object]

MAX_POINTS = 300
MAX_HOSTS = 25
MAX_EXAMPLES = 4
_WIDTH = 460

_STYLES = """h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem; }
.figures figure { margin: 0; }
table { border-collapse: collapse; font-size: .9rem; }
td, th { text-align: left; padding: .15rem 1.5rem .15rem 0; border-bottom: 1px solid #e6e9eb; }
th { font-weight: 600; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.tables { display: flex; flex-wrap: wrap; gap: 0 4rem; }
code { font-size: .85rem; }
"""

_BODY = """<h2>Over time</h2>
<div class="figures">
{over_time}
</div>
<h2>What came</h2>
<div class="figures">
{what_came}
</div>
<div class="tables">
{tables}
</div>"""


def draw_crawl(report: CrawlReport) -> list[Figure]:
    """All pictures of a crawl; those of its series are left out where it is shorter than two samples.

    Examples
    --------
    >>> from webstrata.crawl.report import CrawlReport
    >>> from webstrata.crawl.results import CrawlResult
    >>> report = CrawlReport("uk", "2026-06", CrawlResult("exhausted", 1.0, {"status_2xx": 7}))
    >>> [figure.name for figure in draw_crawl(report)]
    ['answers']
    >>> rows = [{"seconds": 0.0, "pages": 0}, {"seconds": 1.0, "pages": 7}]
    >>> report = CrawlReport("uk", "2026-06", report.result, rows=rows, hosts=[("a.example", 7)])
    >>> [figure.name for figure in draw_crawl(report)]
    ['rate', 'bytes', 'pages', 'front', 'queues', 'answers', 'hosts']
    """
    figures = []
    if len(report.rows) > 1:
        figures += [
            Figure("rate", _rates(report, {"pages": "pages", "requests": "requests"}, "Rate", "per second")),
            Figure("bytes", _rates(report, _BYTES, "Traffic", "MB per second", scale=1e6)),
            Figure("pages", _levels(report, _PAGES, "Pages and URLs", "so far")),
            Figure("front", _levels(report, _FRONT, "Hosts ready and target", "hosts")),
            Figure("queues", _levels(report, _QUEUES, "URLs that wait", "URLs")),
        ]
    figures.append(Figure("answers", _answers(report)))
    if depths := report.result.depths():
        rows = [(_at_least(depth), pages) for depth, pages in enumerate(depths)]
        figures.append(Figure("depth", _bars(rows, "Pages by depth", "pages")))
    if skipped := list(_skipped(report)):
        figures.append(
            Figure(
                "cut",
                _bars(skipped, "URLs skipped and responses truncated, by reason", "URLs, hosts or responses"),
            )
        )
    if report.hosts:
        figures.append(Figure("hosts", _hosts(report)))
    return figures


def write_report(report: CrawlReport, path: Path) -> None:
    """Write the page of a crawl.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.crawl.report import CrawlReport
    >>> from webstrata.crawl.results import CrawlResult
    >>> path = testing.scratch() / "report.html"
    >>> write_report(CrawlReport("uk", "2026-06", CrawlResult("stopped", 1.0, {"pages": 7})), path)
    >>> "stopped on request" in path.read_text()
    True
    """
    load_altair()
    figures = draw_crawl(report)
    pictures = {figure.name: f"<figure>{_to_svg(figure)}</figure>" for figure in figures}
    late = ("answers", "depth", "cut", "hosts")
    counters = report.result.counters
    text = (
        f"{report.result.pages:,} pages ({counters.get('duplicates', 0):,} duplicates) of "
        f"{report.result.hosts:,} hosts{_unresolved(report)} in {_duration(report.result.seconds)}, "
        f"{report.result.rate:,.1f} pages a second; {report.ending}."
    )
    over_time = [picture for name, picture in pictures.items() if name not in late]
    body = _BODY.format(
        over_time="\n".join(over_time) or "<p>It was too short for a picture.</p>",
        what_came="\n".join(picture for name, picture in pictures.items() if name in late),
        tables="\n".join(_tables(report)),
    )
    title = f"Crawl of {report.title}, {report.snapshot}"
    replace_file(path, make_page(title, text, body, styles=_STYLES).encode())


# ---- pictures

_BYTES = {"bytes": "received", "stored": "stored"}
_PAGES = {
    "discovered": "URLs discovered",
    "requests": "requests",
    "pages": "pages",
    "duplicates": "duplicates",
}
_FRONT = {"front": "ready", "required_front": "required", "in_flight": "in flight"}
_QUEUES = {"waiting": "out of the sieve", "virtualized": "on disk"}


def thin(rows: Sequence[dict[str, Any]], most: int = MAX_POINTS) -> list[dict[str, Any]]:
    """At most so many rows, evenly chosen, the first and the last among them.

    Examples
    --------
    >>> [row["n"] for row in thin([{"n": n} for n in range(10)], 4)]
    [0, 3, 6, 9]
    """
    if len(rows) <= most:
        return list(rows)
    return [rows[round(place * (len(rows) - 1) / (most - 1))] for place in range(most)]


def _rates(report: CrawlReport, columns: dict[str, str], title: str, unit: str, *, scale: float = 1.0) -> Any:  # noqa: ANN401
    rows = thin(report.rows)
    points = [
        {"seconds": row["seconds"], "what": name, "value": rate / scale}
        for column, name in columns.items()
        for row, rate in zip(rows[1:], rates(rows, column), strict=True)
    ]
    return _lines(report, points, list(columns.values()), title, unit)


def _levels(report: CrawlReport, columns: dict[str, str], title: str, unit: str) -> Any:  # noqa: ANN401
    points = [
        {"seconds": row["seconds"], "what": name, "value": row.get(column, 0)}
        for column, name in columns.items()
        for row in thin(report.rows)
    ]
    return _lines(report, points, list(columns.values()), title, unit)


def _lines(report: CrawlReport, points: list[dict[str, Any]], order: list[str], title: str, unit: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    name, size = _time_unit(report.rows[-1]["seconds"])
    for point in points:
        point["time"] = point.pop("seconds") / size
    lines = (
        alt.Chart(alt.Data(values=points))
        .mark_line()
        .encode(
            x=alt.X("time:Q", title=name),
            y=alt.Y("value:Q", title=unit, axis=_axis(point["value"] for point in points)),
            color=alt.Color("what:N", title=None, sort=order, legend=alt.Legend(orient="bottom")),
        )
    )
    pauses = [{"from": begin / size, "to": end / size} for begin, end in find_pauses(report.rows)]
    if pauses:
        data = alt.Data(values=pauses)
        shade = alt.Chart(data).mark_rect(color="#eef3f6").encode(x="from:Q", x2="to:Q")
        return (shade + lines).properties(
            width=_WIDTH, height=180, title={"text": title, "subtitle": "shaded: it was paused"}
        )
    return lines.properties(width=_WIDTH, height=180, title={"text": title})


def find_pauses(rows: Sequence[dict[str, Any]]) -> list[tuple[float, float]]:
    """When the crawl was paused: pairs of seconds.

    Examples
    --------
    >>> states = ["running", "paused", "paused", "running", "paused"]
    >>> find_pauses([{"seconds": second, "state": state} for second, state in enumerate(states)])
    [(1, 3), (4, 4)]
    """
    pauses: list[tuple[float, float]] = []
    since: float | None = None
    for row in rows:
        is_paused = row.get("state") == "paused"
        if is_paused and since is None:
            since = row["seconds"]
        elif not is_paused and since is not None:
            pauses.append((since, row["seconds"]))
            since = None
    if since is not None:
        pauses.append((since, rows[-1]["seconds"]))
    return pauses


def _answers(report: CrawlReport) -> Any:  # noqa: ANN401
    alt = load_altair()
    counters = report.result.counters
    rows: list[dict[str, Any]] = [
        {"what": f"{hundreds}xx", "number": counters.get(f"status_{hundreds}xx", 0), "kind": "answers"}
        for hundreds in range(2, 6)
    ]
    rows += [
        {"what": failure.name, "number": counters[failure.counter], "kind": "failures"}
        for failure in FAILURES
        if counters.get(failure.counter)
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("number:Q", title="requests", axis=_axis(row["number"] for row in rows)),
            y=alt.Y("what:N", title=None, sort=[str(row["what"]) for row in rows]),
            color=alt.Color(
                "kind:N",
                title=None,
                scale=alt.Scale(domain=["answers", "failures"], range=COLOURS[:2]),
                legend=alt.Legend(orient="bottom"),
            ),
        )
        .properties(width=_WIDTH, height=22 * len(rows), title={"text": "Answers and failures"})
    )


def _bars(rows: list[tuple[str, int]], title: str, unit: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    values = [{"what": what, "number": number} for what, number in rows]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_bar(color=COLOURS[0])
        .encode(
            x=alt.X("number:Q", title=unit, axis=_axis(number for _, number in rows)),
            y=alt.Y("what:N", title=None, sort=[what for what, _ in rows], axis=alt.Axis(labelLimit=320)),
        )
        .properties(width=_WIDTH, height=22 * len(rows), title={"text": title})
    )


def _at_least(depth: int) -> str:
    """A depth, the last of which stands for all below it."""
    return f"{depth} or more" if depth == 16 else str(depth)


def _skipped(report: CrawlReport) -> Iterable[tuple[str, int]]:
    """What was not fetched or not kept whole, and why."""
    counters = report.result.counters
    yield from report.result.skipped().items()
    for name in ("unreached", "hosts_unresolved", "hosts_closed", "truncated", "undecoded", "held"):
        if counters.get(name):
            yield _NAMES[name], counters[name]


def _hosts(report: CrawlReport) -> Any:  # noqa: ANN401
    alt = load_altair()
    # of hosts with equally many pages the first and the last make the step
    sizes = [pages for _, pages in report.hosts]
    rows = [
        {"rank": place + 1, "pages": pages}
        for place, pages in enumerate(sizes)
        if place in (0, len(sizes) - 1) or sizes[place - 1] != pages or sizes[place + 1] != pages
    ]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(point=len(rows) == 1, color=COLOURS[0])
        .encode(
            x=alt.X("rank:Q", title="rank of the host", scale=alt.Scale(type="log", nice=False)),
            y=alt.Y("pages:Q", title="pages of the host", scale=alt.Scale(type="log", nice=False)),
        )
        .properties(width=_WIDTH, height=180, title={"text": f"Sizes of {len(sizes):,} hosts"})
    )


def _axis(numbers: Iterable[float]) -> Any:  # noqa: ANN401
    """An axis of few, round numbers; large ones are written with a letter."""
    is_large = max(numbers, default=0) >= 100_000
    return load_altair().Axis(format="~s" if is_large else ",~f", tickCount=5)


def _to_svg(figure: Figure) -> str:
    import vl_convert

    svg = str(vl_convert.vegalite_to_svg(figure.chart.to_dict()))
    # several pictures share the page, and each numbers its clips and gradients from 0
    return re.sub(r"(?<=[\"#])((?:clip|gradient)_?\d+)\b", rf"{figure.name}-\1", svg)


# ---- tables


def _tables(report: CrawlReport) -> list[str]:
    result, counters = report.result, report.result.counters
    shown = (
        "pages",
        "duplicates",
        "captures",
        "requests",
        "robots",
        "retries",
        "truncated",
        "links",
        "discovered",
    )
    what = [[_NAMES.get(name, name), counters[name]] for name in shown if name in counters]
    what += [
        [_NAMES[name], _megabytes(counters[name])]
        for name in ("bytes", "payload", "stored")
        if name in counters
    ]
    answers = [
        [f"answers {name.removeprefix('status_')}", count]
        for name, count in counters.items()
        if name.startswith("status_") and count
    ]
    answers += [
        [f"failed: {name.removeprefix('failed_')}", count]
        for name, count in counters.items()
        if name.startswith("failed_") and count
    ]
    skipped = [[reason, count] for reason, count in _skipped(report)]
    given_up = sorted(report.given_up, key=lambda host: (-host.urls, host.origin))[:MAX_HOSTS]
    classes = Counter(host.reason for host in report.given_up)
    attacks = [[what, count] for what, count in result.attacks().items()]
    cuts = [[cut.text, cut.number, " ".join(cut.examples[:MAX_EXAMPLES])] for cut in result.cuts]
    rules = [[rule.origin, rule.name, rule.support, f"{rule.precision:.3f}"] for rule in result.rules]
    hosts = [[host, pages] for host, pages in report.hosts[:MAX_HOSTS]]
    changes = [
        [
            _duration(change["seconds"]),
            f"{change['blacklist']} shut out"
            if "blacklist" in change
            else f"{change['name']} = {change['value']}",
        ]
        for change in report.changes
    ]
    profile = [[name, f"{value:.1f}"] for name, value in result.profile().items() if counters.get("requests")]
    tables = [
        _table("What was done", ["what", "number"], what),
        _table("Answers", ["kind", "number"], answers),
        _table("What servers did, and the crawl bore", ["what", "number"], attacks),
        _table("What was not fetched or not kept whole", ["why", "number"], skipped),
        _table("Hosts given up", ["why", "hosts"], [[why, count] for why, count in classes.most_common()]),
        _table(
            "Those with most URLs",
            ["host", "why", "URLs"],
            [[host.origin, host.reason, host.urls] for host in given_up],
        ),
        _table("At the gate", ["what", "number"], _gate(report)),
        _table("What was cut, with examples", ["why", "number", "for example"], cuts),
        _table("Parameters without meaning", ["host", "parameter", "pairs", "precision"], rules),
        _table(f"The largest of {len(report.hosts):,} hosts", ["host", "pages"], hosts),
        _table("Where the time of an answer went", ["what", "µs"], profile),
        _table("Changed while it ran", ["after", "what"], changes),
        _table("Settings", ["setting", "value", "meaning"], _settings(report)),
    ]
    return [table for table in tables if table]


def _unresolved(report: CrawlReport) -> str:
    number = report.result.unresolved_hosts
    return f" ({number:,} names could not be resolved)" if number else ""


def _gate(report: CrawlReport) -> list[list[object]]:
    """What a gate did: hosts judged and refused, and the worst of them with their scores."""
    gate = report.result.gate
    if not gate:
        return []
    urls = sum(host.urls for host in report.given_up if host.reason == "gate")
    rows: list[list[object]] = [
        ["hosts judged", gate["hosts"]],
        ["hosts refused", gate["refused"]],
        ["URLs with them, not fetched", urls],
        ["seconds", gate["seconds"]],
    ]
    for said in gate["examples"]:
        score = "" if said["score"] is None else f"{said['score']:.3f} "
        rows.append([f"refused: {said['origin']}", f"{score}{said['why']}".strip()])
    return rows


_NAMES = {
    "robots": "robots.txt",
    "captures": "captures stored",
    "links": "links met",
    "discovered": "URLs discovered",
    "truncated": "answers cut off",
    "bytes": "received",
    "payload": "bodies, decoded",
    "stored": "WARC files",
    "unreached": "URLs that failed each time, or whose host was given up",
    "hosts_unresolved": "hosts whose names never resolved",
    "hosts_closed": "hosts given up or full",
    "undecoded": "responses stored as received because of their content codings",
    "held": "hosts held by the gate",
}


def _settings(report: CrawlReport) -> list[list[object]]:
    """Every setting that was known then, those that are not the default first."""
    rows: list[tuple[bool, list[object]]] = []
    for field in describe(CrawlSettings):
        if field.name not in report.settings:
            continue
        value = report.settings[field.name]
        default = list(field.default) if isinstance(field.default, tuple) else field.default
        text = to_text(value, field.setting.unit) if value not in ("", []) else "—"
        mark = text if value == default else f"{text} *"
        rows.append((value == default, [field.name, mark, field.setting.help]))
    return [row for _, row in sorted(rows, key=lambda pair: pair[0])]


def _table(title: str, columns: Sequence[str], rows: Iterable[Cells]) -> str:
    rows = list(rows)
    if not rows:
        return ""
    lines = [f"<section><h2>{html.escape(title)}</h2><table>"]
    head = "".join(
        f'<th class="number">{html.escape(name)}</th>'
        if _is_number(cell)
        else f"<th>{html.escape(name)}</th>"
        for name, cell in zip(columns, rows[0], strict=True)
    )
    lines.append(f"<tr>{head}</tr>")
    for row in rows:
        cells = "".join(
            f'<td class="number">{cell:,}</td>'
            if isinstance(cell, int)
            else f"<td>{html.escape(str(cell))}</td>"
            for cell in row
        )
        lines.append(f"<tr>{cells}</tr>")
    lines.append("</table></section>")
    return "\n".join(lines)


def _is_number(cell: object) -> bool:
    return isinstance(cell, int)


def _megabytes(number: int) -> str:
    return f"{number / 1e6:,.1f} MB"


def _time_unit(seconds: float) -> tuple[str, float]:
    """In what to count a time on an axis."""
    if seconds < 300:
        return "seconds", 1.0
    if seconds < 3 * 3_600:
        return "minutes", 60.0
    return ("hours", 3_600.0) if seconds < 4 * 86_400 else ("days", 86_400.0)


def _duration(seconds: float) -> str:
    name, size = _time_unit(seconds)
    return f"{seconds / size:,.1f} {name}"
