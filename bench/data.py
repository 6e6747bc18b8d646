"""Make the inputs that benchmarks share, once: `python -m bench.data`, which `make bench-data` runs.

An input is what a figure declares with `prepare`; it is kept in .bench-data/full under its name. Remove the
folder to have it made again.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import bench
from bench.frame import DATA, BenchError, Figure, digest_tree, find_input


def find_figures() -> list[Figure]:
    """The figures of every module of this folder, in the order of the modules' names."""
    figures: list[Figure] = []
    for module in sorted(found.name for found in pkgutil.iter_modules(bench.__path__)):
        if module != "__main__":
            figures += getattr(importlib.import_module(f"bench.{module}"), "FIGURES", [])
    return figures


def main() -> None:
    """Make every input that is not there yet, and say what there is."""
    failed = False
    inputs = {figure.data or figure.name: figure for figure in find_figures()}
    for name, figure in inputs.items():
        try:
            place = find_input(figure, quick=False)
        except BenchError as error:
            failed = True
            print(f"bench-data: {name}: {error}", file=sys.stderr)
            continue
        size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
        digest = digest_tree(place, name)
        print(f"{place.relative_to(DATA.parent)}  {size:,} bytes  {digest}".replace(",", " "))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
