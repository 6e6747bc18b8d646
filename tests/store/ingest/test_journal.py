"""An ingest that was broken off goes on: nothing is read twice, nothing is lost, whenever it was."""

from __future__ import annotations

import gzip
import hashlib
import random
from typing import TYPE_CHECKING, Any

import pytest

import webstrata as ws
from tests.store.ingest.test_run import HEAD, JUNE, make, read_index
from webstrata.archive.warc import Capture, Revisit, WarcWriter, check
from webstrata.collection.faults import injected
from webstrata.errors import ExistsError, StorageError
from webstrata.store.ingest import journal
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot
    from webstrata.store.ingest.run import IngestResult


def page(number: int) -> bytes:
    return b"<html><p>" + random.Random(number).randbytes(3000).hex().encode()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Files in which captures need what others of them have."""
    folder = tmp_path_factory.mktemp("files")
    marked = b"<meta name=robots content=nofollow>" + page(1)
    packed = gzip.compress(page(2), mtime=0)
    digest = hashlib.sha1(packed, usedforsecurity=False).digest()
    contents: list[tuple[str, list[Capture]]] = [
        # exact times, marks of a page that a duplicate of it must have too, and a digest that is not ours
        (
            "gzip",
            [
                make("http://a.uk/", marked, JUNE + 123_456_000),
                make("http://packed.uk/", packed, head=HEAD + b"Content-Encoding: gzip\r\n"),
            ],
        ),
        # a payload that is in the file before, and revisits of payloads that are before and behind it
        (
            "gzip",
            [
                make("http://b.uk/", marked, JUNE + 10**9),
                make(
                    "http://c.uk/",
                    revisit=Revisit("identical-digest", "http://packed.uk/", JUNE),
                    digest=digest,
                ),
                make(
                    "http://d.uk/",
                    revisit=Revisit("identical-digest", "http://late.uk/", JUNE),
                    digest=hashlib.sha1(page(3), usedforsecurity=False).digest(),
                ),
            ],
        ),
        # another compression goes another way
        (
            "zstd",
            [
                make("http://late.uk/", page(3)),
                make(
                    "http://e.uk/",
                    revisit=Revisit("identical-digest", "http://a.uk/", JUNE),
                    digest=hashlib.sha1(marked, usedforsecurity=False).digest(),
                ),
            ],
        ),
        ("gzip", [make(f"http://f.uk/{number}", page(10 + number)) for number in range(3)]),
    ]
    found = []
    for number, (compression, captures) in enumerate(contents):
        with WarcWriter(folder, f"in{number}", compression=compression, level=3) as writer:  # type: ignore[arg-type]
            places = [writer.write(capture) for capture in captures]
        found.append(folder / places[0].filename)
    return found


@pytest.fixture(autouse=True)
def _after_each_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """These files are small."""
    monkeypatch.setattr(journal, "_SPARSE", 0)


def describe(snapshot: Snapshot, result: IngestResult) -> dict[str, Any]:
    """What must be the same: identifiers of records are drawn, and with them their lengths."""
    lines = {
        key: {
            name: value
            for name, value in entry.fields.items()
            if name not in ("offset", "length", "filename")
        }
        for key, entry in read_index(snapshot).items()
    }
    texts = {}
    dates = {}
    for url in {url for url, _ in lines}:
        capture = snapshot.capture(url)
        texts[url] = capture.payload
        dates[url] = capture.record.get("WARC-Refers-To-Date"), capture.record.get("WARC-Date")
    counts = result.to_dict()
    counts.pop("seconds")
    return {"lines": lines, "texts": texts, "dates": dates, "counts": counts, "pages": list(snapshot.urls)}


@pytest.fixture(scope="module")
def whole(files: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What comes of it in one go."""
    snapshot = ws.create(tmp_path_factory.mktemp("whole") / "uk").add("2026-06")
    return describe(snapshot, ingest(snapshot, files))


PLANS = [
    *(f"write-fails path=*.warc.gz* after={place}" for place in (2000, 9000, 18000)),
    *(f"sync-fails after={count}" for count in (5, 18, 40)),
]


