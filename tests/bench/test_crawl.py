"""The figures of the crawler: what is counted, what is refused, and a run with a crawler that stands in."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

import pytest

from bench.crawl import FIGURES, bubing, field, ours, scrapy
from bench.crawl.field import Tally, choose_cores, count, run
from bench.frame import BenchError, Call, Peer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

LOG = """# webstrata-requests 1 {"preset": "tiny"}
1\t127.0.0.2\ta.test\t1000000\t2000000\t200\t80\t1\tGET\t/robots.txt
1\t127.0.0.2\ta.test\t2000000\t3000000\t200\t500\t1\tGET\t/
# connection 1 127.0.0.2 1000000 3000000
2\t127.0.0.2\ta.test\t3000000\t4000000\t404\t10\t1\tGET\t/gone
2\t127.0.0.2\ta.test\t4000000\t5000000\t200\t10\t0\tGET\t/cut
2\t127.0.0.2\ta.test\t4000000\t6000000\t200\t90\t1\tGET\t/sitemap.xml
2\t127.0.0.2\ta.test\t6000000\t7000000\t200\t700\t1\tGET\t/b?c=/robots.txt
2\t127.0.0.2\ta.test\t60000
"""

# Fetches the seeds at the addresses of the hosts table, and says what it was told to say.
STAND_IN = """
import http.client, json, pathlib, sys
from urllib.parse import urlsplit
seeds, table, collection, extra = sys.argv[1:]
hosts = dict(reversed(line.split()) for line in pathlib.Path(table).read_text().splitlines())
store = pathlib.Path(collection) / "warc"
store.mkdir(parents=True)
(store / "0.warc.gz.open").write_bytes(b"x" * 4000)
(store / "0.cdxj").write_bytes(b"x" * 4000)
pages = 0
for url in pathlib.Path(seeds).read_text().split():
    name = urlsplit(url).netloc
    address, port = hosts[name].split(":")
    for path in ("/robots.txt", "/"):
        connection = http.client.HTTPConnection(address, int(port))
        connection.request("GET", path, headers={"Host": name})
        with connection.getresponse() as response:
            assert response.status == 200
        connection.close()
    pages += 1
