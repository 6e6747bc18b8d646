"""polars, DuckDB and pandas take results as they are, by the Arrow stream of each."""

from __future__ import annotations

import json
import os
import subprocess
import sysconfig

import pytest

from tests.conftest import ROOT
from tests.peers.installed import find_peer

pytestmark = pytest.mark.peer

TAKE = """
import json, sys
import duckdb, pandas as pd, polars as pl
from webstrata import testing

uk = testing.collection()
june = uk["2026-06"]
found = {}
for name, result in {
    "search": uk.search("tropical fish"),
    "changes": uk.changes("storm"),
    "rank": june.rank(),
    "similar": uk.similar("http://reef.example/fish"),
    "pages": june.pages,
    "urls": june.urls,
    "show": uk.show(),
    "run": uk.run(dry_run=True),
}.items():
    rows = pl.DataFrame(result)
    counted = duckdb.sql("select count(*) from result").fetchall()[0][0]
    frame = pd.DataFrame.from_arrow(result)
    found[name] = [rows.height, counted, len(frame), list(frame.columns) == rows.columns]
hits = uk.search("tropical fish", at="2026-06")
found["best"] = duckdb.sql("select url from hits order by score desc limit 1").fetchall()[0][0]
print(json.dumps(found))
"""


def test_results_are_taken_as_they_are() -> None:
    python = find_peer("python", "duckdb", "pandas", "polars", "pyarrow")
    path = os.pathsep.join([str(ROOT / "src"), sysconfig.get_paths()["purelib"]])
    done = subprocess.run(
        [python, "-c", TAKE],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.pop("best") == "http://reef.example/fish"
    for name, (polars, duckdb, pandas, is_same) in found.items():
        assert polars == duckdb == pandas, name
        assert polars > 0, name
        assert is_same, name
