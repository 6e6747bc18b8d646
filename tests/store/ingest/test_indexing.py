"""Lines that point into files that stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from tests.store.warcs import pack, response, show
from webstrata.archive.warc import read_record
from webstrata.store.ingest.run import ingest

if TYPE_CHECKING:
    from pathlib import Path


def test_every_line_points_at_one_whole_record_also_after_damage(tmp_path: Path) -> None:
    records = [response(f"http://a.uk/{n}", b"<p>page %d" % n) for n in range(6)]
    data = [pack(each) for each in records]
    data[2] = data[2][:40] + b"damage" + data[2][46:]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(data))
    (tmp_path / "b.warc").write_bytes(b"".join(map(show, [response("http://b.uk/", b"<p>b")])))
    june = ws.create(tmp_path / "uk").add("2026-06")
    result = ingest(june, [tmp_path / "a.warc.gz", tmp_path / "b.warc"])
    assert (result.captures, result.damaged, result.copied) == (6, 1, 2)
    with june.open_part("warc") as part:
        for entry in june.captures.index:
            place = (int(entry.fields["offset"]), int(entry.fields["length"]))
            record = read_record(part.path / entry.fields["filename"], *place)
            assert record.url == entry.url
            piece = (part.path / entry.fields["filename"]).read_bytes()[place[0] : sum(place)]
            assert piece in (*data, show(response("http://b.uk/", b"<p>b")))
