"""Which URLs are nodes, and what the others stand for, against the rules in plain Python and in memory."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.store import in_memory
from tests.store.reference import select
from webstrata.archive.cdxj import Line
from webstrata.store import equivalence as classes
from webstrata.store import selection as module
from webstrata.store.pages import read_captures
from webstrata.store.parquet import sorting
from webstrata.store.selection import OTHERS, select_pages
from webstrata.web.row_key import row_key


def make(url: str, second: int = 0, **given: Any) -> Line:  # noqa: ANN401
    facts: dict[str, Any] = {
        "mime": "text/html",
        "status": 200,
        "digest": row_key(url).encode().ljust(20)[:20],
        "length": 1,
        "offset": 0,
        "filename": "a.warc.gz",
    }
    return Line(url=url, date=(10**9 + second) * 10**9, **(facts | given))


def choose(folder: Path, *lines: Line, memory: int = 1 << 20) -> in_memory.Selection:
    path = folder / "captures.cdxj"
    path.write_bytes(b"".join(line.to_bytes() for line in lines))
    with TemporaryDirectory(dir=folder) as scratch:
        found = select_pages(path, Path(scratch), memory=memory)
        pages, rest = (
            pa.concat_tables(found.pages()),
            pa.concat_tables([OTHERS.empty_table(), *found.others()]),
        )
        assert (found.num_captures, found.num_nodes, found.num_others) == (len(lines), len(pages), len(rest))
        keys = [key for table in found.nodes() for key in table["row_key"].to_pylist()]
    assert keys == pages["row_key"].to_pylist()
    return in_memory.Selection(pages, rest)


def urls(selection: in_memory.Selection) -> list[str]:
    return list(selection.pages["url"].to_pylist())


def others(selection: in_memory.Selection) -> dict[str, tuple[int | None, str]]:
    return {row["row_key"]: (row["node"], row["reason"]) for row in selection.others.to_pylist()}


def test_the_node_is_the_rank_of_the_row_key(tmp_path: Path) -> None:
    selection = choose(tmp_path, make("http://b.org/"), make("http://x.a.org/"), make("http://a.org/z"))
    assert urls(selection) == ["http://a.org/z", "http://x.a.org/", "http://b.org/"]
    assert len(selection.others) == 0


@pytest.mark.parametrize(
    ("mime", "status", "is_page"),
    [
        ("text/html", 200, True),
        ("Text/HTML; charset=x", 200, True),
        ("application/xhtml+xml", 200, True),
        ("text/plain", 200, True),
        ("application/pdf", 200, False),
        ("text/css", 200, False),
        ("text/html", 404, False),
        ("text/html", 206, False),
        ("unk", 200, False),
    ],
)
def test_pages_are_text_with_status_200(tmp_path: Path, mime: str, status: int, *, is_page: bool) -> None:
    selection = choose(tmp_path, make("http://a/", mime=mime, status=status))
    assert len(selection.pages) == is_page
    if not is_page:
        assert others(selection) == {"a)/": (None, "no page")}


def test_the_first_complete_capture_of_a_url_counts(tmp_path: Path) -> None:
    selection = choose(
        tmp_path,
        make("http://a/", 5, offset=5),
        make("http://a/", 1, offset=1, truncated="time"),
        make("http://a/", 2, offset=2, status=503),
        make("http://a/", 4, offset=4),
    )
    assert selection.pages["warc_record_offset"].to_pylist() == [4]


def test_a_page_that_is_always_cut_off_is_a_page(tmp_path: Path) -> None:
    selection = choose(tmp_path, make("http://a/", truncated="length"))
    assert selection.pages["content_truncated"].to_pylist() == ["length"]


def test_duplicates_are_nodes_of_their_own_and_their_payloads_are_found(tmp_path: Path) -> None:
    first = make("http://b/", digest=b"1" * 20, offset=10, fingerprint=7)
    again = make("http://a/", 1, digest=b"1" * 20, offset=20, mime="warc/revisit", duplicate_of="http://b/")
    nearly = make("http://c/", 2, offset=30, fingerprint=7, duplicate_of="http://b/")
    selection = choose(tmp_path, first, again, nearly)
    assert urls(selection) == ["http://a/", "http://b/", "http://c/"]
    assert selection.pages["warc_record_offset"].to_pylist() == [10, 10, 30]
    assert selection.pages["content_mime_type"].to_pylist() == ["text/html"] * 3
    assert selection.pages["fingerprint"].to_pylist() == [7, 7, 7]
    assert others(selection) == {}


def test_a_page_not_to_be_indexed_is_a_node_that_says_so(tmp_path: Path) -> None:
    selection = choose(
        tmp_path,
        make("http://a/", digest=b"1" * 20, robots="noindex,nofollow"),
        make("http://b/", digest=b"1" * 20),
        make("http://c/", status=301, redirect="http://a/"),
        make("http://d/", robots="nofollow"),
        make("http://e/", robots="soft-404"),
    )
    assert urls(selection) == ["http://a/", "http://b/", "http://d/", "http://e/"]
    assert selection.pages["noindex"].to_pylist() == [True, False, False, False]
    assert selection.pages["soft_404"].to_pylist() == [False, False, False, True]
    assert others(selection) == {"c)/": (0, "redirect")}


def test_a_revisit_finds_its_payload_in_an_earlier_snapshot(tmp_path: Path) -> None:
    for label, offset, more in (("2026-05", 5, []), ("2026-04", 4, [make("http://b/", offset=9)])):
        digest = b"1" * 20
        lines = [make("http://x/", digest=digest, offset=offset, robots="noindex", fingerprint=3), *more]
        (tmp_path / label).write_bytes(b"".join(line.to_bytes() for line in lines))
    own = [
        make("http://a/", digest=b"1" * 20, mime="warc/revisit"),
        make("http://b/", mime="warc/revisit"),
        make("http://c/", digest=b"2" * 20, mime="warc/revisit"),
    ]
    path = tmp_path / "captures.cdxj"
    path.write_bytes(b"".join(line.to_bytes() for line in own))
    earlier = {label: tmp_path / label for label in ("2026-05", "2026-04")}
    found = select_pages(path, tmp_path, earlier=earlier)
    pages = pa.concat_tables(found.pages()).to_pylist()
    assert [row["url"] for row in pages] == ["http://a/", "http://b/"]
    assert [row["warc_filename"] for row in pages] == ["2026-05/a.warc.gz", "2026-04/a.warc.gz"]
    assert [row["warc_record_offset"] for row in pages] == [5, 9]
    assert [(row["noindex"], row["fingerprint"]) for row in pages] == [(True, 3), (False, None)]
    assert found.lenders == {"2026-05", "2026-04"}


def test_a_redirect_stands_for_the_end_of_its_chain(tmp_path: Path) -> None:
    chain = [make(f"http://r/{i}", status=302, redirect=f"http://r/{i + 1}") for i in range(50)]
    circle = [make(f"http://o/{i}", status=302, redirect=f"http://o/{(i + 1) % 3}") for i in range(3)]
    lost = make("http://l/", status=302, redirect="http://nobody/")
    selection = choose(tmp_path, *chain, *circle, lost, make("http://r/50"))
    assert urls(selection) == ["http://r/50"]
    found = others(selection)
    assert all(found[f"r)/{i}"] == (0, "redirect") for i in range(50))
    assert all(found[f"o)/{i}"] == (None, "redirect") for i in range(3))
    assert found["l)/"] == (None, "redirect")


def test_a_revisit_of_something_not_here_is_no_page(tmp_path: Path) -> None:
    selection = choose(tmp_path, make("http://a/", mime="warc/revisit", duplicate_of="http://gone/"))
    assert others(selection) == {"a)/": (None, "no page")}


names = st.builds(
    "http://{}.org/{}".format, st.sampled_from(["a", "b", "b.a", "c-d"]), st.sampled_from(["", "x", "y"])
)


@st.composite
def line_lists(draw: st.DrawFn) -> list[Line]:
    made = []
    for place in range(draw(st.integers(0, 20))):
        status = draw(st.sampled_from([200, 200, 200, 200, 301, 301, 404, 503]))
        made.append(
            make(
                draw(names),
                draw(st.integers(0, 3)),
                status=status,
                mime=draw(st.sampled_from(["text/html", "text/html", "warc/revisit", "image/png"])),
                digest=bytes([draw(st.integers(0, 5))]) * 20,
                fingerprint=draw(st.none() | st.integers(0, 5)),
                offset=place,
                length=draw(st.integers(1, 9)),
                redirect=draw(names) if status == 301 else None,
                duplicate_of=draw(st.none() | names),
                robots=draw(st.sampled_from([None, None, None, "nofollow", "noindex", "soft-404"])),
                truncated=draw(st.sampled_from([None, None, "length"])),
            )
        )
    return made


@settings(max_examples=30)
@given(lines=line_lists())
def test_the_table_is_what_the_rules_say(tmp_path: Path, lines: list[Line]) -> None:
    selection = choose(tmp_path, *lines)
    nodes, stand, places = select(lines)
    assert urls(selection) == nodes
    assert {key: node for key, (node, _) in others(selection).items()} == {
        row_key(url): node for url, node in stand.items()
    }
    assert dict(zip(nodes, selection.pages["warc_record_offset"].to_pylist(), strict=True)) == places


@settings(max_examples=30)
@given(
    lines=line_lists(),
    memory=st.sampled_from([1, 2000, 1 << 20]),
    batch=st.sampled_from([1, 3, 1 << 15]),
    slots=st.sampled_from([1, 1 << 16]),
)
def test_on_disk_and_in_memory_are_the_same(
    tmp_path: Path, lines: list[Line], memory: int, batch: int, slots: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # so that runs are merged twice, groups are cut anywhere, and hashes meet
        patch.setattr(sorting, "FAN_IN", 3)
        patch.setattr(sorting, "PIECE", 1 if memory == 1 else 1000)
        patch.setattr(module, "_BATCH", batch)
        patch.setattr(classes.EquivalenceCounts, "_SLOTS", slots)
        found = choose(tmp_path, *lines, memory=memory)
        members = choose_members(tmp_path, memory=memory)
    captures = read_captures(tmp_path / "captures.cdxj")
    expected = in_memory.select_pages(captures)
    assert found.pages.to_pylist() == expected.pages.to_pylist()
    assert found.pages.schema == expected.pages.schema
    assert found.others.to_pylist() == expected.others.to_pylist()
    judged = in_memory.judge_captures(captures)
    kept = judged.is_page
    assert [row["url"] for row in members] == judged.chosen["url"].filter(pa.array(kept)).to_pylist()
    saved = judged.source["length"].to_numpy()[kept] - judged.chosen["length"].to_numpy()[kept]
    assert [row["saved"] for row in members] == saved.clip(0).tolist()


def choose_members(folder: Path, memory: int) -> list[dict[str, Any]]:
    with TemporaryDirectory(dir=folder) as scratch:
        found = select_pages(folder / "captures.cdxj", Path(scratch), memory=memory)
        return [row for table in found.members() for row in table.to_pylist()]


def test_every_field_of_a_line_arrives(tmp_path: Path) -> None:
    line = make("https://www.example.org:81/x?y", fingerprint=2**64 - 1, length=7, offset=2**40)
    row = choose(tmp_path, line).pages.to_pylist()[0]
    assert row.pop("fetch_time").isoformat() == "2001-09-09T01:46:40+00:00"
    assert row == {
        "row_key": "org,example,www)/x?y 81 https",
        "url_surtkey": "org,example:81)/x?y",
        "url": "https://www.example.org:81/x?y",
        "url_host_name": "www.example.org",
        "url_host_tld": "org",
        "url_host_2nd_last_part": "example",
        "url_host_3rd_last_part": "www",
        "url_host_4th_last_part": None,
        "url_host_5th_last_part": None,
        "url_host_registry_suffix": "org",
        "url_host_private_suffix": "org",
        "url_host_registered_domain": "example.org",
        "url_host_private_domain": "example.org",
        "url_host_name_reversed": "org.example.www",
        "url_protocol": "https",
        "url_port": 81,
        "url_path": "/x",
        "url_query": "y",
        "fetch_status": 200,
        "content_mime_type": "text/html",
        "content_digest": row["content_digest"],
        "content_truncated": None,
        "fingerprint": 2**64 - 1,
        "noindex": False,
        "soft_404": False,
        "warc_record_length": 7,
        "warc_record_offset": 2**40,
        "warc_filename": "a.warc.gz",
    }


def test_an_unmodified_page_is_a_node_with_its_payload_and_a_robots_txt_is_none(tmp_path: Path) -> None:
    digest = b"1" * 20
    lines = [
        make("http://a.test/old", digest=digest, filename="old.warc.gz"),
        make("http://a.test/same", digest=digest, status=304, mime="warc/revisit"),
        make("http://a.test/lost", digest=b"2" * 20, status=304, mime="warc/revisit"),
        make("http://a.test/robots.txt", digest=b"3" * 20, mime="text/plain", robots="robots-txt"),
        make("http://b.test/rules", digest=b"3" * 20, mime="text/plain", robots="robots-txt"),
        make("http://b.test/robots.txt", digest=b"3" * 20, mime="text/plain"),
        make("http://b.test/a/robots.txt", digest=b"3" * 20, mime="text/plain"),
    ]
    pages = choose(tmp_path, *lines).pages
    assert pages["url"].to_pylist() == [
        "http://a.test/old",
        "http://a.test/same",
        "http://b.test/a/robots.txt",
    ]
    assert pages["fetch_status"].to_pylist() == [200, 304, 200]
    assert pages["warc_filename"].to_pylist()[1] == "old.warc.gz"


def test_a_crawl_without_captures_has_no_pages(tmp_path: Path) -> None:
    selection = choose(tmp_path)
    assert len(selection.pages) == len(selection.others) == 0
