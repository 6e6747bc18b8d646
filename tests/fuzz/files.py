"""Files of ours that somebody else has written: `python -m tests.fuzz.files --seconds 300 --seed 1`.

Small archives of summaries, union graphs with labels and WACZ files are written, in each coding, and damaged:
bits are flipped, words replaced, pieces cut off, moved and doubled. Checksums are made to fit again, and what
is packed is packed again, so that the damage reaches those who decode. Then everything is read. It must be
what can be read, or be refused in a sentence: nothing else may be raised, no process may end, take two
seconds of processor time or more than `MAX_GROWTH` of memory.

Each format has a process of its own; the files that it failed on stay in ``rust/fuzz/found``.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime as dt
import json
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import zipfile
import zlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tests.endurance.page import to_table, write_section
from tests.fuzz.damage import NUMBERS, damage, damage_text
from tests.fuzz.packages import damage_package, make_package, read_package
from webstrata.classify.gate.file import load_gate
from webstrata.classify.learning.ensemble import EnsembleSelection
from webstrata.classify.learning.model_file import HostModel, load_model, save_model
from webstrata.collection.arrays import load_array
from webstrata.collection.manifest import PartRecord
from webstrata.collection.verify import BLOCK_SUMS, make_block_sums, verify_part
from webstrata.errors import WebstrataError
from webstrata.graph import Graph
from webstrata.summaries import Archive, make_rows, write_archive
from webstrata.summaries.settings import SummariesSettings
from webstrata.temporal.labels import LabelledGraph, write_labels
from webstrata.temporal.labels.container import file_of, fingerprint, read_description

if TYPE_CHECKING:
    from collections.abc import Callable

FOUND = Path(__file__).parents[2] / "rust" / "fuzz" / "found"
MAX_SECONDS = 2.0
RECORD = PartRecord(
    name="rank",
    generation=1,
    built=dt.datetime(2026, 6, 30, tzinfo=dt.UTC),
    seconds=1.0,
    version="",
    files=2,
    bytes=0,
    checksum="sha256:ab",
)
MAX_GROWTH = 1 << 30


def damage_numbers(chance: random.Random, packed: bytes) -> bytes:
    """A packed section of labels, damaged before it is packed, or behind it."""
    try:
        return zlib.compress(damage(chance, zlib.decompress(packed)), 1)
    except zlib.error:  # it was damaged before
        return damage(chance, packed)


# ---- labels: docs/formats/temporal-labels.md


_HEAD = struct.Struct(">8sHBBBB2x")
_TAIL = struct.Struct(">6Q9QII8s")
PACKED = 6
"""The first section that is packed; those before it are mapped."""


def damage_labels(chance: random.Random, path: Path, graph: Path) -> None:
    """Damage a file of labels, and make its checksums fit."""
    data = path.read_bytes()
    head, tail = list(_HEAD.unpack_from(data)), _TAIL.unpack(data[-_TAIL.size :])
    numbers, lengths = list(tail[:6]), tail[6:15]
    sections, place = [], _HEAD.size
    for length in lengths:
        sections.append(data[place : place + length])
        place += length + -length % 8
    size, print_ = fingerprint(graph)
    low_bits = numbers[5] & 0xFF
    which = chance.randrange(len(sections) + 3)
    if which < len(sections):
        change = damage if which < PACKED or chance.random() < 0.1 else damage_numbers
        sections[which] = change(chance, sections[which])
    elif which == len(sections):
        head[chance.randrange(2, 5)] = chance.randrange(256)
    elif which == len(sections) + 1:
        numbers[chance.choice([2, 3])] = chance.choice(NUMBERS)
    else:
        low_bits = chance.randrange(256)
    numbers[4:6] = size, print_ << 8 | low_bits
    checksum = 0
    for section in sections[PACKED:]:
        checksum = zlib.crc32(section, checksum)
    first = _HEAD.pack(*head)
    own = zlib.crc32(first + struct.pack(">15QI", *numbers, *map(len, sections), checksum))
    body = b"".join(section + bytes(-len(section) % 8) for section in sections)
    path.write_bytes(first + body + _TAIL.pack(*numbers, *map(len, sections), checksum, own, b"wslabels"))


def make_union(folder: Path, chance: random.Random, coding: str) -> None:
    """A small union graph with labels that its pages do not explain."""
    size = 90
    arcs = {(chance.randrange(size), min(int(chance.expovariate(0.05)), size - 1)) for _ in range(900)}
    arcs |= {(node, near) for node in range(size) for near in range(node + 1, min(node + 6, size))}
    Graph.from_arcs(sorted(arcs), num_nodes=size).write(folder / "union")
    nodes = np.array([chance.choice([7, 7, 7, 3, 6, 5]) for _ in range(size)], np.uint64)
    labels = [int(nodes[a] & nodes[b]) & chance.choice([7, 7, 7, 6, 1]) or 1 for a, b in sorted(arcs)]
    write_labels(
        folder / "union",
        folder / "union",
        node_labels=nodes,
        arc_labels=np.array(labels, np.uint64),
        num_snapshots=3,
        coding=coding,
    )


def damage_union(folder: Path, chance: random.Random) -> None:
    """Damage one of its files; the labels are made to fit, whichever it is."""
    path = folder / chance.choice(["union.graph", "union.ef", "union.properties", *["union.labels"] * 9])
    if path.suffix == ".properties":
        path.write_bytes(damage_text(chance, path.read_bytes()))
    elif path.suffix != ".labels":
        path.write_bytes(damage(chance, path.read_bytes()))
    if path.suffix in (".labels", ".graph"):
        damage_labels(chance, folder / "union.labels", folder / "union")


def read_union(folder: Path) -> None:
    """Read the lists and labels of all nodes, in order, in none, and those of a view."""
    path = folder / "union"
    # who opens it says how many snapshots there are, and must not be wrong
    snapshots = [str(number) for number in range(read_description(file_of(path)).num_snapshots)]
    for mapped in (True, False):
        graph = LabelledGraph.open(path, path, snapshots=snapshots, mapped=mapped)
        nodes = np.arange(graph.num_nodes, dtype=np.uint32)[::-1]
        for rows in (graph.labelled_rows(), graph.batch_labelled_successors(nodes)):
            assert len(rows.labels) == len(rows.targets) == rows.offsets[-1]
            assert not len(rows.targets) or rows.targets.max() < graph.num_nodes
        graph.kept_rows([(2, 1, 0), (0, 0, 4)], 0, graph.num_nodes)
        graph.kept_successors([(4, 0, 0)], nodes[:5])


# ---- archives: docs/formats/summaries.md


def make_archive(folder: Path, chance: random.Random, coding: str) -> None:
    """A small archive; some of its pages are missing, and summaries resemble each other."""
    missing, rows, last = range(0, 40, 7), [], {3: 1}
    for node in range(150):
        if chance.random() < 0.4:
            last = {}
        last = last | {int(chance.expovariate(0.02)): chance.choice([1, 1, 2, 9]) for _ in range(8)}
        length = sum(last.values()) + chance.choice([0, 5, 70_000])
        rows.append((0, {}) if node in missing else (length, last))
    settings = SummariesSettings(coding=coding.split("-")[0], count_differences=not coding.endswith("-plain"))
    texts = sorted(f"term{number}" for number in range(1 + max(max(row, default=0) for _, row in rows)))
    write_archive(folder, make_rows(rows), settings=settings, texts=texts, missing=missing)


def damage_archive(folder: Path, chance: random.Random) -> None:
    """Damage one of its files."""
    weights = {"archive.toml": 1, "missing.set": 2, "terms.order": 1, "terms.parquet": 1, "model.zst": 2}
    weights |= {"summaries.places": 3, "summaries.stream": 5}
    path = folder / chance.choices(list(weights), list(weights.values()))[0]
    if not path.exists():
        return
    data = path.read_bytes()
    if path.suffix == ".toml":
        data = damage_text(chance, data)
    elif path.suffix == ".zst" and chance.random() < 0.8:
        data = damage_model(chance, data)
    else:
        data = damage(chance, data)
    path.write_bytes(data)


def damage_model(chance: random.Random, packed: bytes) -> bytes:
    """A model whose tables have other frequencies, or anything."""
    try:
        with pa.CompressedInputStream(pa.py_buffer(packed), "zstd") as stream:
            raw = stream.read()
    except OSError:  # it was damaged before
        return damage(chance, packed)
    # sizes that change their places still add up
    place = 32 * chance.randrange(643) + 2 * chance.randrange(15)
    moved = raw[:place] + raw[place + 2 : place + 4] + raw[place : place + 2] + raw[place + 4 :]
    return bytes(pa.Codec("zstd").compress(chance.choice([moved, moved, damage(chance, raw)]), asbytes=True))


def read_archive(folder: Path) -> None:
    """Read every summary, in order and in none."""
    archive = Archive(folder)
    nodes = np.arange(len(archive), dtype=np.uint64)
    archive.has(nodes)
    for rows in (archive.batch(nodes), archive.batch(nodes[::-1]), archive.ranked_batch(nodes[:9])):
        assert len(rows.terms) == len(rows.counts) == rows.offsets[-1]
        assert not len(rows.terms) or rows.terms.max() < len(archive.terms)
    for _ in archive.scan():
        pass
    assert len(archive.terms.df) == len(archive.terms.cf) == len(archive.terms)
    if archive.terms.have_texts:
        archive.terms.texts()
        archive.terms.find("term9")


# ---- parts, their arrays, models: docs/formats/collection.md, docs/formats/model.md


def make_part(folder: Path, chance: random.Random, _coding: str) -> None:
    """The files of a part with their sums, and an array among them."""
    np.save(folder / "scores.npy", np.arange(chance.randrange(1, 400), dtype=np.float64))
    (folder / "facts.json").write_bytes(chance.randbytes(200))
    paths = [folder / "facts.json", folder / "scores.npy"]
    make_block_sums(folder, RECORD.checksum, paths)


def damage_part(folder: Path, chance: random.Random) -> None:
    """Damage one of its files."""
    path = folder / chance.choice(["scores.npy", "scores.npy", "facts.json", BLOCK_SUMS])
    path.write_bytes(damage(chance, path.read_bytes()))


def read_part(folder: Path) -> None:
    """Read the array as it is, then verify everything: a part that is verified must be whole."""
    try:
        load_array(folder / "scores.npy")
        load_array(folder / "scores.npy", mapped=True).sum()
    except WebstrataError as error:
        if "\n" in str(error):
            raise AssertionError("a refusal is a sentence") from error
    verify_part(folder, RECORD, whole=True)


def make_model(folder: Path, _chance: random.Random, _coding: str) -> None:
    """A small model of hosts."""
    values = np.array([[0.0], [1.0], [2.0], [3.0]] * 5)
    fitted = EnsembleSelection("small", feature_sets={"B": [0]}, random_state=1)
    fitted.fit(values, np.array([0, 0, 1, 1] * 5))
    save_model(HostModel("spam", {"B": ["words"]}, (), fitted), folder / "spam.model")


def damage_zip(folder: Path, chance: random.Random) -> None:
    """Damage the file, or one of its entries, which then has a right checksum."""
    path = folder / "spam.model"
    if chance.random() < 0.3:
        path.write_bytes(damage(chance, path.read_bytes()))
        return
    try:
        with zipfile.ZipFile(path) as archive:
            entries = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError):
        return  # it was damaged before
    if not entries:
        return
    name = chance.choice(list(entries))
    entries[name] = (
        damage_text(chance, entries[name]) if name.endswith("json") else damage(chance, entries[name])
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, data in entries.items():
            archive.writestr(entry, data)


def read_model(folder: Path) -> None:
    """Load the model, and the same file as a gate."""
    with contextlib.suppress(WebstrataError):
        load_gate(folder / "spam.model")
    load_model(folder / "spam.model")


# ---- all of them


@dataclass(frozen=True)
class Format:
    """How files are made, damaged and read."""

    codings: tuple[str, ...]
    make: Callable[[Path, random.Random, str], None]
    damage: Callable[[Path, random.Random], None]
    read: Callable[[Path], None]


FORMATS = {
    "labels": Format(("runs", "huffman"), make_union, damage_union, read_union),
    "wacz": Format(("stored", "deflated"), make_package, damage_package, read_package),
    "parts": Format(("",), make_part, damage_part, read_part),
    "models": Format(("",), make_model, damage_zip, read_model),
    "summaries": Format(("contexts", "codes", "codes-plain"), make_archive, damage_archive, read_archive),
}


def limit() -> None:
    """Let this process end when one file takes too long, and allocations fail that are too large."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MAX_GROWTH
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)


