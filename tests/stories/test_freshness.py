"""The story of `webstrata freshness`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from webstrata import testing

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., subprocess.CompletedProcess[str]]


def test_the_least_fresh_hosts_and_budgets_are_listed(webstrata: Command, tmp_path: Path) -> None:
    uk = testing.collection().path
    said = webstrata("freshness", str(uk), "--at", "2026-06-20", "--limit", "2").stdout
    assert "of 16 pages are estimated to be up to date at 2026-06-20" in said
    assert "reef.example" not in said
    assert all(word in said for word in ("news.example", "optimal", "proportional"))
    found = json.loads(
        webstrata("freshness", str(uk), "--at", "2026-06-20", "--budget", "0.1/page/day", "--json").stdout
    )
    assert found["budgets"][0]["visits_per_day"] == 1.6
    assert len(found["hosts"]) == 5
    webstrata("freshness", str(uk), "--at", "2026-06-20", "--plots", str(tmp_path / "pictures"))
    assert (tmp_path / "pictures" / "freshness.html").is_file()


def test_bad_dates_and_budgets_are_refused_in_one_sentence(webstrata: Command) -> None:
    uk = str(testing.collection().path)
    for words, sentence in (
        (("--at", "2026-13"), "2026-13"),
        (("--at", "2026-05"), "the newest capture is of 2026-06"),
        (("--budget", "fast"), "budget 'fast': write it as 20/s"),
        (("--at", "2026-06-20", "--budget", "0/s"), "visits nothing"),
    ):
        ended = webstrata("freshness", uk, *words)
        assert ended.returncode == 2
        assert sentence in ended.stderr
        assert "Traceback" not in ended.stderr
