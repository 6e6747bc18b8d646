"""Which URLs are nodes, and what the others stand for, against the rules in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.store.reference import select
from webstrata.errors import FormatError, MissingError
from webstrata.store.cdxj import Line
from webstrata.store.pages import ROW_GROUP, Pages, Selection, read_captures, select_pages, write_pages
from webstrata.web.row_key import row_key

if TYPE_CHECKING:
    from pathlib import Path


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


def choose(folder: Path, *lines: Line) -> Selection:
    path = folder / "captures.cdxj"
    path.write_bytes(b"".join(line.to_bytes() for line in lines))
    return select_pages(read_captures(path))


def urls(selection: Selection) -> list[str]:
    return list(selection.pages["url"].to_pylist())


def others(selection: Selection) -> dict[str, tuple[int | None, str]]:
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


def test_the_smallest_row_key_of_a_class_is_the_node_and_its_payload_is_found(tmp_path: Path) -> None:
    first = make("http://b/", digest=b"1" * 20, offset=10, fingerprint=7)
    again = make("http://a/", 1, digest=b"1" * 20, offset=20, mime="warc/revisit", duplicate_of="http://b/")
    nearly = make("http://c/", 2, offset=30, fingerprint=7, duplicate_of="http://b/")
    selection = choose(tmp_path, first, again, nearly)
    assert urls(selection) == ["http://a/"]
    assert selection.pages["warc_record_offset"].to_pylist() == [10]
    assert selection.pages["content_mime_type"].to_pylist() == ["text/html"]
    assert others(selection) == {"b)/": (0, "duplicate"), "c)/": (0, "duplicate")}


def test_a_page_not_to_be_indexed_is_no_node_and_stands_for_none(tmp_path: Path) -> None:
    selection = choose(
        tmp_path,
        make("http://a/", digest=b"1" * 20, robots="noindex,nofollow"),
        make("http://b/", digest=b"1" * 20),
        make("http://c/", status=301, redirect="http://a/"),
        make("http://d/", robots="nofollow"),
    )
    assert urls(selection) == ["http://b/", "http://d/"]
    assert others(selection) == {"a)/": (None, "noindex"), "c)/": (None, "redirect")}


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


names = st.sampled_from("abcdefg").map(lambda name: f"http://{name}.org/")


@st.composite
def line_lists(draw: st.DrawFn) -> list[Line]:
    made = []
    for place in range(draw(st.integers(0, 14))):
        status = draw(st.sampled_from([200, 200, 200, 200, 301, 404, 503]))
        made.append(
            make(
                draw(names),
                draw(st.integers(0, 3)),
                status=status,
                mime=draw(st.sampled_from(["text/html", "text/html", "warc/revisit", "image/png"])),
                digest=bytes([draw(st.integers(0, 5))]) * 20,
                fingerprint=draw(st.none() | st.integers(0, 5)),
                offset=place,
                redirect=draw(names) if status == 301 else None,
                duplicate_of=draw(st.none() | names),
                robots=draw(st.sampled_from([None, None, "nofollow", "noindex"])),
                truncated=draw(st.sampled_from([None, None, "length"])),
            )
        )
    return made


@given(lines=line_lists())
def test_the_table_is_what_the_rules_say(tmp_path: Path, lines: list[Line]) -> None:
    selection = choose(tmp_path, *lines)
    nodes, stand, places = select(lines)
    assert urls(selection) == nodes
    assert {key: node for key, (node, _) in others(selection).items()} == {
        row_key(url): node for url, node in stand.items()
    }
    assert dict(zip(nodes, selection.pages["warc_record_offset"].to_pylist(), strict=True)) == places


# ---- reading and the table


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
        "warc_record_length": 7,
        "warc_record_offset": 2**40,
        "warc_filename": "a.warc.gz",
    }


@pytest.mark.parametrize(
    "text", [b"org,a)/ 20260101000000 {", b"nonsense\n", b'a) 20260101000000 {"url": "x"}\n']
)
def test_a_line_that_is_none_is_told(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "c").write_bytes(text)
    with pytest.raises(FormatError, match="line"):
        read_captures(tmp_path / "c")


def test_a_crawl_without_captures_has_no_pages(tmp_path: Path) -> None:
    selection = choose(tmp_path)
    assert len(selection.pages) == len(selection.others) == 0


def test_rows_are_read_by_node_across_groups(tmp_path: Path) -> None:
    count = ROW_GROUP + 5
    write_pages(tmp_path / "pages.parquet", pa.table({"number": pa.array(range(count))}))
    pages = Pages(tmp_path)
    assert len(pages) == count
    for node in (0, ROW_GROUP - 1, ROW_GROUP, count - 1):
        assert pages[node] == {"number": node}
    for node in (-1, count):
        with pytest.raises(IndexError):
            pages[node]
    with pytest.raises(MissingError):
        Pages(tmp_path / "none")
