"""Other people's programs before what `ingest` and `export` write: of WARC, WACZ, CDXJ and Parquet."""

from __future__ import annotations

import json
import re
import subprocess
import zipfile
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest

import webstrata as ws
from tests.peers.installed import find_jwarc, find_peer, run
from tests.peers.test_warc import make_captures
from webstrata.archive.cdxj import Entry, Line
from webstrata.archive.fixity import survey
from webstrata.archive.warc import WarcWriter, read_records
from webstrata.store.build import build_store
from webstrata.store.export import export
from webstrata.store.ingest.run import ingest
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.api import Snapshot
    from webstrata.archive.record import Record

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def taken(test_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A snapshot made of real archives of others, rewritten by us."""
    snapshot = ws.create(tmp_path_factory.mktemp("peers") / "uk").add("2014-01")
    result = ingest(
        snapshot,
        [test_data / "warc/pywb/warcs", test_data / "warc/warcio", test_data / "warc/commoncrawl"],
        copy="rewrite",
    )
    assert result.captures > 150
    return snapshot


@pytest.fixture(scope="module")
def sound(test_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """The same, without files that have digests that do not hold."""
    snapshot = ws.create(tmp_path_factory.mktemp("sound") / "uk").add("2014-01")
    folders = [test_data / "warc/pywb/warcs", test_data / "warc/warcio"]
    files = [path for folder in folders for path in sorted(folder.glob("*.warc.gz"))]
    files = [path for path in files if not survey(path).mismatches]
    assert ingest(snapshot, files, copy="rewrite").captures > 60
    return snapshot


@pytest.fixture(scope="module")
def as_is(test_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A snapshot whose files are copies, compressed and not, some with the same name."""
    snapshot = ws.create(tmp_path_factory.mktemp("copies") / "uk").add("2014-01")
    assert ingest(snapshot, [test_data / "warc/pywb/warcs", test_data / "warc/warcio"]).copied > 20
    return snapshot


def check_with_warcio(path: Path) -> dict[int, str]:
    """What warcio says about the digests of each record, by its offset."""
    words = [find_peer("warcio"), "check", "-v", str(path)]
    told = subprocess.run(words, capture_output=True, check=False, encoding="utf-8").stdout
    found = re.findall(r"^  offset (\d+) WARC-Record-ID \S+ \w+\n    (.*)$", told, re.MULTILINE)
    return {int(offset): verdict for offset, verdict in found}


def expect_of_warcio(record: Record) -> str:
    """What warcio says about a record whose digests hold."""
    if record.get("WARC-Block-Digest") is None and record.get("WARC-Payload-Digest") is None:
        return "no digest to check"
    if record.kind == "revisit":
        return "digest present but not checked (revisit)"
    return "digest pass"


BROKEN = {
    # records that are kept unchanged, with the digest that their source declares: the first has the status
    # line "HTTPX/1.1 200 OK", so it is no HTTP response; the digest of the second was changed by hand
    ("example-extra.warc", "response", "payload", "sha1:B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A"),
    ("example-digest.warc", "request", "payload", "sha1:1112H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
}
"""What warcio must reject in what was rewritten: source file, kind of record, digest."""
REPAIRED = {
    # records that are written with another block, which have a digest that holds
    ("example-bad-non-chunked.warc.gz", "revisit", "block", "sha1:DVRKRZEWKT4QEWGQOSFOA5KY5VDIWJLW"),
    ("example-trunc.warc", "response", "block", "sha1:DR5MBP7OD3OPA7RFKWJUD4CTNUQUGFC5"),
    ("example-trunc.warc", "response", "payload", "sha1:G7HRM7BGOKSKMSXZAHMUQTTV53QOFSMK"),
    ("example-wrong-chunks.warc.gz", "response", "block", "sha1:SDZIDCNQKX2AQDX3LC6EE2YTIHVLAXUK"),
}


def test_warcio_rejects_only_the_digests_that_did_not_hold_before(taken: Snapshot, tmp_path: Path) -> None:
    with taken.open_part("warc") as part:
        reports = [json.loads(line) for line in (part.path / "fixity.jsonl").read_text().splitlines()]
    told = {
        (each["file"], each["kind"], each["header"].split("-")[1].lower(), each["expected"])
        for each in reports
    }
    assert told == BROKEN | REPAIRED
    files = {each["record_id"]: each["file"] for each in reports}
    export(taken, "warc", path := tmp_path / "all.warc.gz")
    verdicts = check_with_warcio(path)
    broken = set()
    for record in read_records(path):
        verdict = verdicts.pop(record.offset)
        if (found := re.fullmatch(r"(block|payload) digest failed:? (\S+)", verdict)) is not None:
            broken.add((files[record.get("WARC-Record-ID") or ""], record.kind, *found.groups()))
        else:
            assert verdict == expect_of_warcio(record)
    assert broken == BROKEN
    assert not verdicts


ONLY_PYWB = {
    # a response that is no HTTP, a revisit that is cut off by the end of its file, records of other kinds and
    # of URLs that no crawler fetches: kept and listed by `webstrata show`, and no captures
    ("response", "http://example.com?example=2"): 1,
    ("revisit", "http://test@example.com/"): 1,
    ("resource", "file:///example with spaces.png"): 1,
    ("resource", "metadata://gnu.org/software/wget/warc/MANIFEST.txt"): 1,
    ("metadata", "metadata://gnu.org/software/wget/warc/MANIFEST.txt"): 1,
    ("resource", "metadata://gnu.org/software/wget/warc/wget.log"): 2,
    ("resource", "metadata://gnu.org/software/wget/warc/wget_arguments.txt"): 2,
    ("conversion", "https://an.wikipedia.org/wiki/Escopete"): 1,
    ("metadata", "https://an.wikipedia.org/wiki/Escopete"): 1,
}


def test_pywb_makes_the_same_index_of_what_was_ingested(taken: Snapshot, tmp_path: Path) -> None:
    export(taken, "warc", tmp_path / "all.warc.gz")
    export(taken, "cdxj", tmp_path / "all.cdxj")
    told = run(find_peer("cdx-indexer"), "-j", "-s", "-p", str(tmp_path / "all.warc.gz"))
    entries = [Entry.parse(line.encode()) for line in told.splitlines()]
    theirs = {entry.fields["offset"]: entry for entry in entries}
    ours = {
        entry.fields["offset"]: entry
        for entry in map(Entry.parse, (tmp_path / "all.cdxj").read_bytes().splitlines())
    }
    records = {str(record.offset): record for record in read_records(tmp_path / "all.warc.gz")}
    others = [records[offset] for offset in theirs if offset not in ours]
    assert Counter((record.kind, record.url) for record in others) == ONLY_PYWB
    assert set(ours) <= set(theirs)
    for offset, entry in ours.items():
        other = theirs[offset]
        assert (entry.key, entry.timestamp) == (other.key, other.timestamp)
        # we write a URL with a path, as RFC 3986 normalizes it
        assert entry.url == (normalize(other.url) if other.url.startswith("http") else other.url)
        for name in ("length", "digest"):
            assert entry.fields[name] == other.fields[name], entry.url
        # pywb looks for the status neither in revisits nor in resources
        if records[offset].kind == "response":
            assert entry.fields["status"] == other.fields["status"], entry.url


def test_pywb_takes_a_wacz_of_ours(taken: Snapshot, tmp_path: Path) -> None:
    export(taken, "wacz", tmp_path / "uk.wacz")
    run(find_peer("wb-manager"), "init", "test", folder=tmp_path)
    run(find_peer("wb-manager"), "add", "--unpack-wacz", "test", str(tmp_path / "uk.wacz"), folder=tmp_path)
    lines = (tmp_path / "collections/test/indexes/index.cdxj").read_bytes().splitlines()
    with taken.open_part("captures") as part:
        assert len(lines) == part.counts["captures"]


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    """A snapshot whose WARC files are packed by zstd."""
    folder = tmp_path_factory.mktemp("packed")
    with (
        WarcWriter(folder, "a", compression="zstd", level=3) as writer,
        (folder / "captures.cdxj").open("wb") as lines,
    ):
        for capture, status, mime in make_captures():
            place = writer.write(capture)._asdict()
            facts = {"url": capture.url, "date": capture.date, "digest": capture.digest}
            lines.write(Line(mime=mime, status=status, **facts, **place).to_bytes())  # type: ignore[arg-type]
    snapshot = ws.create(folder / "uk").add("2026-05")
    build_store(snapshot, folder)
    return snapshot


# ---- WACZ, WET


def test_py_wacz_finds_a_wacz_of_ours_valid(
    taken: Snapshot, packed: Snapshot, as_is: Snapshot, tmp_path: Path
) -> None:
    wacz = find_peer("wacz")
    for number, snapshot in enumerate((taken, packed, as_is)):
        path = tmp_path / f"{number}.wacz"
        export(snapshot, "wacz", path)
        assert "Validation succeeded" in run(wacz, "validate", "-f", str(path))


def test_the_bagit_package_finds_a_bag_of_ours_valid(taken: Snapshot, tmp_path: Path) -> None:
    bagit = find_peer("bagit.py", "bagit")
    export(taken, "bagit", tmp_path / "bag")
    run(bagit, "--validate", "--quiet", str(tmp_path / "bag"))
    with (tmp_path / "bag/data/description.json").open("a") as file:
        file.write(" ")
    words = [bagit, "--validate", str(tmp_path / "bag")]
    told = subprocess.run(words, capture_output=True, check=False, encoding="utf-8")
    assert told.returncode == 1
    assert "Payload-Oxum validation failed" in told.stderr


def list_exports(snapshot: Snapshot, folder: Path) -> dict[str, Path]:
    """The WARC files of every form of export."""
    export(snapshot, "warc", folder / "files")
    export(snapshot, "wacz", folder / "a.wacz")
    export(snapshot, "wet", folder / "a.warc.wet.gz")
    with zipfile.ZipFile(folder / "a.wacz") as archive:
        name = next(name for name in archive.namelist() if name.startswith("archive/"))
        (folder / "of-wacz.warc.gz").write_bytes(archive.read(name))
    files = {"wacz": folder / "of-wacz.warc.gz", "wet": folder / "a.warc.wet.gz"}
    return files | {"files": next((folder / "files").iterdir())}


@pytest.mark.parametrize("which", ["sound", "packed"])
def test_warcio_fastwarc_and_jwarc_read_every_form_of_export(
    which: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    snapshot: Snapshot = request.getfixturevalue(which)
    tool = ("java", "-cp", find_jwarc(), "org.netpreserve.jwarc.tools.WarcTool")
    for form, path in list_exports(snapshot, tmp_path).items():
        records = list(read_records(path))
        number = len(records)
        told = run(find_peer("fastwarc"), "check", str(path))
        # records of others that were copied may have no digest of their block
        found = re.findall(r"(\d+) records were (verified successfully|skipped)", told)
        counts = {what: int(count) for count, what in found}
        verified = counts["verified successfully"]
        assert sum(counts.values()) == number, form
        assert verified == sum(record.get("WARC-Block-Digest") is not None for record in records) > 0, form
        if path.suffix == ".zst":
            continue  # neither of the others reads zstd
        wanted = {record.offset: expect_of_warcio(record) for record in records}
        assert check_with_warcio(path) == wanted, form
        told = run(*tool, "validate", "-v", str(path))
        assert told.count("block digest pass") == verified, form
        assert "fail" not in told.lower()
        assert len(run(*tool, "ls", str(path)).splitlines()) == number


# ---- tables

QUERY = """
SELECT url_host_registered_domain, COUNT(*) AS n, EPOCH(MIN(fetch_time)) AS first
FROM ccindex
WHERE crawl = '2014-01' AND subset = 'warc' AND fetch_status = 200 AND url_host_tld IN ('com', 'org')
      AND content_mime_type LIKE 'text/%' AND url_path NOT LIKE '/robots.txt'
GROUP BY url_host_registered_domain ORDER BY n DESC, url_host_registered_domain
"""
"""As people ask Common Crawl's index."""

DUCKDB = """
import duckdb, json, sys
path, query = sys.argv[1:]
connection = duckdb.connect()
connection.execute(f"CREATE VIEW ccindex AS SELECT * FROM read_parquet('{path}')")
rows = connection.execute(query).fetchall()
print(json.dumps(rows))
"""

POLARS = """
import json, sys
import polars as pl
frame = pl.scan_parquet(sys.argv[1]).filter(
    (pl.col("crawl") == "2014-01") & (pl.col("fetch_status") == 200)
    & pl.col("url_host_tld").is_in(["com", "org"])
    & pl.col("content_mime_type").str.starts_with("text/") & (pl.col("url_path") != "/robots.txt")
).group_by("url_host_registered_domain").agg(n=pl.len(), first=pl.col("fetch_time").min().dt.epoch("s"))
rows = frame.sort("n", "url_host_registered_domain", descending=[True, False]).collect().rows()
print(json.dumps(rows))
"""


@pytest.mark.parametrize("table", ["pages", "captures"])
def test_duckdb_and_polars_answer_a_query_made_for_common_crawl(
    taken: Snapshot, tmp_path: Path, table: str
) -> None:
    python = find_peer("python", "duckdb", "polars")
    path = taken.path / "pages" / "pages.parquet"
    if table == "captures":
        path = tmp_path / "captures.parquet"
        export(taken, "parquet", path)
    domains: dict[str, list[float]] = {}
    for row in pq.read_table(path).to_pylist():
        is_meant = row["fetch_status"] == 200 and (row["content_mime_type"] or "").startswith("text/")
        host = urlsplit(row["url"]).hostname or ""
        if is_meant and host.endswith((".com", ".org")) and urlsplit(row["url"]).path != "/robots.txt":
            domain = ".".join(host.split(".")[-2:])
            domains.setdefault(domain, []).append(row["fetch_time"].timestamp())
    order = sorted(domains, key=lambda name: (-len(domains[name]), name))
    wanted = [[name, len(domains[name]), min(domains[name])] for name in order]
    assert len(wanted) >= 2
    for package, program in (("duckdb", DUCKDB), ("polars", POLARS)):
        words = [QUERY] if package == "duckdb" else []
        assert json.loads(run(python, "-c", program, str(path), *words)) == wanted, package


SEGMENTS = """
SELECT url_host_2nd_last_part, content_mime_detected, warc_segment, COUNT(*) AS n
FROM ccindex
WHERE content_mime_detected = 'text/html' AND warc_segment = '00000' AND url_host_2nd_last_part IS NOT NULL
GROUP BY ALL ORDER BY n DESC, url_host_2nd_last_part
"""


def test_duckdb_groups_by_the_columns_that_only_common_crawl_had(taken: Snapshot, tmp_path: Path) -> None:
    python = find_peer("python", "duckdb")
    export(taken, "parquet", path := tmp_path / "captures.parquet")
    counts: Counter[str] = Counter()
    for row in pq.read_table(path).to_pylist():
        labels = (urlsplit(row["url"]).hostname or "").split(".")
        if row["content_mime_type"] == "text/html" and len(labels) > 1:
            assert row["warc_filename"].endswith("-00000.warc.gz")
            counts[labels[-2]] += 1
    order = sorted(counts, key=lambda name: (-counts[name], name))
    assert len(order) >= 3
    wanted = [[name, "text/html", "00000", counts[name]] for name in order]
    assert json.loads(run(python, "-c", DUCKDB, str(path), SEGMENTS)) == wanted


def test_duckdb_puts_languages_beside_pages(taken: Snapshot) -> None:
    python = find_peer("python", "duckdb")
    query = (
        "SELECT count(*), count(language), sum(words) "
        "FROM '{0}/pages/pages.parquet' POSITIONAL JOIN '{0}/text/columns.parquet'"
    )
    program = "import duckdb, sys; print(*duckdb.connect().execute(sys.argv[1]).fetchall()[0])"
    told = run(python, "-c", program, query.format(taken.path)).split()
    columns = taken.text.columns()
    assert list(map(int, told)) == [
        len(taken.pages),
        len(columns) - columns["language"].null_count,
        sum(columns["words"].to_pylist()),
    ]
