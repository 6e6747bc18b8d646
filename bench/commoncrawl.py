"""Web graph releases of Common Crawl through time: how long each command takes, and in how much memory.

``python -m bench.commoncrawl --hosts 10_000_000 --arcs 100_000_000 --releases 4`` writes synthetic releases
in the published formats (numbered vertices and edges in text, packed by gzip, and ranks of the last release),
and runs what a user would: ``new``, ``ingest --webgraph`` of each, ``align``, ``history``, ``compare-ranks``
and ``panel``. Each command is a process of its own; a JSON line has its seconds and the largest resident size
of it. The last line has the sizes of all that was read and written. There is no peer: nobody aligns releases.

The bound that is checked: no command but ``compare-ranks`` and ``panel``, which rank, may take more than the
memory of ``[graph]`` and ``[temporal]`` (1 GiB each) plus 600 MiB for the interpreter, compressed pieces in
flight and mapped files. Quick (``--quick``) are 100 000 hosts and 1 000 000 arcs in two releases.

The synthetic web: hosts have powerlaw outdegrees, half of their links go to neighbours in name order and half
to popular hosts; from release to release hosts appear and vanish, and a fifth of the arcs is replaced.
Published PageRank is a power iteration in SciPy. Harmonic centrality of millions of hosts is not computed
here: the columns have ``---``, which the format has for no value.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]

SIZES = {"hosts": 10_000_000, "arcs": 100_000_000, "releases": 4}
QUICK = {"hosts": 100_000, "arcs": 1_000_000, "releases": 2}
BOUND = (1 << 30) + (600 << 20)
RANKING = ("compare-ranks", "panel")
BLOCK = 1 << 19
_TOP = ("com", "com", "com", "com", "de", "net", "org", "uk.co", "jp.co", "br.com")


class SyntheticReleases:
    """A web of hosts that changes from release to release, written in Common Crawl's formats."""

    def __init__(self, *, hosts: int, arcs: int, releases: int, seed: int = 7) -> None:
        import numpy as np

        self.hosts, self.arcs, self.releases, self.seed = hosts, arcs, releases, seed
        # about a tenth of all hosts are not in a given release
        self.universe = hosts * 10 // 9
        random = np.random.default_rng(seed)
        self.first = np.where(
            random.random(self.universe) < 0.8, 0, random.integers(0, releases, self.universe)
        )
        gone = random.random(self.universe) < 0.15
        self.last = np.where(gone, random.integers(0, releases, self.universe), releases)
        self.popular = random.permutation(self.universe).astype(np.int64)
        self.names = self._make_names()

    def _make_names(self) -> pa.Array:
        """Reversed names, sorted as releases are."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        number = np.arange(self.universe)
        domain = number // 2
        top = pa.array(_TOP).take(pa.array(domain % len(_TOP)))
        scattered = (domain * 2_654_435_761) % (1 << 40)
        words = pc.cast(pa.array(scattered), pa.string())
        ends = pa.array([".www", "", "-shop.www", "-shop"]).take(pa.array(number % 2 + 2 * (domain % 3 == 0)))
        names = pc.binary_join_element_wise(top, pc.binary_join_element_wise("s", words, ends, ""), ".")
        names = pc.unique(names)
        self.universe = min(self.universe, len(names))
        return names.take(pc.sort_indices(names))

    def is_present(self, release: int) -> npt.NDArray[np.bool_]:
        """Which hosts of all a release has."""
        return (self.first <= release) & (self.last >= release)

    def arcs_of(self, release: int) -> Iterator[tuple[Numbers, Numbers]]:
        """The arcs of a release between hosts of all, in order and in blocks."""
        import numpy as np

        present = self.is_present(release)
        mean = self.arcs / self.hosts
        for start in range(0, self.universe, BLOCK):
            end = min(start + BLOCK, self.universe)
            random = np.random.default_rng([self.seed, start])
            degrees = np.minimum((random.pareto(1.6, end - start) + 0.15) * mean * 0.63, 20_000).astype(
                np.int64
            )
            sources = np.repeat(np.arange(start, end), degrees)
            near = random.random(len(sources)) < 0.5
            steps = random.geometric(0.02, len(sources)) * random.choice((-1, 1), len(sources))
            far = self.popular[(random.random(len(sources)) ** 3 * self.universe).astype(np.int64)]
            targets = np.where(near, np.clip(sources + steps, 0, self.universe - 1), far)
            # a fifth of the arcs has another target in each release
            changed = random.random(len(sources)) < 0.2
            targets = np.where(changed, (targets + 97 * release) % self.universe, targets)
            kept = present[sources] & present[targets]
            keys = np.unique((sources[kept] << 32) | targets[kept])
            yield keys >> 32, keys & 0xFFFFFFFF

    def write(self, folder: Path, release: int, *, ranks: bool = False, files: int = 2) -> dict[str, int]:
        """Write one release with numbered vertices and edges; how many hosts and arcs it has."""
        import numpy as np
        import pyarrow as pa

        present = self.is_present(release)[: self.universe]
        number = np.cumsum(present) - 1
        names = self.names.filter(pa.array(present))
        title = f"cc-main-synthetic-{release + 1}-host"
        paths = {
            kind: [folder / kind / f"part-{part:05}-synthetic.txt.gz" for part in range(files)]
            for kind in ("vertices", "edges")
        }
        for kind, some in paths.items():
            (folder / kind).mkdir(parents=True)
            listed = "".join(f"projects/hyperlinkgraph/synthetic/host/{kind}/{path.name}\n" for path in some)
            with _open_gzip(folder / f"{title}-{kind}.paths.gz") as stream:
                stream.write(listed.encode())
        cuts = np.linspace(0, len(names), files + 1).astype(int)
        for path, start, end in zip(paths["vertices"], cuts, cuts[1:], strict=False):
            with _open_gzip(path) as stream:
                _write_lines(stream, {"id": np.arange(start, end), "name": names.slice(start, end - start)})
        streams = [_open_gzip(path) for path in paths["edges"]]
        sources_of, targets_of, count = [], [], 0
        for place, (sources, targets) in enumerate(self.arcs_of(release)):
            sources, targets = number[sources], number[targets]
            _write_lines(streams[place % files], {"from": sources, "to": targets})
            count += len(sources)
            if ranks:
                sources_of.append(sources.astype(np.int32))
                targets_of.append(targets.astype(np.int32))
        for stream in streams:
            stream.close()
        if ranks:
            scores = _pagerank(len(names), np.concatenate(sources_of), np.concatenate(targets_of))
            with _open_gzip(folder / f"{title}-ranks.txt.gz") as stream:
                stream.write(b"#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\n")
                order = np.argsort(-scores, kind="stable")
                none = pa.array(["---"]).take(pa.array(np.zeros(len(order), np.int64)))
                columns = {"a": none, "b": none, "c": np.arange(1, len(order) + 1), "d": scores[order]}
                _write_lines(stream, {**columns, "e": names.take(pa.array(order))})
        return {"hosts": len(names), "arcs": count}


def _open_gzip(path: Path) -> Any:  # noqa: ANN401 (a stream of bytes)
    return gzip.open(path, "wb", compresslevel=1)


def _write_lines(stream: Any, columns: dict[str, Any]) -> None:  # noqa: ANN401
    import pyarrow as pa
    import pyarrow.csv as csv

    options = csv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none")
    csv.write_csv(pa.table(columns), stream, options)


def _pagerank(nodes: int, sources: npt.NDArray[np.int32], targets: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
    """PageRank with α = 0.85 by the power method, dangling nodes to all alike; 60 steps."""
    import numpy as np
    from scipy.sparse import csr_matrix

    degrees = np.bincount(sources, minlength=nodes)
    matrix = csr_matrix((1 / degrees[sources], (targets, sources)), shape=(nodes, nodes))
    scores = np.full(nodes, 1 / nodes)
    for _ in range(60):
        scores = 0.85 * (matrix @ scores + scores[degrees == 0].sum() / nodes) + 0.15 / nodes
    return scores


def run(folder: Path, words: list[str]) -> tuple[dict[str, Any], str]:
    """Run a command; its seconds and largest resident size, and what it printed."""
    command = [str(Path(sys.executable).with_name("webstrata")), *words]
    started = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    out = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"bench.commoncrawl: {' '.join(words)} failed: {process.stderr.read().strip()}")
    seconds = round(time.monotonic() - started, 1)
    peak = used.ru_maxrss * 1024
    return {"command": " ".join(words), "seconds": seconds, "peak_mib": peak >> 20, "peak": peak}, out


def main(arguments: list[str] | None = None) -> None:
    """Write releases, run the commands, print a line each; ends with 1 if one takes more than the bound."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a small web")
    for name, value in SIZES.items():
        parser.add_argument(f"--{name}", type=int, help=f"default: {value:,}")
    parser.add_argument("--folder", type=Path, help="where to work; default: a temporary folder")
    parser.add_argument("--keep", action="store_true", help="leave the collection there")
    chosen = parser.parse_args(arguments)
    sizes = {name: getattr(chosen, name) or (QUICK if chosen.quick else SIZES)[name] for name in SIZES}
    folder = Path(tempfile.mkdtemp(prefix="commoncrawl-", dir=chosen.folder))
    try:
        failed = _measure(folder, sizes)
    finally:
        if not chosen.keep:
            shutil.rmtree(folder)
    sys.exit(1 if failed else 0)