@pytest.mark.parametrize("plan", PLANS)
def test_whatever_fails_and_when_the_next_try_goes_on(
    tmp_path: Path, files: list[Path], whole: dict[str, Any], plan: str
) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    with injected(plan), pytest.raises(StorageError):
        ingest(snapshot, files)
    result = ingest(snapshot, files)
    assert describe(snapshot, result) == whole
    assert not snapshot.working_folder("ingest").exists()
    with snapshot.open_part("warc") as part:
        assert [
            problem for path in part.path.iterdir() if ".warc" in path.name for problem in check(path)
        ] == []


def test_files_that_were_read_are_not_opened_again(
    tmp_path: Path, files: list[Path], whole: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    read: list[str] = []

    def breaking(self: Any, source: Any, *rest: Any) -> None:  # noqa: ANN401
        read.append(source.path.name)
        if read.count(files[2].name) == 1 and source.path == files[2]:
            raise KeyboardInterrupt
        original(self, source, *rest)

    from webstrata.store.ingest import intake as module

    original = module.Intake._read
    monkeypatch.setattr(module.Intake, "_read", breaking)
    with pytest.raises(KeyboardInterrupt):
        ingest(snapshot, files)
    result = ingest(snapshot, files)
    assert read == [files[n].name for n in (0, 1, 2, 2, 3)]
    assert describe(snapshot, result) == whole


def test_what_is_added_goes_on_too_and_what_was_there_stays(
    tmp_path: Path, files: list[Path], whole: dict[str, Any]
) -> None:
    for count in (12, 40):
        snapshot = ws.create(tmp_path / f"uk{count}").add("2026-06")
        ingest(snapshot, files[:2])
        with snapshot.open_part("warc") as part:
            before = {path.name: path.read_bytes() for path in part.path.iterdir()}
        with injected(f"sync-fails after={count}"), pytest.raises(StorageError):
            ingest(snapshot, files[2:], mode="add")
        ingest(snapshot, files[2:], mode="add")
        snapshot = ws.open(snapshot.collection.path)["2026-06"]
        with snapshot.open_part("warc") as part:
            after = {path.name: path.read_bytes() for path in part.path.iterdir()}
        warc = {name: data for name, data in before.items() if ".warc" in name}
        assert warc.items() <= after.items()
        assert sorted(read_index(snapshot)) == sorted(whole["lines"])
        assert list(snapshot.urls) == whole["pages"]


def break_off(snapshot: Snapshot, files: list[Path], **more: Any) -> None:  # noqa: ANN401
    """Read all but the last of the files."""
    with injected("sync-fails after=18"), pytest.raises(StorageError):
        ingest(snapshot, files, **more)
    assert (snapshot.working_folder("ingest") / "journal.json").is_file()


def test_another_command_begins_anew(tmp_path: Path, files: list[Path]) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    break_off(snapshot, files)
    assert ingest(snapshot, files[3:]).captures == 3
    with pytest.raises(ExistsError):
        ingest(snapshot, files)


def test_a_file_that_changed_since_is_read_again(tmp_path: Path, files: list[Path]) -> None:
    copies = []
    for path in files:
        copies.append(tmp_path / path.name)
        copies[-1].write_bytes(path.read_bytes())
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    break_off(snapshot, copies)
    copies[0].write_bytes(files[3].read_bytes())
    result = ingest(snapshot, copies)
    assert "http://a.uk/" not in {url for url, _ in read_index(snapshot)}
    assert result.repeated == 3


def test_a_journal_that_says_nothing_is_no_journal(tmp_path: Path, files: list[Path]) -> None:
    snapshot = ws.create(tmp_path / "uk").add("2026-06")
    for text in ("{", '{"format": 9}'):
        snapshot.working_folder("ingest").mkdir()
        (snapshot.working_folder("ingest") / "journal.json").write_text(text)
        assert ingest(snapshot, files[3:], mode="again").captures == 3