def work(name: str, folder: Path, seconds: float, seed: int) -> Counter[str]:
    """Damage and read files of one format; what came of it. `folder` has the files of the moment."""
    chance, form, counts = random.Random(seed), FORMATS[name], Counter[str]()
    whole = {}
    for coding in form.codings:
        path = folder / f"whole-{coding}"
        path.mkdir()
        form.make(path, chance, coding)
        form.read(path)
        whole[coding] = {file.name: file.read_bytes() for file in path.iterdir()}
    now, end = folder / "now", time.monotonic() + seconds
    now.mkdir()
    limit()
    while time.monotonic() < end:
        for file_name, data in whole[chance.choice(form.codings)].items():
            (now / file_name).write_bytes(data)
        for _ in range(chance.choice([1, 1, 1, 2])):
            form.damage(now, chance)
        signal.setitimer(signal.ITIMER_VIRTUAL, MAX_SECONDS)
        counts["executions"] += 1
        try:
            form.read(now)
        except WebstrataError as error:
            if not str(error) or "\n" in str(error):
                raise AssertionError("a refusal is a sentence") from error
            counts["refused"] += 1
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        for file in now.iterdir():
            file.unlink()
    return counts


def fuzz(name: str, seconds: float, seed: int) -> Counter[str] | str:
    """Damage files of one format in a process of its own; what came of it, or how it failed."""
    with tempfile.TemporaryDirectory(prefix="files-") as folder:
        words = [
            sys.executable,
            "-m",
            "tests.fuzz.files",
            "--format",
            name,
            "--seconds",
            str(seconds),
            "--seed",
            str(seed),
        ]
        done = subprocess.run([*words, "--folder", folder], check=False, capture_output=True, text=True)
        if done.returncode == 0:
            counts: Counter[str] = Counter(json.loads(done.stdout))
            read = counts["executions"] - counts["refused"]
            print(f"{name:<12}{counts['executions']:>10,} files damaged, {read:,} could be read all the same")
            return counts
        saved = FOUND / f"{name}-files"
        shutil.rmtree(saved, ignore_errors=True)
        shutil.copytree(Path(folder) / "now", saved)
    ended = signal.Signals(-done.returncode).name if done.returncode < 0 else "an exception"
    print(f"{name} failed, {ended}: {saved}\n{done.stderr.strip()}")
    return ended


