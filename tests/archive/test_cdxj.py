"""Lines, keys and the index: what pywb expects, and what a file of sorted lines would answer."""

from __future__ import annotations

import datetime as dt
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from webstrata._core import archive as core
from webstrata.archive.cdxj import BLOCK_LINES, Entry, Index, Line, build_cdxj, surt
from webstrata.errors import FormatError, MissingError, UrlError, UsageError
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from pathlib import Path

DAY = 86_400 * 10**9


def make(url: str = "http://example.org/", day: int = 0, **given: Any) -> Line:  # noqa: ANN401
    facts: dict[str, Any] = {
        "mime": "text/html",
        "status": 200,
        "digest": bytes(20),
        "length": 1,
        "offset": day,
        "filename": "a.warc.gz",
    }
    return Line(url=url, date=10**18 + day * DAY, **(facts | given))


# ---- keys


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.example.org/", "org,example)/"),
        ("https://www12.Example.ORG/A/B/", "org,example)/a/b"),
        ("http://wwwx.example.org/", "org,example,wwwx)/"),
        ("http://example.org:8080/a?", "org,example:8080)/a"),
        ("http://127.0.0.1/", "1,0,0,127)/"),
        ("http://[::1]:81/", "::1:81)/"),
        ("http://example.org./", "org,example)/"),
        ("http://a.org/%7Ex/%41%2542//c/./../d", "org,a)/~x/ab/d"),
        ("http://a.org/%20%C3%A9%23%25", "org,a)/%20%c3%a9%23%25"),
        ("http://a.org/?b=2&a&a=1&c&a=", "org,a)/?a&a=&a=1&b=2&c"),
        ("http://a.org/?x=1&PHPSESSID=0123456789abcdefghijklmnopqrstuv&y=2", "org,a)/?x=1&y=2"),
        ("http://a.org/x/(S(abcdefghijklmnopqrstuvwx))/b.aspx?q", "org,a)/x/b.aspx?q"),
        ("http://a.org/?cfid=1&cftoken=2", "org,a)/"),
        ("http://a.org/?&", "org,a)/?&"),
    ],
)
def test_a_key_is_that_of_the_package_surt(url: str, key: str) -> None:
    assert surt(normalize(url)) == key


def test_keys_are_those_of_indexes_that_pywb_made(test_data: Path) -> None:
    seen = 0
    for path in sorted((test_data / "warc" / "pywb" / "cdxj").glob("*.cdxj")):
        for line in path.read_text().splitlines():
            key, _, fields = line.split(" ", 2)
            url = json.loads(fields)["url"]
            if "__wb_method" not in key and "__wb_post_data" not in key and "@" not in url:
                assert surt(normalize(url)) == key
                seen += 1
    assert seen > 150


def test_keys_are_those_of_urlcanon_where_the_url_has_a_normal_form(test_data: Path) -> None:
    tables = json.loads((test_data / "url" / "urlcanon" / "surt.json").read_text())
    cases = [(url, key) for url, key in tables["defaultIASurt"].items()]
    for name in ("Canonicalizer.DefaultIA", "Canonicalizer.IA", "google"):
        cases += [(url, core.surts([form])[0]) for url, form in tables[name].items()]
    for form, name in (("http://{}/", "massageHost"), ("http://a{}", "stripPathSessionId")):
        cases += [(form.format(a), core.surts([form.format(b)])[0]) for a, b in tables[name].items()]
    different, seen = {}, 0
    for url, key in cases:
        try:
            ours = surt(normalize(url))
        except UrlError:
            continue
        seen += 1
        if ours != key:
            different[url] = ours, key
    assert seen > 40
    assert different == {}


@given(text=st.text(st.characters(codec="utf-8"), max_size=30), query=st.text("abAB=&%2541é;? ", max_size=20))
@example(text="%252e%252e/%25%35%32", query="a%3db&a=b")
def test_a_key_has_no_blank_and_is_its_own_key(text: str, query: str) -> None:
    url = normalize(f"http://www.example.org/{text}?{query}")
    key = surt(url)
    assert key.isascii()
    assert not set(key) & set(" \n\t\0")
    assert key == key.lower()
    assert key.startswith("org,example)/")


# ---- lines


