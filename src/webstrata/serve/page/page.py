"""The page about one URL: its captures, text, links, ranks, similar pages and records."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from fastapi import Path, Query

from webstrata.archive.cdxj import parse_time
from webstrata.collection.action import Action
from webstrata.errors import DateError, MissingError, UrlError, WebstrataError
from webstrata.serve.page.diff import compare_captures
from webstrata.serve.page.home import find_rank
from webstrata.serve.page.labels import read_sheet
from webstrata.serve.page.scores import explain_host
from webstrata.serve.page.search import Cursor, Date
from webstrata.serve.page.view import PageView, paginate
from webstrata.web.server.answers import Refusal
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from webstrata.archive.cdxj import Entry
    from webstrata.serve.page.site import Site
    from webstrata.store.captures import StoredCapture

SIZE = 100
MAX_CAPTURES = 2000
"""Captures of one URL that are listed; the rest is in the CDX of the replay origin."""
METHODS = ("pagerank", "cheirank", "2drank", "hits", "indegree", "trustrank")
"""Rankings that are shown where they are stored."""
LONGEST = 200_000
"""Characters of a text that are shown."""

Tab = Literal["replay", "text", "main", "diff", "links", "ranks", "host", "similar", "records"]
TABS: dict[str, str] = {
    "replay": "Replay",
    "text": "Text",
    "main": "Main content",
    "diff": "Diff",
    "links": "Links",
    "ranks": "Ranks",
    "host": "Host",
    "similar": "Similar",
    "records": "Records",
}
Url = Annotated[str, Path(description="The URL, percent-encoded.", examples=["http://example.org/"])]


def show_page(
    site: Site,
    url: Url,
    *,
    view: Annotated[
        Tab | None, Query(description="What to show; default: replay, or text without it.")
    ] = None,
    at: Date = None,
    before: Annotated[str | None, Query(max_length=20, description="Diff: the earlier capture.")] = None,
    after: Annotated[str | None, Query(max_length=20, description="Diff: the later capture.")] = None,
    source: Annotated[bool, Query(description="Diff: compare the source in place of the text.")] = False,
    rendered: Annotated[bool, Query(description="Diff: both captures side by side, rendered.")] = False,
    cursor: Cursor = None,
) -> PageView:
    """Everything known about one URL: its captures, and what `view` selects.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> view = show_page(Site(testing.collection(), "uk"), "http://garden.example/tomatoes", view="diff")
    >>> [capture["state"] for capture in view.facts["captures"]]
    ['first', 'changed', 'changed']
    >>> view.facts["words_added"], view.facts["links_added"]
    (15, ['http://news.example/storm'])
    """
    collection = site.collection
    try:
        url = normalize(url)
    except UrlError as error:
        raise Refusal(422, f"{error}") from None
    entries = _find_entries(site, url)
    if not entries:
        raise Refusal(404, f"{url} was never captured", nearest=find_nearest(site, url))
    captures = describe_captures(site, entries)
    chosen = _choose(captures, at, url)
    tab = view or ("replay" if site.replay else "text")
    facts: dict[str, Any] = {
        "url": captures[chosen]["url"],
        "host": urlsplit(url).hostname or "",
        "view": tab,
        "at": at or None,
        "capture": captures[chosen],
        "captures": captures,
        "line": draw_line(site.dates, captures),
        "more_captures": max(0, len(entries) - MAX_CAPTURES),
        "replay": site.capture(url, captures[chosen]["timestamp"]),
        "title": "",
    }
    timestamp = captures[chosen]["timestamp"]
    action = Action.on(collection, "get", url, at=timestamp, text=True)
    found = PageView("page", url, action, facts=facts, unit="captures")
    found.marks = site.marks(Counter(one["snapshot"] for one in captures), {captures[chosen]["snapshot"]})
    capture = collection.capture(url, timestamp)
    try:
        facts["title"] = capture.page.title if capture.mime == "text/html" else ""
    except WebstrataError:
        facts["title"] = ""
    found.title = facts["title"] or url
    _SHOW[tab](
        site, found, capture, before=before, after=after, source=source, rendered=rendered, cursor=cursor
    )
    return found


def _find_entries(site: Site, url: str) -> list[tuple[str, Entry]]:
    """The captures of a URL in all snapshots, oldest first; of other spellings where there is none."""
    from webstrata.store.takedowns import find_takedowns

    find_takedowns(site.collection).check(url, site.name)
    holders = site.collection._captures.list()
    for exact in (True, False):
        found = [(one.date, entry) for one in holders for entry in one.entries(url, exact=exact)]
        if found:
            return sorted(found, key=lambda pair: (pair[1].timestamp, pair[0]))
    return []


def find_nearest(site: Site, url: str) -> list[str]:
    """URLs that were captured, next to one that was not.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> find_nearest(Site(testing.collection(), "uk"), "http://garden.example/tomato")[0]
    'http://garden.example/tomatoes'
    """
    import difflib

    found: dict[str, None] = {}
    for date in reversed(site.dates):
        try:
            near = site.collection[date].urls.nearest(url)
        except WebstrataError:
            continue
        found |= dict.fromkeys(near)
    host = urlsplit(url).hostname
    found = {one: None for one in found if urlsplit(one).hostname == host} or found
    return sorted(found, key=lambda one: -difflib.SequenceMatcher(None, one, url).ratio())[:8]


def describe_captures(site: Site, entries: list[tuple[str, Entry]]) -> list[dict[str, Any]]:
    """Captures as rows, each with what it is compared with the one before: first, changed or same.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> site = Site(testing.collection(), "uk")
    >>> entries = _find_entries(site, "http://reef.example/corals")
    >>> [(row["timestamp"], row["state"]) for row in describe_captures(site, entries)]
    [('20260401000002', 'first'), ('20260501000002', 'same'), ('20260601000002', 'same')]
    """
    rows: list[dict[str, Any]] = []
    digest = None
    for date, entry in entries[-MAX_CAPTURES:]:
        now = entry.fields.get("digest")
        rows.append(
            {
                "snapshot": date,
                "timestamp": entry.timestamp,
                "time": entry.time,
                "url": entry.url,
                "status": entry.status,
                "mime": entry.fields["mime"],
                "digest": now,
                "length": int(entry.fields["length"]),
                "offset": int(entry.fields["offset"]),
                "filename": entry.fields["filename"],
                "state": "first" if not rows else "same" if now == digest else "changed",
                "replay": site.capture(entry.url, entry.timestamp),
            }
        )
        digest = now
    return rows


def draw_line(dates: list[str], captures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The time line of a page: its captures, and a gap for every snapshot since the first without one.

    Examples
    --------
    >>> captures = [{"snapshot": "2026-04", "state": "first"}, {"snapshot": "2026-06", "state": "same"}]
    >>> line = draw_line(["2026-03", "2026-04", "2026-05", "2026-06"], captures)
    >>> [(one["snapshot"], one["state"]) for one in line]
    [('2026-04', 'first'), ('2026-05', 'gap'), ('2026-06', 'same')]
    """
    if not captures:
        return []
    held = {one["snapshot"] for one in captures}
    first = captures[0]["snapshot"]
    gaps = [{"snapshot": date, "state": "gap"} for date in dates if date > first and date not in held]
    return sorted([*captures, *gaps], key=lambda one: str(one["snapshot"]))


