"""Schemathesis asks everything that the OpenAPI description allows, and much that it does not."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

import webstrata as ws
from tests.once import make_once
from tests.peers.installed import find_peer
from tests.serve.page.served import fill
from webstrata.serve.running import PageServer
from webstrata.serve.settings import ServeSettings
from webstrata.web.settings import ServerSettings

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.peer, pytest.mark.slow]

EXAMPLES = 350
"""Cases of each of some 36 operations."""
LEAST = 10_000
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def test_ten_thousand_cases_cause_no_server_error(
    tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    program = find_peer("schemathesis")
    collection = ws.open(make_once(tmp_path_factory, "pages", fill) / "uk")
    # the limit of a query's time, which is status 503, is tested elsewhere
    limits = ServerSettings(query_time=300.0)
    with PageServer([collection], ServeSettings(port=0), limits) as server:
        words = [
            program,
            "run",
            f"{server.url}/openapi.json",
            "--checks",
            CHECKS,
            "--seed",
            "7",
            "--no-color",
        ]
        words += [
            "--phases",
            "examples,coverage,fuzzing",
            "--max-examples",
            str(EXAMPLES),
            "--workers",
            "1",
            "--no-color",
        ]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=3600, check=False)
    found = re.search(r"(\d[\d,]*) generated", done.stdout)
    assert found is not None, done.stdout[-3000:] + done.stderr[-2000:]
    failures = re.findall(r"^- (ST\d+ .*)$", done.stdout, re.MULTILINE)
    assert failures == [], done.stdout[-8000:]
    assert int(found[1].replace(",", "")) >= LEAST
