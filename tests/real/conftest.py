"""Small real collections, made once per run of the tests and not to be changed by any of them."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from tests.once import make_once
from webstrata.cli import run

if TYPE_CHECKING:
    from pathlib import Path

DATES = ("2016-06-01", "2017-08-12", "2018-10-23")
"""States of the published site that are small."""
PAGES = 30
"""Pages of each project in the slice of the documentation."""
_SITE = re.compile(rb"WARC-Target-URI: \w+://([^/\r]+)")


@pytest.fixture(scope="session")
def history(test_data: Path) -> Path:
    """The folder with dated states of a published site."""
    folder = test_data / "history" / "flink-web"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not there")
    return folder


@pytest.fixture(scope="session")
def docs(test_data: Path) -> Path:
    """The WARC file with pages of six documentations."""
    path = test_data / "docs" / "docs.warc.gz"
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    return path


@pytest.fixture(scope="session")
def built(history: Path, docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the collections `flink`, three states of one host, and `docs`, six hosts, all built."""

    def make(folder: Path) -> None:
        flink = str(folder / "flink")
        assert run(["new", flink]) == 0
        for date in DATES:
            assert run(["ingest", flink, date, str(history / f"{date}.warc.gz")]) == 0
        cut_slice(docs, folder / "slice.warc.gz")
        assert run(["new", str(folder / "docs")]) == 0
        assert run(["ingest", str(folder / "docs"), "2026-01", str(folder / "slice.warc.gz")]) == 0
        config = folder / "run.toml"
        config.write_text(
            "[run]\nqueries = ['stream']\n[simulate]\nrelevant = 'query:data'\npolicy = ['breadth-first']\n"
        )
        for name in ("flink", "docs"):
            words = ["run", str(folder / name), "--config", str(config)]
            (folder / f"{name}.code").write_text(str(run(words)))

    return make_once(tmp_path_factory, "real", make)


def cut_slice(source: Path, target: Path) -> None:
    """The first pages of each host, record by record, as they are."""
    data, place = source.read_bytes(), 0
    counts: Counter[bytes] = Counter()
    with target.open("wb") as stream:
        while place < len(data):
            member = zlib.decompressobj(zlib.MAX_WBITS | 16)
            head = member.decompress(data[place : place + (1 << 20)])
            end = place + (1 << 20)
            while not member.eof:
                member.decompress(data[end : end + (1 << 20)])
                end += 1 << 20
            end = min(end, len(data)) - len(member.unused_data)
            host = _SITE.search(head[:1000])
            if host and counts[host[1]] < PAGES:
                counts[host[1]] += 1
                stream.write(data[place:end])
            place = end
