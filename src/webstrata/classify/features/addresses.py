"""The IP address that each host was fetched from, as the WARC record of its home page has it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from webstrata.archive.warc import read_record
from webstrata.classify.features.sites import open_sites, site_name
from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.errors import FormatError
from webstrata.store.pages import Pages
from webstrata.store.warc_files import WarcFiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.collection import Snapshot

_UNKNOWN = {"", "0.0.0.0", "::"}  # what an archive writes that does not know


def find_addresses(
    snapshot: Snapshot, hosts: Sequence[str], *, progress: Progress | None = None
) -> list[str | None]:
    """The IP address of each host, none where nobody wrote it down.

    Examples
    --------
    >>> from webstrata import testing
    >>> find_addresses(testing.snapshot(), ["reef.example"])  # its WARC file names none
    [None]
    """
    progress = progress or Progress()
    if "truth" in snapshot.parts:
        with snapshot.open_part("truth") as part:
            path = part.path / "hosts.parquet"
            with explained(path, "read"):
                table = pq.read_table(path, columns=["name", "address"])
        planted = dict(
            zip(
                map(site_name, table["name"].to_pylist()), map(str, table["address"].to_pylist()), strict=True
            )
        )
        return [planted.get(host) for host in hosts]
    if not all(name in snapshot.parts for name in ("urls", "pages", "warc")):
        return [None] * len(hosts)
    sites = open_sites(snapshot, progress)
    homes = dict(zip(sites.names, sites.home.tolist(), strict=True))
    wanted = [homes.get(host) for host in hosts]
    with snapshot.open_part("pages") as part, WarcFiles(snapshot) as files:
        table = Pages(part.path).table("warc_filename", "warc_record_offset", "warc_record_length")
        rows = table.take(pa.array([node for node in wanted if node is not None], pa.int64())).to_pylist()
        found: list[str | None] = []
        places = iter(rows)
        with progress.task("addresses of hosts", total=len(rows), unit="hosts") as task:
            for node in wanted:
                if node is None:
                    found.append(None)
                    continue
                row = next(places)
                task.advance()
                try:
                    record = read_record(
                        files.find(row["warc_filename"]),
                        row["warc_record_offset"],
                        row["warc_record_length"],
                    )
                except FormatError:
                    found.append(None)
                    continue
                address = record.get("WARC-IP-Address") or ""
                found.append(None if address in _UNKNOWN else address)
    return found


def crowded(addresses: Sequence[str | None], most: int = 10) -> list[tuple[str, int]]:
    """The addresses that serve most hosts, and how many (SPAM, table 4).

    Examples
    --------
    >>> crowded(["10.0.0.1", "10.0.0.2", "10.0.0.1", None], most=1)
    [('10.0.0.1', 2)]
    """
    counts = Counter(address for address in addresses if address)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
