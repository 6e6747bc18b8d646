"""The CDX server against a plain model: all captures in a list, filtered, collapsed, ordered and cut."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import webstrata as ws
from tests.serve.replay.asking import ask
from tests.serve.replay.conftest import HTML, respond, serving, store
from webstrata.archive.warc import WarcWriter
from webstrata.serve.replay.cdx import answer_query
from webstrata.serve.replay.holdings import Holdings
from webstrata.serve.replay.query import CdxError, CdxQuery
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from webstrata.archive.warc import Capture

HOSTS = ("a.uk", "www.a.uk", "b.a.uk", "a-b.uk", "a.uk:8080")


@pytest.fixture(scope="module")
def holdings(tmp_path_factory: pytest.TempPathFactory) -> Holdings:
    """Three snapshots of five hosts: pages, redirects, errors, and payloads that do not change."""
    snapshots: dict[str, list[Capture]] = {}
    for month, label in enumerate(("2026-06", "2026-07", "2026-08")):
        captures = []
        for number, host in enumerate(HOSTS):
            for page in range(8):
                at = month * 2_592_000 + number * 100 + page * 7
                status = ("200 OK", "404 Not Found", "302 Found")[page % 3]
                captures.append(
                    respond(f"http://{host}/p{page}", b"%d" % (page % 4), HTML, at=at, status=status)
                )
                captures.append(
                    respond(f"http://{host}/p{page}", b"%d" % month, HTML, at=at + 3, status=status)
                )
        snapshots[label] = captures
    return Holdings("uk", store(tmp_path_factory.mktemp("cdx"), snapshots))


@pytest.fixture(scope="module")
def everything(holdings: Holdings) -> list[dict[str, str]]:
    """Every capture, by key and time."""
    rows = [
        {
            "urlkey": entry.key,
            "timestamp": entry.timestamp,
            **entry.fields,
            "source": f"uk:{captures.date}",
            "source-coll": "uk",
        }
        for captures in holdings.now().captures
        for entry in captures
    ]
    return sorted(rows, key=lambda row: (row["urlkey"], row["timestamp"], row["source"]))


def run(holdings: Holdings, text: str) -> list[dict[str, str]]:
    answer = answer_query(holdings, CdxQuery.parse(f"{text}&output=json"))
    return [json.loads(line) for line in b"".join(answer.pieces).splitlines()]


def matches(row: dict[str, str], match: str) -> bool:
    host = row["urlkey"].partition(")")[0]
    if match == "exact":
        return row["urlkey"] == "uk,a)/p1"
    if match == "prefix":
        return row["urlkey"].startswith("uk,a)/p1")
    if match == "host":
        return host == "uk,a"
    return host.partition(":")[0] in ("uk,a", "uk,a,b")


@settings(deadline=None, max_examples=150)
@given(
    match=st.sampled_from(["exact", "prefix", "host", "domain"]),
    span=st.sampled_from([("", ""), ("202607", ""), ("", "20260630"), ("20260601000100", "20260701")]),
    chosen=st.sampled_from(["", "=status:200", "!=status:200", "~timestamp:2026070", "mime:html"]),
    collapse=st.sampled_from(["", "digest", "timestamp:6", "urlkey"]),
    order=st.sampled_from(["", "reverse"]),
    limit=st.one_of(st.none(), st.integers(-7, 7).filter(bool)),
)
def test_queries_select_as_a_plain_list_does(
    holdings: Holdings,
    everything: list[dict[str, str]],
    match: str,
    span: tuple[str, str],
    chosen: str,
    collapse: str,
    order: str,
    limit: int | None,
) -> None:
    rows = [row for row in everything if matches(row, match)]
    if chosen:
        name, _, value = chosen.lstrip("!=~").partition(":")
        tests: dict[str, Callable[[str], bool]] = {
            "=": lambda text: text == value,
            "!": lambda text: text != value,
            "~": lambda text: text.startswith(value),
        }
        test: Callable[[str], bool] = tests.get(chosen[0], lambda text: value in text)
        rows = [row for row in rows if test(row[name])]
    rows = [row for row in rows if span[0] <= row["timestamp"] and row["timestamp"] <= (span[1] or "9") + "9"]
    if collapse:
        name, _, size = collapse.partition(":")
        values = [row[name][: int(size)] if size else row[name] for row in rows]
        rows = [row for at, row in enumerate(rows) if at == 0 or values[at] != values[at - 1]]
    if order == "reverse":
        rows = rows[::-1][: abs(limit) if limit else None]
    elif limit:
        rows = rows[:limit] if limit > 0 else rows[limit:]
    text = f"url=http://a.uk/p1&matchType={match}&from={span[0]}&to={span[1]}"
    text += f"&filter={chosen}" if chosen else ""
    text += f"&collapse={collapse}" if collapse else ""
    text += f"&sort={order}" if order else ""
    text += f"&limit={limit}" if limit else ""
    assert run(holdings, text) == rows


@settings(deadline=None, max_examples=60)
@given(moment=st.integers(0, 6_000_000), limit=st.integers(1, 8), match=st.sampled_from(["exact", "prefix"]))
def test_closest_sorts_by_distance_from_a_time(
    holdings: Holdings, everything: list[dict[str, str]], moment: int, limit: int, match: str
) -> None:
    def read(text: str) -> dt.datetime:
        return dt.datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=dt.UTC)

    at = dt.datetime(2026, 6, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=moment)
    rows = [row for row in everything if matches(row, match)]
    rows.sort(key=lambda row: abs(read(row["timestamp"]) - at))
    text = f"url=http://a.uk/p1&matchType={match}&sort=closest&closest={at:%Y%m%d%H%M%S}&limit={limit}"
    assert run(holdings, text) == rows[:limit]


@pytest.mark.parametrize("extra", ["", "&filter==status:200", "&collapse=urlkey"])
@pytest.mark.parametrize("limit", [1, 5, 40])
def test_resume_keys_lead_through_a_whole_answer(holdings: Holdings, limit: int, extra: str) -> None:
    text = f"url=*.a.uk&fl=urlkey,timestamp,url&showResumeKey=true{extra}"
    wanted = [line for line in ask_text(holdings, text + "&output=text") if line]
    found: list[str] = []
    key = ""
    for _ in range(200):
        lines = ask_text(holdings, f"{text}&output=text&limit={limit}" + (f"&resumeKey={key}" if key else ""))
        if "" not in lines:
            found += lines
            break
        found += lines[: lines.index("")]
        key = lines[-1]
    if extra.endswith("urlkey"):
        found = [
            line for at, line in enumerate(found) if not at or line.split()[0] != found[at - 1].split()[0]
        ]
    assert found == wanted


def ask_text(holdings: Holdings, text: str) -> list[str]:
    return b"".join(answer_query(holdings, CdxQuery.parse(text)).pieces).decode().splitlines()


def test_pages_have_every_capture_once_and_end(holdings: Holdings) -> None:
    whole = run(holdings, "url=*.a.uk")
    count = json.loads(ask_text(holdings, "url=*.a.uk&showNumPages=true&pageSize=1")[0])
    assert count["pages"] == count["blocks"] > 1
    pages = [run(holdings, f"url=*.a.uk&pageSize=1&page={page}") for page in range(count["pages"])]
    assert [row for page in pages for row in page] == whole
    with pytest.raises(CdxError, match=f"Last Page is {count['pages'] - 1}"):
        run(holdings, f"url=*.a.uk&pageSize=1&page={count['pages']}")
    assert json.loads(ask_text(holdings, "url=nobody.uk&showNumPages=true")[0])["pages"] == 0


def test_what_is_taken_down_is_not_listed(tmp_path: Path) -> None:
    captures = [respond(f"http://a.uk/{name}", b"x", HTML) for name in ("open", "hidden")]
    collection = store(tmp_path, {"2026-06": captures})
    with serving(collection) as address:
        assert len(ask(f"{address}/cdx?url=a.uk/*").lines) == 2
        collection.takedown("http://a.uk/hidden", reason="a test")
        (line,) = ask(f"{address}/cdx?url=a.uk/*").lines
        assert "http://a.uk/open" in line
        answer = ask(f"{address}/2026id_/http://a.uk/hidden")
        assert (answer.status, "taken down" in answer.text, "a test" in answer.text) == (451, True, False)
        assert ask(f"{address}/files/").status == 451
        assert ask(f"{address}/timemap/link/http://a.uk/hidden").status == 404


def test_a_snapshot_added_while_serving_is_found(tmp_path: Path) -> None:
    now = [0.0]
    folder = tmp_path
    collection = store(folder, {"2026-06": [respond("http://a.uk/", b"x", HTML)]})
    holdings = Holdings("uk", collection, clock=lambda: now[0])
    assert len(run(holdings, "url=a.uk")) == 1
    later = ws.open(folder / "uk")
    with WarcWriter(folder, "2026-07") as writer:
        writer.write(respond("http://a.uk/", b"y", HTML, at=2_592_000))
    ingest(later.add("2026-07"), [folder / "2026-07-00000.warc.gz"])
    now[0] += 1.0
    assert len(run(holdings, "url=a.uk")) == 2
