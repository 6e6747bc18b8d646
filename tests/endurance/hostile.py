"""A crawl under fire, scored against the truth: `python -m tests.endurance.hostile`.

It is the command that anybody can give, ``webstrata crawl … --invitro hostile``: a web of traps, of endless,
stalled, torn and exploding answers, of loops of redirects, of hosts that fail or lie. It must end by itself,
with memory flat, have met every kind of attack and escaped it, and have lost next to none of the good pages.
Two such webs are crawled at the same time, each by a process of its own: most of the time of either goes by
waiting for its slowest hosts.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import webstrata as ws
from tests.endurance.page import to_table, write_section
from tests.endurance.watch import Check, check_flat, conclude, settled, watch, write_samples
from webstrata.crawl.results import CrawlResult
from webstrata.invitro import Web, judge
from webstrata.invitro.judge.log import read_log
from webstrata.store.captures import Captures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.endurance.watch import Sample
    from webstrata.invitro.judge import Verdict
    from webstrata.invitro.judge.log import Log

REQUESTS = 100_000
MAX_LOSS = 0.001
MAX_RESIDENT = 600 << 20
# pages of a trap that a host may sell: what depth and repeats allow
MAX_TRAPPED = 64

KINDS = {
    "body of 200 MB": r"/hazard/\w+/0$",
    "body without end": r"/hazard/\w+/1$",
    "answer that stalls": r"/hazard/\w+/2$",
    "answer that breaks off": r"/hazard/\w+/3$",
    "more than announced": r"/hazard/\w+/4$",
    "bomb of gzip": r"/hazard/\w+/5$",
    "body without length": r"/hazard/\w+/6$",
    "malformed head of 64 KiB": r"/hazard/\w+/7$",
    "calendar without end": r"/calendar/\d+/\d+/",
    "folder in itself": r"(/deeper)+/$",
    "loop of redirects": r"/loop/\w+/\d+$",
    "chain of redirects": r"/go/\w+/\d+$",
    "page that is not there": r"/gone/\w+/\d+$",
    "session in the address": r"[?&]sid=",
}
"""What is planted, by the addresses it has."""

_PATTERNS = {kind: re.compile(pattern) for kind, pattern in KINDS.items()}
_ENDS = {
    "body of 200 MB": {"cut: length"},
    "body without end": {"cut: length"},
    "answer that stalls": {"cut: time"},
    "answer that breaks off": {"cut: disconnect"},
    "bomb of gzip": {"cut: length"},
    "malformed head of 64 KiB": {"refused"},
}
"""How some kinds must have ended, each time."""


@dataclass
class Attack:
    """One kind of attack: how often it was planted and met, and how that ended."""

    planted: set[str] = field(default_factory=set)
    requests: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)


def find_kind(url: str) -> str | None:
    """Which kind of attack an address is."""
    path = "/" + url.split("/", 3)[3]
    return next((kind for kind, pattern in _PATTERNS.items() if pattern.search(path)), None)


def find_attacks(web: Web, pages: Iterable[str], log: Log, captures: Captures) -> dict[str, Attack]:
    """All attacks: planted on the good pages, met in the log, ended in the captures."""
    attacks: dict[str, Attack] = {kind: Attack() for kind in KINDS}
    for page in pages:
        for link in web.links(page):
            if kind := find_kind(link.url):
                attacks[kind].planted.add(link.url)
    for number in log.url:
        host, target = log.urls[int(number)]
        url = f"http://{log.hosts[host]}{target}"
        if kind := find_kind(url):
            attacks[kind].requests[url] += 1
    ends: dict[str, str] = {}
    for entry in captures.index:
        cut = entry.fields.get("truncated")
        ends[entry.url] = f"cut: {cut}" if cut else f"stored as {entry.fields['status'][0]}xx"
    for attack in attacks.values():
        attack.ends.update(ends.get(url, "refused") for url in attack.requests)
    return attacks


def find_lost(web: Web, urls: Iterable[str]) -> tuple[list[str], int]:
    """An address of each good page of which none was stored, and how many good pages there are.

    A crawler that learned to drop sessions stores an address that no page links to; the truth knows it as
    what the linked ones are duplicates of.
    """
    served, wanted = web.graph(), web.graph(view="collection")
    stored, good = set(urls), set(wanted.pages.tolist())
    found = set()
    for url, page in zip(served.urls, served.pages.tolist(), strict=True):
        if page in good and page not in found and (url in stored or web.duplicate_of(url) in stored):
            found.add(page)
    lost = dict(zip(served.pages.tolist(), served.urls, strict=True))
    return sorted(lost[page] for page in good - found), len(good)


def make_checks(
    attacks: dict[str, Attack], report: dict[str, Any], samples: list[Sample], lost: tuple[list[str], int]
) -> list[Check]:
    """The promises."""
    counters = report["counters"]
    most_asked = max((max(attack.requests.values(), default=0) for attack in attacks.values()), default=0)
    trapped: dict[str, int] = defaultdict(int)
    for kind in ("calendar without end", "folder in itself"):
        for url in attacks[kind].requests:
            trapped[url.split("/")[2]] += 1
    resident = [sample.resident for sample in settled(samples)]
    unmet = [kind for kind, attack in attacks.items() if not attack.requests]
    wrong = {kind: dict(attacks[kind].ends) for kind, ends in _ENDS.items() if set(attacks[kind].ends) - ends}
    return [
        Check(
            "it ended by itself", report["end"] == "exhausted", f"{report['end']}, {report['seconds']:.0f} s"
        ),
        check_flat("resident memory", resident),
        Check("below 600 MiB", max(resident) < MAX_RESIDENT, f"{max(resident) >> 20} MiB"),
        check_flat("threads", [sample.threads for sample in samples], few=2),
        Check("nothing stuck", counters["in_flight"] == 0, f"{counters['in_flight']} visits in flight"),
        Check("every kind was met", not unmet, ", ".join(unmet) or "yes"),
        Check("each ended as it must", not wrong, str(wrong or "yes")),
        Check("nothing asked for ever", most_asked <= 8, f"at most {most_asked} times"),
        Check(
            "traps were left",
            max(trapped.values(), default=0) <= MAX_TRAPPED,
            f"{len(trapped)} hosts, at most {max(trapped.values(), default=0)} pages of one",
        ),
        Check("good pages", len(lost[0]) <= MAX_LOSS * lost[1], f"{len(lost[0]):,} of {lost[1]:,} lost"),
    ]


def check_manners(verdict: Verdict) -> Check:
    """Whether the judge has nothing to say; a head that nobody can read may be asked for once more."""
    rude = {rule: len(found) for rule, found in verdict.violations.items() if found}
    repeats = verdict.violations["fetched_twice"]
    unread = sum(1 for repeat in repeats if find_kind(repeat.url or "///") == "malformed head of 64 KiB")
    if len(repeats) == unread:
        rude.pop("fetched_twice", None)
    return Check("polite meanwhile", not rude, str(rude or "yes"))


@dataclass(frozen=True)
class Crawled:
    """One web, crawled."""

    attacks: dict[str, Attack]
    text: str
    """What was met, to be printed."""
    checks: list[Check]
    requests: int


def _show(check: Check) -> str:
    """What was found, without what differs from run to run: durations, and bars."""
    found = re.sub(r", \d+ s$|\s*[▁-█]+$", "", check.found)
    return found if check.is_kept else f"**broken**: {found}"


def to_section(crawled: list[Crawled]) -> str:
    """What the page about trust has of it."""
    rows = []
    for kind in KINDS:
        each = [one.attacks[kind] for one in crawled]
        ends: Counter[str] = sum((attack.ends for attack in each), Counter())
        said = ", ".join(f"{count:,} {end}" for end, count in ends.most_common())
        planted, met = (
            sum(len(found) for found in sets)
            for sets in zip(*((attack.planted, attack.requests) for attack in each), strict=True)
        )
        rows.append((kind, planted, met, said))
    attacks = to_table(("attack", "URLs planted", "URLs requested", "how it ended"), rows, numbers=(1, 2))
    names = [check.name for check in crawled[0].checks]
    promises = to_table(
        ("promise", *(f"web {number}" for number in range(1, len(crawled) + 1))),
        [
            (name, *(_show(check) for check in checks))
            for name, *checks in zip(names, *(one.checks for one in crawled), strict=True)
        ],
    )
    requests = sum(one.requests for one in crawled)
    return f"{len(crawled)} webs, {requests:,} requests.\n\n{attacks}\n\n{promises}"


def crawl(seed: int, limit: float, samples_file: Path) -> Crawled:
    """Crawl one web."""
    web = Web("hostile", seed=seed)
    with tempfile.TemporaryDirectory(prefix="hostile-") as name:
        folder = Path(name)
        log = folder / "requests.log"
        words = ["--invitro", "hostile", "--invitro-seed", str(seed), "--no-parse-pages"]
        report, samples = watch([*words, "--log", str(log)], folder, limit=limit)
        write_samples(samples_file, samples)
        snapshot = ws.open(folder / "collection")["2026-06"]
        captures = Captures(snapshot)
        stored = (entry.url for entry in captures.index if entry.fields["status"] == "200")
        lost = find_lost(web, stored)
        attacks = find_attacks(web, web.graph().urls, read_log(log), captures)
        delays = web.settings
        verdict = judge(log, host_delay=delays.host_delay, ip_delay=delays.ip_delay, crawl_delay=False)
    lines = [f"{'attack':<28}{'planted':>9}{'met':>9}  how it ended"]
    for kind, attack in attacks.items():
        ends = ", ".join(f"{count:,} {end}" for end, count in attack.ends.most_common())
        lines.append(f"{kind:<28}{len(attack.planted):>9,}{len(attack.requests):>9,}  {ends}")
    lines.append("\nin the report of the crawl")
    counted = CrawlResult(report["end"], report["seconds"], report["counters"]).attacks()
    lines += [f"{what:<54}{count:>9,}" for what, count in counted.items()]
    lines += ["\nlost", *lost[0]] if lost[0] else []
    checks = [*make_checks(attacks, report, samples, lost), check_manners(verdict)]
    return Crawled(attacks, "\n".join(lines), checks, report["counters"]["requests"])


def main() -> None:
    """Crawl, score, judge."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1], help="which webs of that kind")
    parser.add_argument("--limit", type=float, default=3600, help="seconds after which it has failed")
    parser.add_argument("--samples", type=Path, default=Path("hostile.csv"), help="where they are written")
    parser.add_argument("--write", action="store_true", help="put the results into docs/reference/trust.md")
    chosen = parser.parse_args()
    files = [chosen.samples.with_suffix(f".{seed}{chosen.samples.suffix}") for seed in chosen.seeds]
    with ThreadPoolExecutor(len(files)) as pool:
        ended = list(pool.map(crawl, chosen.seeds, [chosen.limit] * len(files), files))
    checks: list[Check] = []
    for seed, one in zip(chosen.seeds, ended, strict=True):
        print(f"web {seed}\n{one.text}\n")
        checks += [replace(check, name=f"web {seed}: {check.name}") for check in one.checks]
    total = sum(one.requests for one in ended)
    if chosen.write:
        write_section("hostile", to_section(ended))
    conclude([*checks, Check("100 000 requests", total >= REQUESTS, f"{total:,}")])


if __name__ == "__main__":
    main()