def to_section(found: dict[str, Counter[str] | str]) -> str:
    """What the page about trust has of it."""
    rows: list[tuple[object, ...]] = []
    for name, counts in found.items():
        if isinstance(counts, str):
            rows.append((name, "", "", "", f"**failed**: {counts}"))
            continue
        read = counts["executions"] - counts["refused"]
        rows.append((name, counts["executions"], counts["refused"], read, "no crash, no hang"))
    header = ("files", "damaged files read", "refused in one sentence", "read all the same", "what happened")
    return to_table(header, rows, numbers=(1, 2, 3))


def main() -> None:
    """Fuzz all formats, or the one asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60, help="for all formats together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--format", choices=FORMATS, action="append", help="only this one")
    parser.add_argument("--write", action="store_true", help="put the results into docs/reference/trust.md")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    names = chosen.format or list(FORMATS)
    if chosen.folder:
        try:
            print(json.dumps(work(names[0], chosen.folder, chosen.seconds, chosen.seed)))
        except BaseException:  # a panic of the core is none of the others
            traceback.print_exc()
            sys.exit(1)
        return
    found = {name: fuzz(name, chosen.seconds / len(names), chosen.seed) for name in names}
    if chosen.write:
        write_section("files", to_section(found))
    if any(isinstance(counts, str) for counts in found.values()):
        sys.exit("mend it, and keep what was wrong as a test of the reader")


if __name__ == "__main__":
    main()
