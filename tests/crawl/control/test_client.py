"""A client gets what it asks for, and one sentence where there is nobody to ask."""

from __future__ import annotations

import socket
import threading
from typing import TYPE_CHECKING

import pytest

from tests.crawl.control.core import LiveCore
from webstrata.collection import Collection
from webstrata.crawl.control import Client, Control, Listener, connect
from webstrata.crawl.control import client as module
from webstrata.crawl.control.client import find_crawl, find_remote
from webstrata.crawl.control.listener import reachable
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import MissingError, SettingError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webstrata.collection import Snapshot


@pytest.fixture
def snapshot(tmp_path: Path) -> Snapshot:
    snapshot = Collection.create(tmp_path / "uk").add("2026-06")
    snapshot.working_folder("crawl").mkdir()
    return snapshot


def test_every_request_has_a_method(snapshot: Snapshot) -> None:
    core = LiveCore()
    with Listener() as listener:
        control = Control(core, CrawlSettings(), apply=core.change)
        listener.serve(control, snapshot.working_folder("crawl"))
        with connect(snapshot) as client:
            assert client.status()["state"] == "running"
            assert client.metrics().startswith("# HELP webstrata_crawl_info")
            assert client.pause() == "paused"
            assert client.resume() == "running"
            assert client.set("host_delay", "2s") == 2.0
            assert client.blacklist("Example.org") == "example.org"
            assert client.flush() == 0
            assert client.stop() == "stopping"
    told = [
        ("pause", True),
        ("pause", False),
        ("change", CrawlSettings(host_delay=2.0)),
        ("blacklist", "example.org"),
        ("flush",),
        ("stop", False),
    ]
    assert core.told == told


def test_what_the_crawl_refuses_is_raised_as_it_would_be_there(snapshot: Snapshot) -> None:
    with Listener() as listener:
        listener.serve(Control(LiveCore(), CrawlSettings()), snapshot.working_folder("crawl"))
        with connect(snapshot) as client:
            with pytest.raises(SettingError, match="cannot change while the crawl runs"):
                client.set("compression", "none")
            with pytest.raises(UsageError, match="dance is no request"):
                client.ask("dance")
            assert client.status()["state"] == "running"


def test_where_no_crawl_runs_one_sentence_says_so(snapshot: Snapshot) -> None:
    pattern = r"2026-06: no crawl is running here; call `snapshot.crawl\("
    with pytest.raises(MissingError, match=pattern):
        connect(snapshot)
    # and so it is where a process died
    dead = socket.socket(socket.AF_UNIX)
    with reachable(snapshot.working_folder("crawl") / "control.sock") as name:
        dead.bind(name)
    dead.close()
    with pytest.raises(MissingError, match=pattern):
        connect(snapshot)


def test_where_the_crawl_has_ended_one_is_told_of_the_report(snapshot: Snapshot) -> None:
    (snapshot.working_folder("crawl") / "crawl.json").write_text("{}")
    with pytest.raises(MissingError, match=r"the last one has ended, call `snapshot.crawl_report\(\)`"):
        connect(snapshot)


def test_a_crawl_that_ends_while_it_is_asked_is_told_from_one_that_refuses(snapshot: Snapshot) -> None:
    listener = Listener()
    listener.serve(Control(LiveCore(), CrawlSettings()), snapshot.working_folder("crawl"))
    with connect(snapshot) as client:
        client.status()
        listener.close()
        with pytest.raises(MissingError, match="the crawl has ended"):
            client.status()


def test_a_crawl_that_is_silent_is_not_waited_for_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = socket.socketpair()
    ours.settimeout(0.05)
    monkeypatch.setattr(module, "TIMEOUT", 0.05)
    with Client(lambda: ours, "uk") as client, pytest.raises(MissingError, match="did not answer"):
        client.status()
    theirs.close()


def test_an_answer_in_pieces_is_one_answer() -> None:
    ours, theirs = socket.socketpair()

    def answer() -> None:
        theirs.recv(1 << 16)
        for piece in (b'{"ok": true, ', b'"state": "pau', b'sed"}\n'):
            theirs.sendall(piece)

    thread = threading.Thread(target=answer)
    thread.start()
    with Client(lambda: ours, "uk") as client:
        assert client.pause() == "paused"
    thread.join()
    theirs.close()


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[str]:
    """Address and port of a crawl of uk 2026-06 that asks for a token."""
    folder = tmp_path / "uk" / "snapshots" / "2026-06" / "crawl"
    folder.mkdir(parents=True)
    with Listener(("127.0.0.1", 0), token="a token of some length") as listener:
        listener.serve(
            Control(LiveCore(), CrawlSettings(), about={"collection": "/far/uk", "snapshot": "2026-06"}),
            folder,
        )
        assert listener.place is not None
        host, port = listener.place
        yield f"{host}:{port}"


def write_token(folder: Path, text: str = "a token of some length") -> Path:
    path = folder / "token"
    path.write_text(text + "\n")
    path.chmod(0o600)
    return path


def test_a_crawl_elsewhere_is_found_by_its_address_and_token(remote: str, tmp_path: Path) -> None:
    with find_remote("uk", "2026-06", remote, write_token(tmp_path)) as client:
        assert client.status()["state"] == "running"


def test_a_crawl_of_another_snapshot_is_not_steered_by_mistake(remote: str, tmp_path: Path) -> None:
    with pytest.raises(
        MissingError, match=r"this is the crawl of uk 2026-06, and not of uk 2026-07; name that one"
    ):
        find_remote("uk", "2026-07", remote, write_token(tmp_path))


def test_a_wrong_token_is_refused(remote: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="token"):
        find_remote("uk", "2026-06", remote, write_token(tmp_path, "another token, as long"))


@pytest.mark.parametrize("place", ["-1", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:65536", ":80", "uk"])
def test_what_is_no_address_is_refused_before_a_token_is_asked_for(snapshot: Snapshot, place: str) -> None:
    with pytest.raises(UsageError, match=f"{place}: an address and a port were expected"):
        find_crawl(snapshot, at=place)


def test_a_token_and_an_address_belong_together(snapshot: Snapshot, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"127\.0\.0\.1:1: a crawl there asks for a token"):
        find_crawl(snapshot, at="127.0.0.1:1")
    with pytest.raises(UsageError, match="--token: it belongs to --control"):
        find_crawl(snapshot, token=write_token(tmp_path))
    with pytest.raises(MissingError, match="no crawl listens here"):
        find_crawl(snapshot, at="127.0.0.1:1", token=write_token(tmp_path))
    with pytest.raises(MissingError, match="nowhere"):
        find_crawl(snapshot, at="127.0.0.1:1", token=tmp_path / "nowhere")