def _write_apart(folder: Path, number: int, sizes: dict[str, int]) -> dict[str, int]:
    """Write a release in a process of its own, whose memory would count for commands started later."""
    code = (
        "import json, sys; from pathlib import Path; from bench.commoncrawl import SyntheticReleases; "
        "sizes, number, folder = json.loads(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]); "
        "ranks = number == sizes['releases'] - 1; "
        "print(json.dumps(SyntheticReleases(**sizes).write(folder, number, ranks=ranks)))"
    )
    words = [sys.executable, "-c", code, json.dumps(sizes), str(number), str(folder)]
    root = Path(__file__).resolve().parent.parent
    made = subprocess.run(words, cwd=root, check=True, capture_output=True, text=True).stdout
    found: dict[str, int] = json.loads(made)
    return found


def _measure(folder: Path, sizes: dict[str, int]) -> bool:
    steps: list[dict[str, Any]] = []

    def step(*words: str) -> str:
        measured, out = run(folder, list(words))
        steps.append(measured)
        print(json.dumps({name: value for name, value in measured.items() if name != "peak"}), flush=True)
        return out

    dates = [f"{2023 + number // 12}-{number % 12 + 1:02}" for number in range(sizes["releases"])]
    step("new", "cc")
    read = 0
    made = []
    for number, date in enumerate(dates):
        started = time.monotonic()
        release = folder / f"release-{number}"
        made.append(_write_apart(release, number, sizes))
        size = sum(path.stat().st_size for path in release.rglob("*") if path.is_file())
        seconds = round(time.monotonic() - started, 1)
        print(json.dumps({"written": date, **made[-1], "bytes": size, "seconds": seconds}), flush=True)
        read += size
        step("ingest", "cc", date, "--webgraph", str(release))
        shutil.rmtree(release)
    print(step("align", "cc").strip().splitlines()[-1])
    host = json.loads(step("rank", "cc", dates[-1], "--limit", "1", "--json"))["top"][0]["name"]
    step("history", "cc", host.removeprefix("http://").strip("/"), "--json")
    found = json.loads(step("compare-ranks", "cc", dates[-1], "--methods", "pagerank", "--json"))
    step("panel", "cc", "--output", "panel.parquet")
    parts = sum(path.stat().st_size for path in (folder / "cc").rglob("*") if path.is_file())
    bounded = [one for one in steps if one["command"].split()[0] not in (*RANKING, "rank")]
    over = [one["command"] for one in bounded if one["peak"] > BOUND]
    print(
        json.dumps(
            {
                "figure": "commoncrawl",
                **sizes,
                "releases_made": made,
                "read_bytes": read,
                "collection_bytes": parts,
                "panel_bytes": (folder / "panel.parquet").stat().st_size,
                "spearman_pagerank": round(found["correlations"]["pagerank"], 6),
                "seconds": round(sum(one["seconds"] for one in steps), 1),
                "peak_mib": max(one["peak_mib"] for one in bounded),
                "bound_mib": BOUND >> 20,
                "over_bound": over,
            }
        )
    )
    return bool(over)


if __name__ == "__main__":
    main()
