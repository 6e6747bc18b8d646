"""WACZ files, made, damaged and read (``docs/formats/wacz.md``)."""

from __future__ import annotations

import gzip
import hashlib
import json
import warnings
import zipfile
from typing import TYPE_CHECKING

from tests.fuzz.damage import damage, damage_text
from webstrata.archive.packages.check import check_package
from webstrata.archive.tally import Tally
from webstrata.archive.wacz import read_wacz

if TYPE_CHECKING:
    import random
    from pathlib import Path


def make_package(folder: Path, chance: random.Random, coding: str) -> None:
    """A small signed WACZ, its members stored or deflated."""
    kind = zipfile.ZIP_STORED if coding == "stored" else zipfile.ZIP_DEFLATED
    record = (
        b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a.uk/\r\nContent-Length: 500\r\n\r\n"
    )
    members = {
        "archive/a.warc": 3 * (record + chance.randbytes(500) + b"\r\n\r\n"),
        "archive/b.warc.gz": gzip.compress(record + bytes(500) + b"\r\n\r\n"),
        "pages/pages.jsonl": b'{"format": "json-pages-1.0"}\n'
        + 9 * b'{"url": "http://a.uk/", "ts": "2026"}\n',
    }
    resources = [
        {"path": name, "hash": f"sha256:{hashlib.sha256(data).hexdigest()}", "bytes": len(data)}
        for name, data in members.items()
    ]
    members["datapackage.json"] = json.dumps({"wacz_version": "1.1.1", "resources": resources}).encode()
    digest = f"sha256:{hashlib.sha256(members['datapackage.json']).hexdigest()}"
    signed = {"hash": digest, "signature": "AAAA", "publicKey": "AAAA", "domain": "a.uk", "domainCert": "-"}
    signed |= {"timeSignature": "MAAC", "timestampCert": "-", "created": "2026-06-12T18:30:00Z"}
    told = {"path": "datapackage.json", "hash": digest, "signedData": signed}
    members["datapackage-digest.json"] = json.dumps(told).encode()
    with zipfile.ZipFile(folder / "a.wacz", "w", kind) as archive:
        for name, data in members.items():
            archive.writestr(name, data)


def damage_package(folder: Path, chance: random.Random) -> None:
    """Damage the zip file, or a member of it, after which the zip file is made again."""
    path = folder / "a.wacz"
    try:
        with zipfile.ZipFile(path) as archive:
            members = [(info.filename, info.compress_type, archive.read(info)) for info in archive.infolist()]
    except Exception:  # it was damaged before
        members = []
    if not members or chance.random() < 0.5:
        path.write_bytes(damage(chance, path.read_bytes()))
        return
    place = chance.randrange(len(members))
    name, kind, data = members[place]
    if chance.random() < 0.2:
        name = chance.choice(
            ["../../a.warc", "/archive/a.warc", "archive/a.warc", "archive/", "pages/\udcff"[:6]]
        )
    else:
        data = (damage_text if name.endswith((".json", ".jsonl")) else damage)(chance, data)
    members[place] = name, kind, data
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two members of one name
        for each, form, content in members:
            archive.writestr(each, content, form)


def read_package(folder: Path) -> None:
    """Verify it, read its records and its page lists; nothing may appear but what is read."""
    path = folder / "a.wacz"
    check = check_package(path)
    assert all("\n" not in finding.what for finding in check.findings)
    tally = Tally()
    for record in read_wacz(path, tally, scratch=folder):
        assert record.kind
    assert sorted(each.name for each in folder.iterdir()) == ["a.wacz"]
