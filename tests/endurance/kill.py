"""Crawls that end badly, many of each kind, until every one is finished: `python -m tests.endurance.kill`.

Kinds of ends: ``kill -9`` at any moment and at named points, power cuts, full disks, syncs that fail. After
each, the same command resumes the crawl. In the end it must have the same pages as an undisturbed crawl, each
stored once, in files that are sound; no URL of a checkpoint may be lost, and the judge of the synthetic web
must have no complaint.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import webstrata as ws
from tests.crawl.killing import KILLED, Field, lose_power
from tests.endurance.page import to_table, write_section
from webstrata.crawl.recovery import POINTS


def _draw_plan(kind: str, draw: random.Random) -> str:
    if kind == "full disk":
        rule = draw.choice(["no-space", "over-quota"])
        return f"{rule} path=*/crawl/* after={draw.randrange(1_000_000)} times={draw.randint(1, 30)}"
    if kind == "failing sync":
        place = draw.choice(["*/crawl/*", "*journal", "*captures.cdxj", "*.open", "*/crawl"])
        return f"sync-fails path={place} after={draw.randrange(12)} times=1"
    if kind == "killed at a point":
        return f"crash at={draw.choice(POINTS)} after={draw.randrange(12)}"
    return ""


def _draw_moment(kind: str, draw: random.Random) -> float:
    if kind in ("killed at a point", "failing sync"):
        return 5.0  # in case that the plan has nothing left to hit
    # now and then while the files are brought into order
    return draw.uniform(0.05, 1.0) if draw.random() < 0.85 else draw.uniform(-1.0, -0.05)


def loop(kind: str, ends: int, seconds: float, seed: int) -> dict[str, Any]:
    """Crawl the preset `small` until as many runs have ended badly; what was found."""
    draw = random.Random(seed)
    begun = time.monotonic()
    found: Counter[str] = Counter()
    rude: Counter[str] = Counter()
    web = ws.invitro.Web("small", seed=7, pages=3_000)
    while found["ends"] < ends and time.monotonic() - begun < seconds:
        with tempfile.TemporaryDirectory() as name, Field(Path(name), web) as field:
            while True:
                is_left = found["ends"] < ends and time.monotonic() - begun < seconds
                plan, after = (_draw_plan(kind, draw), _draw_moment(kind, draw)) if is_left else ("", None)
                if kind == "power cut":
                    plan = field.tracing
                status, said = field.run(plan, after)
                found["fetched again"] += sum(
                    int(line.split("; ")[1].split()[0].replace(",", ""))
                    for line in said.splitlines()
                    if "cut off, to be" in line
                )
                found["waits for room"] += said.count("no space left")
                # the last sync may fail when all is in order; then the next run finds a finished crawl
                if status == 0 or (kind == "failing sync" and "was crawled already" in said):
                    break
                assert status == KILLED or (kind == "failing sync" and status == 1), (status, said)
                assert status == KILLED or said.splitlines()[-1].count("could not sync") == 1, said
                found["ends"] += 1
                found["killed" if status == KILLED else "sync failed"] += 1
                if kind == "power cut":
                    known = field.known(at_checkpoint=True)
                    found["bytes lost"] += lose_power(field.trace, draw)
                    assert known <= field.known(), f"lost {known - field.known()}"
            field.assert_whole()
            found["crawls"] += 1
            rude.update(field.find_rudeness())
    assert not rude, f"{kind}: the judge found {dict(rude)}"
    return {"kind": kind, **found, "seconds": round(time.monotonic() - begun, 1)}


KINDS = ("kill -9", "killed at a point", "power cut", "full disk", "failing sync")


SAID = {
    "kill -9": "`kill -9` at any moment",
    "killed at a point": "killed at a named point of a checkpoint, a file or the end",
    "power cut": "power cut: what was not synced is lost, shortened or zeroed",
    "full disk": "full disk or quota, then `kill -9` while it waits or after it resumed",
    "failing sync": "a sync that fails",
}


def to_section(results: list[dict[str, Any]]) -> str:
    """What the page about trust has of it."""
    # a page that is lost or stored twice ends the loop with an AssertionError, and nothing is written
    header = ("end", "bad ends", "crawls finished as undisturbed ones", "bytes lost", "waits for space")
    counted = ("ends", "crawls", "bytes lost", "waits for room")
    rows = [(SAID[result["kind"]], *(int(result.get(name, 0)) for name in counted)) for result in results]
    return to_table(header, rows, numbers=range(1, len(header)))


def main() -> None:
    """`make kill`."""
    parser = argparse.ArgumentParser(description="Let crawls end badly, and see that nothing is lost.")
    parser.add_argument("--ends", type=int, default=50, help="How many of each kind.")
    parser.add_argument("--seconds", type=float, default=240, help="After which a kind is not begun again.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, action="append", help="Only this one; may be repeated.")
    parser.add_argument("--write", action="store_true", help="Put the results into docs/reference/trust.md.")
    words = parser.parse_args()
    results = []
    for kind in words.kind or KINDS:
        results.append(loop(kind, words.ends, words.seconds, words.seed))
        print(json.dumps(results[-1]), flush=True)
    total = sum(result["ends"] for result in results)
    crawls = sum(result["crawls"] for result in results)
    print(
        f"{total} bad ends of {crawls} crawls: the same pages as an undisturbed crawl has, each stored once, "
        "every URL of a checkpoint still known, and nothing for the judge to complain about."
    )
    if words.write:
        write_section("kill", to_section(results))
    short = [result["kind"] for result in results if result["ends"] < words.ends]
    if short:
        sys.exit(
            f"fewer than {words.ends} ends in {words.seconds:g} s: {', '.join(short)}; give it more --seconds"
        )


if __name__ == "__main__":
    main()
