"""How long it takes to see what is there: 64 snapshots of ours against 64 collections of pywb.

Two figures, both inside a running interpreter. `opening-list` opens a collection and lists its snapshots;
pywb does what `wb-manager list` does. `opening-manifests` reads every manifest too, 10 parts each; pywb reads
the same facts from the metadata files of its collections, with the code behind its home page and a cache that
starts empty, as ours does. `--quick` has 8 of each. The promise for opening is 50 ms.

The input is written with fixed dates, so that it has the same digest everywhere: `ours/` is a collection
whose snapshots have a manifest and no files, `theirs/collections/` has a folder per snapshot with a
`metadata.yaml` in the block form that `wb-manager metadata` writes.
"""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

from bench.frame import PEERS, Call, Figure, Peer, main

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARTS = ("anchors", "graph", "hosts", "links", "pages", "summaries", "text", "transpose", "urls", "warc")


def prepare(folder: Path, quick: bool) -> None:  # noqa: FBT001 (the frame calls it)
    """Write the same snapshots twice: as we keep them and as pywb does."""
    import datetime as dt
    from dataclasses import asdict

    from webstrata.collection import Collection
    from webstrata.collection.manifest import NAME, Manifest, PartRecord, write_manifest

    collection = Collection.create(folder / "ours", title="opening")
    for month in range(8 if quick else 64):
        label = f"{2020 + month // 12}-{1 + month % 12:02d}"
        records = {}
        for number, name in enumerate(_PARTS):
            records[name] = PartRecord(
                name=name,
                generation=1 + month % 3,
                built=dt.datetime(2026, 6, 30, 12, number, tzinfo=dt.UTC),
                seconds=3.5 * number,
                version="0.1.0",
                files=5,
                bytes=123_456_789 + month,
                checksum=f"sha256:{month * 16 + number:064x}",
                renew=f"webstrata {name} {{collection}} {{snapshot}}",
                settings={"window": 7, "max_references": 3, "codes": "zeta3"},
                inputs={f"{label}/{other}": f"sha256:{number:064x}" for other in _PARTS[:2]},
                counts={"nodes": 1_000_000 + month, "arcs": 12_000_000 + month},
            )
        snapshot = collection.add(label)
        write_manifest(snapshot.path / NAME, Manifest(records))
        theirs = folder / "theirs" / "collections" / label
        for name in ("archive", "indexes", "static", "templates"):
            (theirs / name).mkdir(parents=True)
        facts = {name: asdict(record) for name, record in records.items()}
        (theirs / "metadata.yaml").write_text(to_yaml({"title": f"of {label}", "parts": facts}))


def to_yaml(table: Mapping[str, object], indent: str = "") -> str:
    """A table of tables, numbers, dates and plain texts as YAML blocks."""
    lines = ""
    for name, value in table.items():
        if isinstance(value, dict):
            lines += f"{indent}{name}:\n{to_yaml(value, indent + '  ')}"
        else:
            lines += f"{indent}{name}: {value}\n"
    return lines


def list_ours(place: str) -> list[str]:
    """Open the collection and list its snapshots."""
    import webstrata as ws

    return ws.open(Path(place) / "ours").dates


def list_pywb(place: str) -> list[str]:
    """List the collections as `wb-manager list` does, and read what it printed."""
    from pywb.manager.manager import CollectionsManager  # type: ignore[import-not-found]

    os.chdir(Path(place) / "theirs")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        CollectionsManager("", must_exist=False).list_colls()
    return sorted(line.removeprefix("- ") for line in printed.getvalue().splitlines()[1:])


def read_ours(place: str) -> dict[str, int]:
    """Open the collection and read the manifest of every snapshot; arcs by label."""
    import webstrata as ws

    return {
        snapshot.date: sum(record.counts["arcs"] for record in snapshot.parts)
        for snapshot in ws.open(Path(place) / "ours")
    }


def read_pywb(place: str) -> dict[str, int]:
    """List the collections and load the metadata of each; arcs by name."""
    from pywb.apps.frontendapp import MetadataCache  # type: ignore[import-not-found]

    labels = list_pywb(place)
    found = MetadataCache(f"{place}/theirs/collections/{{coll}}/metadata.yaml").get_all(labels)
    return {label: sum(part["counts"]["arcs"] for part in found[label]["parts"].values()) for label in labels}


FIGURES = [
    Figure(
        name="opening-list",
        data="opening",
        prepare=prepare,
        ours=Call("bench.opening:list_ours"),
        theirs=Call("bench.opening:list_pywb", PEERS / "python"),
        peer=Peer("pywb"),
        agree=True,
    ),
    Figure(
        name="opening-manifests",
        data="opening",
        prepare=prepare,
        ours=Call("bench.opening:read_ours"),
        theirs=Call("bench.opening:read_pywb", PEERS / "python"),
        peer=Peer("pywb"),
        agree=True,
        rounds=9,
        quick_rounds=5,
    ),
]

if __name__ == "__main__":
    main(FIGURES)
