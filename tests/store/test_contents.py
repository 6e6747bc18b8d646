"""What pages contain, from the payloads in the WARC files."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import webstrata as ws
from tests.crawl.test_run import crawl_web
from tests.sealing import seal
from tests.store.crawls import Answer, write_crawl
from tests.store.warcs import pack, response
from webstrata._core import store as core
from webstrata.collection.progress import Progress, Task
from webstrata.errors import Cancelled
from webstrata.store import contents
from webstrata.store.build import PARSED, build_parsed, build_store
from webstrata.store.contents import build_contents, limit_parsed, parse
from webstrata.store.ingest.run import ingest
from webstrata.store.main_content.dom import load_rules
from webstrata.store.main_content.slope import extract_low_slopes
from webstrata.store.parquet.columns import KINDS, strings, text_batches, text_columns
from webstrata.store.settings import MAIN
from webstrata.store.text import cut_main
from webstrata.web.url import MAX_LENGTH
from webstrata.web.words import load_core

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot


def test_headings_are_read_as_they_are_shown() -> None:
    body = b"""<h1 class=a>One &amp; <b>two</b></h1><!-- <h2>no</h2> --><script>"<h2>no</h2>"</script>
        <H3>three\n four</H3><h2></h2><h4>open<p>para</p><h7>no</h7><hr><header>no</header>"""
    assert parse(body, url="http://a/").text["headings"] == [
        {"level": 1, "text": "One & two"},
        {"level": 3, "text": "three four"},
        {"level": 4, "text": "open para no no"},
    ]


@pytest.mark.parametrize("charset", ["utf-8", "utf-16-le", "iso-2022-jp", "shift_jis", "euc-jp"])
def test_headings_and_text_are_read_in_any_charset(charset: str) -> None:
    body = "<title>題</title><h1>日本語の見出し</h1><p>本文です。</p>".encode(charset)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset={charset.removesuffix('-le')}\r\n".encode()
    found = parse(body, url="http://a.jp/", head=head)
    assert found.text == {
        "title": "題",
        "headings": [{"level": 1, "text": "日本語の見出し"}],
        "text": "日本語の見出し\n本文です。",
        "main": [0, len("日本語の見出し\n本文です。".encode())],
        "fallback": False,
    }


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "latin-1"])
def test_plain_text_has_no_tags_and_no_links(charset: str) -> None:
    body = "a < b & c &lt;\n<a href=/x>é</a>".encode(charset)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset={charset}\r\n".encode()
    found = parse(body, url="http://a/", mime="text/plain", head=head)
    assert found.text["text"] == "a < b & c &lt;\n<a href=/x>é</a>"
    assert not found.links
    assert not found.text["headings"]


def test_main_content_is_that_of_the_method_that_is_named() -> None:
    menu = "<li><a href=/é>Menü</a></li>" * 40
    story = " ".join(f"wörter{number}" for number in range(90))
    page = f"<ul>{menu}</ul><div><p>{story}</p><script>{menu}</script><p>{story} end</p></div><ul>{menu}</ul>"
    row = parse(page.encode(), url="http://a/", main="low-slope").text
    kept = cut_main(row["text"], row["main"])
    assert kept.split() == extract_low_slopes(page).split()
    assert kept.split().count("wörter7") == 2
    assert kept.count("Menü") < 30
    row = parse(page.encode(), url="http://a/").text
    assert cut_main(row["text"], row["main"]) == f"{story}\n{story} end"
    assert not row["fallback"]


def test_what_a_page_says_of_itself_counts_where_its_text_is_too_short() -> None:
    assert parse(b"<html lang=pt-BR><p>ok", url="http://a/").columns["language"] == "pt"
    assert parse(b"<html lang=english><p>ok", url="http://a/").columns["language"] is None
    german = "Dies ist ein Satz, der lang genug ist, um seine Sprache zu erkennen."
    assert parse(f"<html lang=en><p>{german}".encode(), url="http://a/").columns["language"] == "de"


def test_nofollow_of_link_page_and_header_is_kept_apart() -> None:
    link = b"<a rel='nofollow ugc' href=/b>b</a><a href=/c>c</a><a href=mailto:x>x</a>"
    assert [rel for _, _, rel, _ in parse(link, url="http://a/").links] == [3, 0]
    assert parse(link, url="http://a/").rejected == 1
    meta = b"<meta name=robots content=nofollow>" + link
    assert [rel for _, _, rel, _ in parse(meta, url="http://a/").links] == [11, 8]
    head = b"HTTP/1.1 200 OK\r\nX-Robots-Tag: noarchive, nofollow\r\n"
    assert [rel for _, _, rel, _ in parse(link, url="http://a/", head=head).links] == [11, 8]


@given(
    st.lists(
        st.one_of(
            st.binary(max_size=8),
            st.sampled_from(
                [b"<h1>", b"</h2 a>", b"<a href='", b"&#1;", b"\xff\xfe", b"\x1b$B", b"<!--", b"\n"]
            ),
        )
    ).map(b"".join),
    st.sampled_from(["text/html", "text/plain"]),
    st.sampled_from([b"", b"utf-16", b"iso-2022-jp", b"x-user-defined", b"no-such", b"gb18030"]),
)
def test_any_bytes_can_be_parsed(body: bytes, mime: str, charset: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=" + charset + b"\r\n"
    found = parse(body, url="http://a.org/", mime=mime, head=head)
    assert found.columns["charset"]
    assert all(1 <= heading["level"] <= 6 and heading["text"] for heading in found.text["headings"])


def parse_by_core(body: bytes, url: str, head: bytes, main: str = MAIN) -> contents.Content:
    """What the core makes of a page, as `parse` says it."""
    kernel = core.Contents(
        load_core(), 1, MAX_LENGTH, load_rules(visual=main == "visual") if main != "low-slope" else None
    )
    label = contents._find_header(head, contents._LABEL)
    kernel.parse(0, body, url, label, contents._find_header(head, contents._ROBOTS) or "")
    found = kernel.finish()
    [text] = next(text_batches(found, 1)).to_pylist()
    [columns] = text_columns(found).to_pylist()
    keys, anchors = (
        strings(found[name], 0, len(found[name][0]) - 1).to_pylist() for name in ("row_key", "anchor")
    )
    links = [
        (keys[target], KINDS[kind], int(rel), anchor)
        for target, kind, rel, anchor in zip(
            found["target"], found["kind"], found["rel"], anchors, strict=True
        )
    ]
    return contents.Content(text, columns, links, found["rejected"])


@given(
    st.lists(
        st.one_of(
            st.text(max_size=12).map(str.encode),
            st.sampled_from(
                [b"<h2>", b"</h2>", b"<a href='/x#y'>", b"<a href=../z>", b"</a>", b"<base href=/b/c>",
                 b"<p>", b"<meta name=robots content=nofollow>", b"<html lang=fr>", b"<template>",
                 b"&#223;", b"\xff"]
            ),
        )
    ).map(b"".join),
    st.sampled_from([b"", b"X-Robots-Tag: nofollow\r\n", b"Content-Type: a/b; charset=utf-8\r\n"]),
)  # fmt: skip
def test_the_core_parses_as_python_does(body: bytes, header: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\n" + header
    assert parse_by_core(body, "http://a.org/b/", head) == parse(body, url="http://a.org/b/", head=head)


def test_the_core_parses_pages_of_others_as_python_does(test_data: Path) -> None:
    pages = sorted((test_data / "content").rglob("*.html*"))[:20]
    assert pages
    for path in pages:
        body = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for main in ("dom", "visual", "low-slope"):
            expected = parse(body, url="http://a.org/b/", main=main)
            assert parse_by_core(body, "http://a.org/b/", b"", main) == expected


def test_of_a_page_without_end_the_beginning_is_parsed() -> None:
    body = b"<a href=/x>one</a>" + b" " * contents.MAX_PARSED + b"<a href=/y>two</a>"
    kernel = core.Contents(load_core(), 1, MAX_LENGTH)
    kernel.parse(0, body, "http://a/", None, "")
    found = kernel.finish()
    assert (list(found["num_links"]), list(found["words"])) == ([1], [1])
    assert parse(body, url="http://a/").text["text"] == "one"


def test_hostile_pages_are_parsed_in_linear_time() -> None:
    for piece in (b"<h1 ", b"<h1>", b"</h1", b"<h1><!--", b"\x01", b'<h1 a="<h2>'):
        parse(piece * 100_000, url="http://a/")


# ---- the parts


def make_pages(count: int) -> dict[str, bytes | Answer]:
    """Pages that differ in a word."""
    links = b"".join(b"<a href=/%d>to %d</a> " % (place * 7 % count, place) for place in range(3))
    names = [str(number).translate(str.maketrans("0123456789", "abcdefghij")) for number in range(count)]
    return {
        f"http://a.org/{number}": f"<title>T{number}</title><p>page {name}</p>".encode() + links
        for number, name in enumerate(names)
    }


def checksums(snapshot: Snapshot) -> dict[str, str]:
    return {name: snapshot.parts.record(name).checksum for name in ("text", "links", "anchors")}


def build(
    folder: Path,
    pages: dict[str, bytes | Answer],
    label: str = "2026-06",
    *,
    parts: tuple[str, ...] = PARSED,
    workers: int = 1,
) -> Snapshot:
    uk = ws.open(folder / "uk") if (folder / "uk").exists() else ws.create(folder / "uk")
    snapshot = uk.add(label)
    build_store(snapshot, write_crawl(folder / label, pages, max_bytes=4000), parts=parts, workers=workers)
    return uk[label]


@pytest.mark.parametrize("held", [1, 20_000])
def test_the_contents_are_the_same_in_whatever_pieces_they_are_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: int
) -> None:
    whole = checksums(build(tmp_path / "whole", make_pages(150)))
    taken = checksums(build(tmp_path / "whole", make_pages(160), "2026-07"))
    calls = []
    parse_piece = contents._parse_piece

    def count(*words: Any) -> Any:  # noqa: ANN401
        calls.append(words[1:3])
        return parse_piece(*words)

    monkeypatch.setattr(contents, "_parse_piece", count)
    monkeypatch.setattr(contents, "MAX_HELD", held)
    assert checksums(build(tmp_path / "pieces", make_pages(150))) == whole
    assert len(calls) > 3, "all was parsed at once"
    assert checksums(build(tmp_path / "pieces", make_pages(160), "2026-07")) == taken


def test_settings_say_how_main_content_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        f"Ein Absatz Nummer {number}, der lang genug ist, um als einer zu zählen." for number in range(3)
    ]
    menu = "<ul>" + "<li><a href=/>Menü</a></li>" * 30 + "</ul>"
    page = f"{menu}<div>{''.join(f'<p>{line}</p>' for line in lines)}</div>{menu}".encode()
    pages: dict[str, bytes | Answer] = {
        "http://a.uk/": page,
        "http://a.uk/b": Answer(b"plain text", mime="text/plain"),
    }
    monkeypatch.setenv("WEBSTRATA_STORE_MAIN", "low-slope")
    one = build(tmp_path, pages, label="2026-06")
    assert one.text.main_method == "low-slope"
    # no section is long enough, so that the visible text stands in, and that is counted
    assert [one.text[node].main == one.text[node].text for node in range(2)] == [True, True]
    assert [one.text[node].fallback for node in range(2)] == [True, True]
    assert one.parts.record("text").counts["fallback"] == 2
    monkeypatch.delenv("WEBSTRATA_STORE_MAIN")
    two = build(tmp_path, pages, label="2026-07")
    assert MAIN == "dom"
    assert (two.text.main_method, two.text[0].main.split("\n")) == ("dom", lines)
    assert two.capture("http://a.uk/").main == two.text[0].main
    assert two.parts.record("text").counts["taken"] == two.parts.record("text").counts["fallback"] == 0
    # what was found in the same way is taken over
    three = build(tmp_path, pages, label="2026-08")
    assert three.parts.record("text").counts["taken"] == 2
    assert [three.text[node].main for node in range(2)] == [two.text[node].main for node in range(2)]


def test_the_parts_do_not_depend_on_how_the_work_was_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = make_pages(300)
    one = build(tmp_path / "one", pages, workers=1)
    monkeypatch.setattr(contents, "RANGE", 64)
    two = build(tmp_path / "two", pages, workers=1)
    three = build(tmp_path / "three", pages, workers=2)
    assert checksums(one) == checksums(two) == checksums(three)
    assert one.parts.record("links").counts == {"links": 900, "targets": 3, "rejected": 0}
    assert [one.text[node].title for node in range(300)] == [f"T{url.rpartition('/')[2]}" for url in one.urls]


def test_a_build_that_was_stopped_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Impatient(Progress):
        def __init__(self) -> None:
            super().__init__()
            self.notes: list[str] = []

        def note(self, sentence: str) -> None:
            self.notes.append(sentence)

        def changed(self, task: Task) -> None:
            if task.title == "parsing" and task.done > 150 and not self.notes:
                self.cancel()

    monkeypatch.setattr(contents, "RANGE", 64)
    snapshot = build(tmp_path, make_pages(300), parts=())
    with pytest.raises(Cancelled):
        build_contents(snapshot, progress=Impatient())
    assert "text" not in snapshot.parts
    progress = Impatient()
    progress.notes = ["again"]
    build_contents(snapshot, progress=progress)
    assert progress.notes[1:] == ["text: 2 of 5 shards were done before"]
    assert len(snapshot.text) == 300


def test_a_record_that_cannot_be_read_costs_its_page_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    snapshot = build(tmp_path, make_pages(3), parts=())
    row = snapshot.pages[1]
    path = snapshot.path / "warc" / row["warc_filename"]
    data = bytearray(path.read_bytes())
    begun = row["warc_record_offset"]
    data[begun : begun + 4] = bytes(4)
    path.write_bytes(data)
    seal(snapshot, "warc")
    build_parsed(snapshot, workers=1)
    assert snapshot.parts.record("text").counts == {
        "nodes": 3,
        "taken": 0,
        "unreadable": 1,
        "fallback": 0,
    }
    assert (snapshot.text[1].text, snapshot.text[1].charset) == ("", None)
    assert snapshot.text[2].title == "T2"
    assert "no record begins here" in caplog.text


def test_many_bombs_are_parsed_up_to_a_limit_whatever_packed_them(tmp_path: Path) -> None:
    size = 4 << 20
    body = b"<p>" + bytes(size)
    packed = gzip.compress(body)
    assert limit_parsed(len(packed)) == 1 << 20
    # the first is packed by the WARC file alone and read by the core, the second has a content coding
    records = [
        response("http://a.uk/1", body),
        response("http://a.uk/2", packed, head=b"Content-Encoding: gzip\r\n"),
    ]
    (tmp_path / "a.warc.gz").write_bytes(pack(*records))
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    ingest(snapshot, [tmp_path / "a.warc.gz"])
    lengths = [len(snapshot.text[node].text) for node in range(2)]
    assert lengths[0] == lengths[1] <= 1 << 20
    assert len(snapshot.capture("http://a.uk/2").payload) == len(body)


def test_only_text_and_links_are_contents(tmp_path: Path) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    for parts in ([], ["anchors"]):
        with pytest.raises(ValueError, match="expected text, links or both"):
            build_contents(snapshot, parts)


def test_a_crawl_whose_parsing_is_broken_off_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("webstrata.crawl.run.build_parsed", refuse)
    with pytest.raises(KeyboardInterrupt):
        crawl_web(tmp_path, ws.invitro.Web("tiny", seed=7))
    snapshot = ws.open(tmp_path / "uk")["2026-06"]
    assert [path.name for path in (snapshot.path / "crawl").glob("*.json")] == ["crawl.json"]
    assert not list((snapshot.path / "crawl").glob("*.warc*"))
    build_parsed(snapshot)
    assert len(snapshot.text) == len(snapshot.urls) == 282