def _choose(captures: list[dict[str, Any]], at: str | None, url: str) -> int:
    """The place of the last capture at or before a date."""
    if not at:
        return len(captures) - 1
    last = parse_time(at)
    found = [place for place, one in enumerate(captures) if one["timestamp"][: len(last)] <= last]
    if not found:
        first = captures[0]["time"]
        raise DateError(f"{url} was first captured at {first:%Y-%m-%d}, after {at}; choose a later date")
    return found[-1]


# ---- what the tabs show


def _show_replay(site: Site, view: PageView, capture: StoredCapture, **_: object) -> None:
    view.rows = view.facts["captures"]
    view.action = _get(site, capture, "payload")
    if not site.replay:
        view.facts["note"] = "Replay is not served here: this server runs without its replay origin."


def _show_text(site: Site, view: PageView, capture: StoredCapture, **_: object) -> None:
    is_main = view.facts["view"] == "main"
    try:
        text = capture.main if is_main else capture.text
    except WebstrataError as error:
        view.facts["note"] = str(error)
        return
    view.facts["is_cut"] = len(text) > LONGEST
    view.rows = [{"text": line} for line in text[:LONGEST].splitlines()]
    view.action = _get(site, capture, "main" if is_main else "text", text=True, main=is_main or None)


def _show_diff(
    site: Site,
    view: PageView,
    capture: StoredCapture,
    *,
    before: str | None,
    after: str | None,
    source: bool,
    rendered: bool,
    **_: object,
) -> None:
    captures, url = view.facts["captures"], capture.url
    last = _choose(captures, after or view.facts["at"], url)
    first = _choose(captures, before, url) if before else _changed_before(captures, last)
    found = compare_captures(
        site.collection.capture(captures[first]["url"], captures[first]["timestamp"]),
        site.collection.capture(captures[last]["url"], captures[last]["timestamp"]),
        source=source,
    )
    view.rows = found.pop("lines")
    view.facts |= found | {
        "before": captures[first],
        "after": captures[last],
        "source": source,
        "rendered": rendered,
    }
    dates = captures[first]["timestamp"], captures[last]["timestamp"]
    words = ", ".join(map(repr, (url, *dates)))
    view.action = Action(
        "diff",
        str(site.collection.path),
        words=(*dates, url),
        options={"source": source or None},
        python=f"diff({words}{', source=True' if source else ''})",
    )


