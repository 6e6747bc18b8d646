"""Documents that do not come by HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.crawl.origin import Origin, page, reply
from webstrata.archive.warc import read_records
from webstrata.crawl.fetchers import Fetched, fetch_file, register_fetcher, unregister_fetcher
from webstrata.crawl.run import Crawl
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import SettingError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a page, a text below it, and a symbolic link out of it."""
    folder = tmp_path / "tree"
    (folder / "below").mkdir(parents=True)
    (folder / "index.html").write_text(
        '<title>Home</title><a href="below/a.txt">A</a> <a href="http://a.test/x">X</a> '
        '<a href="../secret">S</a>'
    )
    (folder / "below" / "a.txt").write_text("A text")
    (tmp_path / "secret").write_text("nobody's business")
    (folder / "out").symlink_to(tmp_path / "secret")
    return folder


def crawl(tmp_path: Path, seeds: list[str], origin: Origin | None = None, **settings: object) -> Snapshot:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    chosen = CrawlSettings(resolve=False, host_delay=0, ip_delay=0, retry_delay=0.01, **settings)  # type: ignore[arg-type]
    hosts = {"a.test": origin.at()} if origin else {}
    Crawl(snapshot, chosen, seeds=seeds, hosts=hosts).run()
    return snapshot


def test_a_folder_of_files_is_stored_as_resource_records_and_leads_on_to_the_web(
    tmp_path: Path, tree: Path
) -> None:
    with Origin() as origin:
        origin.say("/x", reply(page("X")))
        snapshot = crawl(tmp_path, [f"file://{tree}/"], origin, schemes=("file",))
    place = f"file://localhost{tree}"
    assert list(snapshot.urls) == [f"{place}/below/a.txt", f"{place}/index.html", "http://a.test/x"]
    node = snapshot.urls.node(f"{place}/index.html")
    assert snapshot.text[node].title == "Home"
    assert "http://a.test/x" in [link.url for link in snapshot.links[node]]
    assert snapshot.capture(f"{place}/below/a.txt").payload == b"A text"
    with snapshot.open_part("warc") as part:
        kinds = {
            record.url: record.kind
            for path in part.path.glob("*.warc.gz")
            for record in read_records(path, kinds=("resource", "response"))
        }
    assert kinds[f"{place}/index.html"] == "resource"
    assert kinds["http://a.test/x"] == "response"


@pytest.mark.parametrize("place", ["fetch", "schedule"])
def test_links_that_a_filter_refuses_are_not_looked_up(place: str, tmp_path: Path, tree: Path) -> None:
    """With retries on, a name that does not resolve would keep the crawl waiting for minutes."""
    (tree / "far.html").write_text('<a href="http://nowhere.invalid/">Far</a>')
    settings = CrawlSettings(schemes=("file",), resolve=False, **{place: "false"})  # type: ignore[arg-type]
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    crawl = Crawl(snapshot, settings, seeds=[f"file://{tree}/"])
    result = crawl.run()
    assert (result.end, result.counters["received"], result.counters["pages"]) == ("exhausted", 0, 0)
    assert f"file://localhost{tree}/far.html" in list(snapshot.urls)


def test_files_are_not_asked_for_unless_settings_name_their_scheme(tmp_path: Path, tree: Path) -> None:
    with pytest.raises(UsageError, match="there is no URL to begin with"):
        crawl(tmp_path, [f"file://{tree}/"])


def test_no_page_of_the_web_leads_to_a_file(tmp_path: Path, tree: Path) -> None:
    with Origin() as origin:
        origin.say(
            "/", reply(page("home", f"file://{tree}/index.html", f"file://localhost{tree}/index.html"))
        )
        snapshot = crawl(tmp_path, ["http://a.test/"], origin, schemes=("file",))
    assert list(snapshot.urls) == ["http://a.test/"]


def test_symbolic_links_and_other_hosts_are_not_followed(tmp_path: Path, tree: Path) -> None:
    assert "out" not in fetch_file(f"file://localhost{tree}/").links
    with pytest.raises(OSError, match="symbolic link"):
        fetch_file(f"file://localhost{tree}/out")
    with pytest.raises(OSError, match="another host"):
        fetch_file("file://server.example/share")


def test_a_fetcher_of_the_users_obeys_the_limits_of_the_crawl(tmp_path: Path) -> None:
    def fetch(url: str) -> Fetched:
        if url.endswith("/9"):
            raise OSError("nothing is there")
        number = int(url.rpartition("/")[2])
        return Fetched(b"x" * 100, "text/plain", [str(number + 1)])

    register_fetcher("count", fetch)
    try:
        snapshot = crawl(
            tmp_path, ["count://localhost/0"], schemes=("count",), max_response=10, max_depth=20, max_pages=0
        )
    finally:
        unregister_fetcher("count")
    assert list(snapshot.urls) == [f"count://localhost/{number}" for number in range(9)]
    assert snapshot.capture("count://localhost/0").payload == b"x" * 10


def test_a_scheme_without_a_fetcher_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="there is no fetcher for gopher; known are file"):
        crawl(tmp_path, ["gopher://a.test/"], schemes=("gopher",))
    for scheme in ("http", "HTTP", "a b"):
        with pytest.raises(ValueError, match="scheme: expected"):
            register_fetcher(scheme, fetch_file)