@given(
    mime=st.text(max_size=10),
    filename=st.text(max_size=10),
    robots=st.none() | st.text(max_size=10),
    status=st.integers(0, 999),
    offset=st.integers(0, 2**63),
    fingerprint=st.none() | st.integers(0, 2**64 - 1),
    date=st.integers(0, 250_000_000_000 * 10**6),
)
def test_a_line_is_one_line_and_its_json_says_what_was_given(
    mime: str, filename: str, robots: str | None, status: int, offset: int, fingerprint: int | None, date: int
) -> None:
    line = Line(
        url="http://example.org/",
        date=date,
        mime=mime,
        status=status,
        digest=b"\xff" * 20,
        length=1,
        offset=offset,
        filename=filename,
        fingerprint=fingerprint,
        robots=robots,
    )
    text = line.to_bytes()
    assert text.decode("ascii").splitlines(keepends=True) == [text.decode()]
    entry = Entry.parse(text)
    expected = {
        "url": "http://example.org/",
        "mime": mime,
        "status": str(status) if status else "-",
        "digest": "7" * 32,
        "length": "1",
        "offset": str(offset),
        "filename": filename,
    }
    if fingerprint is not None:
        expected["fingerprint-2"] = f"{fingerprint:016x}"
    if robots is not None:
        expected["robots"] = robots
    assert list(entry.fields.items()) == list(expected.items())
    assert entry.time == dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=date // 10**9)


def test_fields_of_ours_stand_behind_those_of_everybody() -> None:
    line = make(duplicate_of="http://a/", redirect="http://b/", robots="noindex", truncated="length")
    fields = Entry.parse(line.to_bytes()).fields
    assert list(fields)[7:] == ["duplicate-of", "redirect", "robots", "truncated"]
    assert fields["duplicate-of"] == "http://a/"


@pytest.mark.parametrize("line", [b"", b"a b", b"a 2026 {", b"\xff 1 {}"])
def test_what_is_no_line_is_told(line: bytes) -> None:
    with pytest.raises(FormatError, match="no line of a CDXJ index"):
        Entry.parse(line)


# ---- the index


hosts = st.sampled_from(["a.org", "b.a.org", "a-b.org", "www.a.org", "a.org:81", "c.com"])
captures = st.tuples(hosts, st.sampled_from(["", "x", "x/y", "X", "z?q"]), st.integers(0, 5))


@given(
    made=st.lists(captures, max_size=40), block_lines=st.integers(1, 7), memory=st.sampled_from([1, 1 << 20])
)
def test_the_index_answers_as_a_list_of_all_lines_would(
    tmp_path: Path, made: list[tuple[str, str, int]], block_lines: int, memory: int
) -> None:
    lines = [make(normalize(f"http://{host}/{path}"), day) for host, path, day in made]
    source = tmp_path / "captures.cdxj"
    source.write_bytes(b"".join(line.to_bytes() for line in lines))
    assert build_cdxj(source, tmp_path, block_lines=block_lines, memory=memory) == len(lines)
    expected = sorted(line.to_bytes() for line in lines)
    assert gzip.decompress((tmp_path / "index.cdxj.gz").read_bytes()) == b"".join(expected)
    entries = [Entry.parse(line) for line in expected]
    with Index(tmp_path) as index:
        assert list(index) == entries
        for url in {line.url for line in lines} | {"http://nobody.org/", "http://a.org/none"}:
            own = sorted((entry for entry in entries if entry.url == url), key=lambda entry: entry.timestamp)
            assert list(index.captures(url)) == own
            assert index.lookup(url) == (own[-1] if own else None)
            moment = dt.datetime.fromtimestamp(10**9 + 2 * 86_400, dt.UTC)
            before = [entry for entry in own if entry.time <= moment]
            assert index.lookup(url, at=moment) == (before[-1] if before else None)
        for prefix in ("org,a)/x", "org,a", "com", "zz", "org,a)/x/"):
            assert list(index.scan(prefix)) == [entry for entry in entries if entry.key.startswith(prefix)]
        assert list(index.scan_host("a.org")) == [e for e in entries if e.key.startswith("org,a)")]
        below = ("org,a)", "org,a,", "org,a:")
        assert list(index.scan_domain("a.org")) == [e for e in entries if e.key.startswith(below)]