def _changed_before(captures: list[dict[str, Any]], last: int) -> int:
    """The capture before the last change up to a capture; the one before it where nothing changed."""
    for place in range(last, 0, -1):
        if captures[place]["state"] == "changed":
            return place - 1
    return max(0, last - 1)


def _show_links(
    site: Site, view: PageView, capture: StoredCapture, *, cursor: str | None, **_: object
) -> None:
    collection, date = site.collection, capture.label
    view.action = Action(
        "history",
        str(collection.path),
        words=(capture.url,),
        options={"in": True},
        python=f"history({capture.url!r}, with_inlinks=True)",
    )
    view.facts["snapshot"] = date
    rows = []
    if "temporal" in collection.parts:
        try:
            rows = _list_histories(site, capture.url, date)
        except MissingError:
            rows = []
    else:
        view.missing.append(site.lacks("Since when and until when links existed", "temporal"))
    if not rows:
        rows = _list_now(site, view, capture.url, date)
        view.action = Action("graph links", str(collection.path), date, (capture.url,))
        view.also = replace(
            view.action, options={"in": True}, python=f"graph_links({capture.url!r}, inward=True)"
        )
    order = {"added": 0, "removed": 1, "": 2}
    rows.sort(key=lambda row: (row["direction"] == "in", order[row["state"]], row["url"]))
    view.facts["counts"] = {
        way: {
            state or "kept": sum(row["direction"] == way and row["state"] == state for row in rows)
            for state in ("", "added", "removed")
        }
        for way in ("out", "in")
    }
    view.rows, view.next = paginate(rows, cursor, SIZE)
    _name_links(site, view.rows, capture.url, date)


def _list_histories(site: Site, url: str, date: str) -> list[dict[str, Any]]:
    """Links of a page that exist at a snapshot, or have gone since the one before it."""
    found = site.collection.history(url, with_inlinks=True)
    names = list(found.snapshots)
    if date not in names:
        return []
    now = names.index(date)
    rows = []
    for way, links in (("out", found.outlinks), ("in", found.inlinks)):
        for link in links:
            is_now = bool(link.label >> now & 1)
            was = bool(now and link.label >> (now - 1) & 1)
            if not is_now and not was:
                continue
            there = [name for place, name in enumerate(names) if link.label >> place & 1]
            rows.append(
                {
                    "direction": way,
                    "url": link.url,
                    "state": "" if is_now and (was or not now) else "added" if is_now else "removed",
                    "since": there[0],
                    "until": there[-1],
                    "anchor": "",
                }
            )
    return rows


def _list_now(site: Site, view: PageView, url: str, date: str) -> list[dict[str, Any]]:
    """Links of a page in one snapshot alone."""
    snapshot = site.collection[date]
    if "graph" not in snapshot.parts:
        view.missing.append(site.lacks("Links", "graph", snapshot=date))
        return []
    node = snapshot.connectivity.get(url)
    if node is None:
        return []
    rows = []
    for way in ("out", "in"):
        _, found = snapshot.connectivity.links(_array([node]), way)
        rows += [
            {"direction": way, "url": other, "state": "", "since": None, "until": None, "anchor": ""}
            for other in snapshot.connectivity.urls_of(found).to_pylist()
        ]
    return rows