report = {"pages": pages + int(extra), "discovered": 40, "cpu_seconds": 0.5, "profile": {"parse": 12.5}}
print(json.dumps(report))
"""


@pytest.fixture(autouse=True)
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(field, "DATA", tmp_path / "data")
    return tmp_path / "data"


def stand_in(monkeypatch: pytest.MonkeyPatch, *, extra: int = 0) -> list[list[str]]:
    """Put a small crawler in the place of the command; the list has the words that the command would get."""
    called: list[list[str]] = []
    real = ours.make_words

    def make_words(served: field.Field, limit: int, settings: Mapping[str, str | int]) -> list[str]:
        called.append(real(served, limit, settings))
        folder = served.folder / "collection"
        return [sys.executable, "-c", STAND_IN, str(served.seeds), str(served.hosts), str(folder), str(extra)]

    monkeypatch.setattr(ours, "make_words", make_words)
    monkeypatch.setattr(ours, "make_new", lambda served: [sys.executable, "-c", ""])
    return called


def test_pages_are_complete_answers_that_are_neither_robots_nor_sitemap(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    log.write_text(LOG)
    assert count(log) == Tally(pages=2, robots=1, answers=6, page_bytes=1200, first=2.0, last=7.0)
    assert count(log).seconds == 5.0
    window = count(log, since=3.0, until=7.0)
    assert (window.pages, window.robots, window.answers) == (1, 0, 4)
    assert count(log, since=9.0).pages == 0


def test_a_program_that_fails_is_told_with_its_last_words(tmp_path: Path) -> None:
    code = "import sys; print('first', file=sys.stderr); sys.exit('no such thing')"
    with pytest.raises(BenchError, match="ended with 1: no such thing"):
        run([sys.executable, "-c", code], {choose_cores()[1]}, tmp_path, 20)


def test_a_program_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="not done after 0 seconds"):
        run([sys.executable, "-c", "import time; time.sleep(60)"], {choose_cores()[1]}, tmp_path, 0.2)


def test_a_program_is_charged_for_what_it_used(tmp_path: Path) -> None:
    code = "import time\nx = bytearray(64 << 20)\nwhile time.process_time() < 0.3: pass\nprint('done')"
    said, cost = run([sys.executable, "-c", code], {choose_cores()[1]}, tmp_path, 60)
    assert said == "done\n"
    # its clock and the one that its parent reads tick apart, and starting costs more on a slow machine
    assert 0.2 < cost.cpu < 10
    assert cost.peak > 64 << 20


def test_a_crawl_is_counted_by_the_server_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, data: Path
) -> None:
    called = stand_in(monkeypatch)
    found = ours.crawl(1000, seeds=10, settings={"compression": "zstd", "compression_level": 1})
    assert (found.pages, found.tally.pages, found.tally.robots) == (10, 10, 10)
    assert found.stored == 4000
    assert found.describe()["profile"] == {"parse": 12.5}
    assert found.describe()["stored_bytes_per_page"] == 400
    assert found.read("discovered") == 40
    assert found.server.cpu > 0
    assert not list(data.iterdir())
    words = " ".join(called[0])
    assert re.search(
        r"webstrata crawl \S+ 2026-06 --json --no-parse-pages --seeds \S+ --hosts-table \S+ --max-pages 1000 ",  # noqa: E501
        words,
    )
    assert "--compression zstd --compression-level 1 --workers 1 --host-delay 0s --ip-delay 0s" in words


def test_a_crawler_that_claims_more_than_it_was_given_is_no_figure(
    monkeypatch: pytest.MonkeyPatch, data: Path
) -> None:
    stand_in(monkeypatch, extra=1)
    with pytest.raises(BenchError, match="counts 11 pages, the server has sent 10"):
        ours.crawl(1000, seeds=10)
    assert not list(data.iterdir())


def test_a_number_that_the_command_does_not_tell_is_asked_for_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand_in(monkeypatch)
    known = r"\['cpu_seconds', 'discovered', 'pages', 'profile'\]"
    with pytest.raises(BenchError, match=rf"no number `front`: {known}"):
        ours.crawl(1000, seeds=3).read("front")


@pytest.mark.parametrize("said", ["", "Done.", "[1]"])
def test_an_answer_that_is_no_document_is_refused(said: str) -> None:
    with pytest.raises(BenchError, match="webstrata crawl --json"):
        ours.read_report(said)


def test_the_longer_delay_is_the_hosts_and_visits_are_single(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    called = stand_in(monkeypatch)
    (tmp_path / "sizes.json").write_text(json.dumps({"seeds": 5, "limit": 10}))
    ours._measure_delay(str(tmp_path), 0.4)
    assert "--host-delay 3.2s --ip-delay 0.4s --keep-alive 0s" in " ".join(called[0])


def test_quick_measures_one_figure_only() -> None:
    assert [figure.name for figure in FIGURES if figure.in_quick] == ["crawl-scrapy"]


def test_every_side_of_a_figure_can_be_called() -> None:
    modules = {"bench.crawl.ours": ours, "bench.crawl.scrapy": scrapy, "bench.crawl.bubing": bubing}
    for figure in FIGURES:
        for side in (figure.ours, figure.theirs):
            assert isinstance(side, Call)
            module, _, name = side.function.partition(":")
            assert callable(getattr(modules[module], name))


def test_bubing_that_is_not_there_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bubing, "JARS", tmp_path)
    monkeypatch.setattr("shutil.which", lambda _name: None)
    peer = bubing.JavaPeer("bubing")
    assert "install Java" in peer.find_absence()
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert peer.find_absence() == "bubing: install Maven, then run `make peers`"
    (tmp_path / "bubing-0.9.15.jar").touch()
    assert peer.find_absence() == ""
    assert str(peer) == "bubing 0.9.15"


def test_the_settings_of_bubing_are_complete() -> None:
    template = (bubing.SETUP / "agent.properties").read_text()
    values = [line for line in template.splitlines() if not line.startswith("#")]
    assert set(re.findall(r"\{(\w+)\}", "\n".join(values))) == {"root", "seeds", "port", "agent"}
    pairs = dict(line.split("=", 1) for line in values)
    assert (pairs["schemeAuthorityDelay"], pairs["ipDelay"]) == ("0", "0")
    assert pairs["keepAliveTime"] == ours.SETTINGS["keep_alive"]


@pytest.mark.peer
@pytest.mark.slow
@pytest.mark.skipif(bool(Peer("scrapy").find_absence()), reason="run `make peers`")
def test_scrapy_stores_what_the_server_sends(tmp_path: Path) -> None:
    (tmp_path / "sizes.json").write_text(json.dumps({"seeds": 5, "scrapy": 20}))
    found = scrapy.rate(str(tmp_path))
    assert found["pages"] >= 20
    assert found["robots"] >= 5
    assert found["stored_bytes_per_page"] > 1000