def test_a_date_means_the_end_of_it(tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(b"".join(make(day=day).to_bytes() for day in (0, 40)))
    build_cdxj(tmp_path / "c", tmp_path)
    with Index(tmp_path) as index:

        def ask(at: str) -> str | None:
            found = index.lookup("http://example.org/", at=at)
            return found and found.timestamp

        assert ask("2001") == "20011019014640"
        assert ask("2001-09") == ask("2001-09-09") == ask("20010909014640") == "20010909014640"
        assert ask("2001-09-08") is None
        with pytest.raises(UsageError):
            ask("yesterday")


def test_blocks_are_members_of_300_lines_with_a_summary(tmp_path: Path) -> None:
    lines = sorted(make(f"http://example.org/{number}").to_bytes() for number in range(700))
    (tmp_path / "c").write_bytes(b"".join(reversed(lines)))
    build_cdxj(tmp_path / "c", tmp_path)
    rows = [row.split("\t") for row in (tmp_path / "index.idx").read_text().splitlines()]
    assert [row[1] for row in rows] == ["index"] * 3
    assert [row[4] for row in rows] == ["1", "2", "3"]
    data = (tmp_path / "index.cdxj.gz").read_bytes()
    for number, (first, _, offset, length, _) in enumerate(rows):
        block = gzip.decompress(data[int(offset) : int(offset) + int(length)]).splitlines(keepends=True)
        assert block == lines[number * BLOCK_LINES : (number + 1) * BLOCK_LINES]
        assert block[0].decode().startswith(first)
    assert (tmp_path / "index.loc").read_text() == "index\tindex.cdxj.gz\n"


@settings(max_examples=40)
@given(
    old=st.lists(captures, max_size=30),
    new=st.lists(captures, max_size=30),
    block_lines=st.integers(1, 7),
    memory=st.sampled_from([1, 1 << 20]),
)
def test_lines_are_added_as_if_all_had_been_there(
    tmp_path: Path,
    old: list[tuple[str, str, int]],
    new: list[tuple[str, str, int]],
    block_lines: int,
    memory: int,
) -> None:
    # two captures of a second differ in nothing but their place: these must be in order too
    texts = [
        [make(normalize(f"http://{host}/{path}"), day, offset=n).to_bytes() for host, path, day in made]
        for n, made in enumerate((old, new))
    ]
    base, whole = tmp_path / "base", tmp_path / "whole"
    for folder, lines in ((base, texts[0]), (whole, texts[1])):
        folder.mkdir(exist_ok=True)
        (folder / "c").write_bytes(b"".join(lines))
    build_cdxj(base / "c", base, block_lines=block_lines)
    count = build_cdxj(whole / "c", whole, base=base, block_lines=block_lines, memory=memory, workers=2)
    assert count == len(new)
    expected = sorted(texts[0] + texts[1])
    assert gzip.decompress((whole / "index.cdxj.gz").read_bytes()) == b"".join(expected)
    with Index(whole) as index:
        sizes = [index.unpack(place).count(b"\n") for place, _ in index.blocks()]
        assert list(index) == [Entry.parse(line) for line in expected]
    # the last one of the base may be shorter, and so may what was added to nothing
    assert all(size <= 1.5 * block_lines for size in sizes)


def test_blocks_that_get_no_line_are_copied_as_they_are(tmp_path: Path) -> None:
    old = [make(f"http://example.org/{number:04}").to_bytes() for number in range(3000)]
    (tmp_path / "base").mkdir()
    (tmp_path / "old").write_bytes(b"".join(old))
    build_cdxj(tmp_path / "old", tmp_path / "base")
    (tmp_path / "new").write_bytes(make("http://example.org/1000x").to_bytes())
    build_cdxj(tmp_path / "new", tmp_path, base=tmp_path / "base")
    with Index(tmp_path / "base") as before, Index(tmp_path) as after:
        known = {before.packed(place) for place, _ in before.blocks()}
        found = [after.packed(place) for place, _ in after.blocks()]
        assert sum(packed not in known for packed in found) == 1
        assert len(found) == len(known) == 10
        assert after.lookup("http://example.org/1000x") is not None


def test_a_damaged_block_is_told(tmp_path: Path) -> None:
    (tmp_path / "c").write_bytes(make().to_bytes())
    build_cdxj(tmp_path / "c", tmp_path)
    data = bytearray((tmp_path / "index.cdxj.gz").read_bytes())
    data[12:20] = b"\xff" * 8
    (tmp_path / "index.cdxj.gz").write_bytes(data)
    with Index(tmp_path) as index, pytest.raises(FormatError, match="cannot be unpacked"):
        index.lookup("http://example.org/")


def test_a_folder_without_an_index_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        Index(tmp_path)
