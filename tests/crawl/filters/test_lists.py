"""Lists by file and by URL."""

from __future__ import annotations

import http.server
import threading
from typing import TYPE_CHECKING

import pytest

from webstrata.crawl.filters import Filter, lists
from webstrata.crawl.filters.lists import read_filter_list
from webstrata.errors import FilterError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/list" else 404)
        self.end_headers()
        self.wfile.write(b"a.example\n\n# nothing\nb.example\n")

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""


@pytest.fixture
def address() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_list_is_had_from_a_server(address: str) -> None:
    assert read_filter_list(f"{address}/list") == ["a.example", "b.example"]
    filter = Filter.parse(f"HostEndsWith(example) and not ForbiddenHost({address}/list)")
    urls = ["http://a.example/", "http://c.example/", "http://b.example/"]
    assert filter.admits_many(urls).tolist() == [False, True, False]


def test_a_list_that_the_server_does_not_have_is_pointed_at(address: str) -> None:
    with pytest.raises(FilterError, match=r"column 13: the list http://127.* cannot be read \(Not Found\)"):
        Filter.parse(f"AllowedHost({address}/none)")


def test_a_list_is_had_from_a_file_whatever_its_line_ends(tmp_path: Path) -> None:
    (tmp_path / "a b.txt").write_bytes(
        "\ufeffa.example\r\n  Bücher.example # ours\r\n#c.example\r\n".encode()
    )
    for place in ("a b.txt", "file:a b.txt", f"file://{tmp_path}/a%20b.txt", f"{tmp_path}/a b.txt"):
        assert read_filter_list(place, tmp_path) == ["a.example", "Bücher.example"]
    filter = Filter.parse("HostOneOf(c.example, file:a b.txt)", folder=tmp_path)
    urls = ["http://a.example/", "http://xn--bcher-kva.example/", "http://c.example/", "http://d.example/"]
    assert filter.admits_many(urls).tolist() == [True, True, True, False]


def test_rules_of_dust_are_had_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("/index[.]html$ -> /\n[?&]sid=[0-9a-f]+\n")
    filter = Filter.parse("DustFree(rules.txt)", folder=tmp_path)
    urls = ["http://a/index.html", "http://a/", "http://a/?sid=1f"]
    assert filter.admits_many(urls).tolist() == [False, True, False]


def test_what_cannot_be_read_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "latin").write_bytes(b"b\xfccher.example")
    (tmp_path / "long").write_bytes(b"a.example\n" * 10)
    monkeypatch.setattr(lists, "MAX_BYTES", 50)
    for place, reason in (
        ("none", "No such file"),
        (".", "Is a directory"),
        ("latin", "is not in UTF-8"),
        ("long", "longer than 50 bytes"),
        ("a\0b", "null byte"),
        ("http://127.0.0.1:0/", "cannot be read"),
        ("http://[/", "cannot be read"),
    ):
        with pytest.raises(ValueError, match=reason):
            read_filter_list(place, tmp_path)


def test_an_entry_that_is_no_host_is_named_with_its_list(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("a.example\nhttp://b.example/\n")
    with pytest.raises(FilterError, match=r"column 15: in the list hosts, `http://b\.example/` is no host"):
        Filter.parse("ForbiddenHost(hosts)", folder=tmp_path)


def test_a_long_list_is_looked_up_and_an_empty_one_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text("".join(f"h{number}.example\n" for number in range(5000)))
    (tmp_path / "empty").write_text("# nothing yet\n")
    filter = Filter.parse("AllowedHost(hosts) and not ForbiddenHost(empty)", folder=tmp_path)
    urls = ["http://h0.example/", "http://h4999.example/", "http://h5000.example/"]
    assert filter.admits_many(urls).tolist() == [True, True, False]
