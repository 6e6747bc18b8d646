"""All qualities on real pages in one run: `python -m bench.real [--quick] [NAME]…`.

===============  ==========================================================================================
``history``      nodes and arcs of eight dated states of a published site, against those of its repository
``content``      main content: `bench.main_content`
``search``       known pages found by search: `bench.search_quality`, reported and untouched sets
``changes``      change search on histories of sites: `bench.changes_real`; not with ``--quick``
===============  ==========================================================================================

Each prints its table with the peers and the simple baselines, and compares its floors. Data that is absent is
named in a sentence, and the next part is run. The exit code is 1 if a floor was missed or a part failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.floors import require
from bench.frame import ROOT, BenchError, digest_tree

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS = ("history", "content", "search", "changes")
_FOLDS = ("none", "exact", "fingerprint")


def find_histories() -> Path:
    """The folder of dated states with their truth, or `BenchError` with what to do."""
    named = os.environ.get("WEBSTRATA_TEST_DATA")
    data = Path(named) if named else ROOT.parent / "shared" / "data"
    folder = data / "history" / "flink-web"
    if not folder.is_dir():
        raise BenchError(f"{folder} is not there; name the folder of third-party data in WEBSTRATA_TEST_DATA")
    return folder


def measure_history(truth: Path, folder: Path) -> dict[str, tuple[float, float]]:
    """By rule of folding: the shares of true nodes that have a node, and of arcs that are right, of all arcs.

    The share of arcs is the Jaccard index of those found and the true ones, over all states.
    """
    import numpy as np

    import webstrata as ws
    from webstrata.graph.build import build_graph
    from webstrata.graph.settings import GraphSettings
    from webstrata.store.ingest.run import ingest

    collection = ws.create(folder / "history")
    nodes = {fold: [0, 0] for fold in _FOLDS}
    arcs = {fold: [0, 0] for fold in _FOLDS}
    for path in sorted(truth.glob("*.warc.gz")):
        label = path.name.removesuffix(".warc.gz")
        ingest(collection.add(label), [path])
        urls = (truth / label / "urls.txt").read_text().split()
        true = {
            (urls[source], urls[target]) for source, target in np.load(truth / label / "arcs.npy").tolist()
        }
        for fold in _FOLDS:
            build_graph(collection[label], GraphSettings(fold=fold))
            snapshot = ws.open(folder / "history")[label]  # the graph of before stays open in the other
            names, graph = list(snapshot.urls), snapshot.graph
            folded = len(graph.folded())
            found = {
                (names[node], names[int(target)])
                for node in range(graph.num_nodes)
                for target in graph.successors(node)
            }
            nodes[fold][0] += len(set(names) & set(urls)) - folded
            nodes[fold][1] += len(set(names) | set(urls))
            arcs[fold][0] += len(found & true)
            arcs[fold][1] += len(found | true)
    return {fold: (nodes[fold][0] / nodes[fold][1], arcs[fold][0] / arcs[fold][1]) for fold in _FOLDS}


def run_history() -> None:
    """Print the shares by rule, and compare the floors of the default."""
    truth = find_histories()
    with tempfile.TemporaryDirectory() as folder:
        found = measure_history(truth, Path(folder))
    print(f"{'fold':<12}  nodes   arcs")
    for fold, (nodes, arcs) in found.items():
        print(f"{fold:<12} {nodes:6.4f} {arcs:6.4f}{'  (default)' if fold == 'none' else ''}")
    digest = digest_tree(truth, "")
    require("real-history-nodes", found["none"][0], digest)
    require("real-history-arcs", found["none"][1], digest)


def run_module(words: Sequence[str]) -> int:
    """Run a benchmark in a process of its own; its exit code."""
    return subprocess.run([sys.executable, "-m", *words], cwd=ROOT, check=False).returncode


def main() -> None:
    """Run the parts that are named, or all."""
    quick = "--quick" in sys.argv
    names = [word for word in sys.argv[1:] if not word.startswith("-")] or list(PARTS)
    if unknown := set(names) - set(PARTS):
        sys.exit(f"bench: unknown part {min(unknown)}; parts are {', '.join(PARTS)}")
    extra = ["--quick"] if quick else []
    search = ["bench.search_quality", *extra]
    commands = {
        "content": [["bench.main_content", "--table"]],
        "search": [search] if quick else [search, [*search, "--part", "untouched"]],
        "changes": [["bench.changes_real"]],
    }
    failed = []
    for name in names:
        print(f"== {name}", flush=True)
        if name == "history":
            try:
                run_history()
            except BenchError as error:
                print(f"bench: {error}", file=sys.stderr)
                failed += [] if "is not there" in str(error) else [name]
        elif name == "changes" and quick:
            print("left out: it takes minutes")
        elif any([run_module(words) for words in commands[name]]):
            failed.append(name)
    if failed:
        sys.exit(f"bench: {', '.join(failed)} did not pass")


if __name__ == "__main__":
    main()