def _array(values: list[int]) -> Any:  # noqa: ANN401
    import numpy as np

    return np.array(values, np.int64)


def _name_links(site: Site, rows: list[dict[str, Any]], url: str, date: str) -> None:
    """Add the texts of links to rows."""
    snapshot = site.collection[date]
    if not {"graph", "links", "urls"} <= {record.name for record in snapshot.parts}:
        return
    connectivity = snapshot.connectivity
    named = [row for row in rows if row["state"] != "removed"]
    own, *nodes = connectivity.nodes([url, *(row["url"] for row in named)]).tolist()
    known = [(row, node) for row, node in zip(named, nodes, strict=True) if node >= 0]
    if own < 0 or not known:
        return
    ends = [(own, node) if row["direction"] == "out" else (node, own) for row, node in known]
    try:
        texts = connectivity.facts(_array([a for a, _ in ends]), _array([b for _, b in ends]))
    except WebstrataError:
        return
    for (row, _), found in zip(known, texts["texts"].to_pylist(), strict=True):
        row["anchor"] = next((text.strip() for text in found or [] if text and text.strip()), "")[:200]


def _show_ranks(site: Site, view: PageView, capture: StoredCapture, **_: object) -> None:
    rows, methods = [], []
    for method in METHODS:
        ranks = {date: find_rank(site, date, capture.url, method) for date in site.dates}
        if any(ranks.values()):
            methods.append(method)
            rows += [
                {
                    "method": method,
                    "date": date,
                    "rank": rank,
                    "of": getattr(site.ranking(date, method), "num_ranked", None),
                }
                for date, rank in ranks.items()
            ]
    if not rows:
        view.missing.append(site.lacks("Ranks of pages", "rank-pagerank"))
    view.facts["methods"] = methods
    view.action = Action(
        "rank",
        str(site.collection.path),
        options={"all_snapshots": True, "list": "/dev/stdin"},
        python=f"rank(list=[{capture.url!r}])",
        stdin=capture.url,
    )
    view.rows = rows


def _show_similar(site: Site, view: PageView, capture: StoredCapture, **_: object) -> None:
    view.action = Action("similar", str(site.collection.path), "", (capture.url,), {"at": capture.label})
    if "text" not in site.collection[capture.label].parts:
        view.missing.append(site.lacks("Similar pages", "text", snapshot=capture.label))
        return
    try:
        view.rows = [dict(row) for row in site.collection.similar(capture.url, at=capture.label).rows]
    except MissingError as error:
        view.facts["note"] = str(error)


def _show_host(site: Site, view: PageView, capture: StoredCapture, **_: object) -> None:
    host = view.facts["host"]
    call = f"ls({host!r}, match='host')"
    view.action = Action("ls", str(site.collection.path), words=(host,), options={"host": True}, python=call)
    view.rows = explain_host(site, capture.label, host)
    labels = read_sheet(site.collection)
    view.facts |= {
        "label": labels.get(host, ""),
        "has_models": bool(site.models),
        "host_rank": find_rank(site, capture.label, host, level="host"),
    }


def _get(site: Site, capture: StoredCapture, what: str, **options: Any) -> Action:  # noqa: ANN401
    """What gives the payload, text or main content of a capture."""
    at = capture.entry.timestamp
    return Action(
        "get",
        str(site.collection.path),
        words=(capture.url,),
        options={"at": at, **options},
        python=f"get({capture.url!r}, at={at!r}).{what}",
    )


def _show_records(site: Site, view: PageView, capture: StoredCapture, **_: object) -> None:
    view.action = Action.on(site.collection, "ls", capture.url)
    view.rows = view.facts["captures"]
    view.facts["record_headers"] = [[name, value] for name, value in capture.record.headers]
    view.facts["http_head"] = capture.head.decode("utf-8", "replace")


_SHOW: dict[str, Any] = {
    "replay": _show_replay,
    "text": _show_text,
    "main": _show_text,
    "diff": _show_diff,
    "links": _show_links,
    "ranks": _show_ranks,
    "host": _show_host,
    "similar": _show_similar,
    "records": _show_records,
}
