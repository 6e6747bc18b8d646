"""What the judge finds: violations by rule with their lines, and what the log says about the visitor."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.collection.cells import show_bytes
from webstrata.collection.sentences import tell_count
from webstrata.collection.tables import Rows, Table
from webstrata.errors import FormatError, SettingError
from webstrata.invitro.judge.log import read_log
from webstrata.invitro.judge.rules import (
    FOREVER,
    Visits,
    find_gaps,
    find_repeats,
    find_visits,
    settle,
    valid_until,
)
from webstrata.invitro.judge.settings import JudgeSettings
from webstrata.invitro.judge.violations import Violations, ViolationTable
from webstrata.invitro.web import Web
from webstrata.web.robots import Robots, parse_robots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webstrata.invitro.judge.log import Log

    Numbers = NDArray[np.int64]

RULES = {
    "host_overlap": "a host was visited while another visit lasted",
    "ip_overlap": "an address was visited while another visit lasted",
    "ip_connections": "a second connection to an address was open",
    "host_gap": "a host was visited again too soon",
    "ip_gap": "an address was visited again too soon",
    "disallowed": "robots.txt forbids it",
    "fetched_twice": "it was fetched before",
}
"""The rules by name, each as what a violation is."""

RETRYABLE = (0, 408, 425, 429)


@dataclass(frozen=True)
class LogStatistics:
    """What a log says about the visitor; gaps are None where nothing was visited twice."""

    requests: int
    pages: int
    """Complete answers with status 200, robots.txt not counted."""
    hosts: int
    ips: int
    connections: int
    restarts: int
    bytes: int
    seconds: float
    """From the first arrival to the last end."""
    pages_per_second: float
    smallest_host_gap: float | None
    median_host_gap: float | None
    smallest_ip_gap: float | None
    median_ip_gap: float | None


@dataclass(frozen=True, repr=False)
class Verdict(Table):
    """All violations by rule, statistics, and what is worth noting but no violation."""

    settings: JudgeSettings
    header: Mapping[str, Any]
    violations: Mapping[str, Violations]
    statistics: LogStatistics
    unknown_hosts: Mapping[str, int]
    """Requests by host that does not exist."""
    cut_off_lines: Sequence[int]
    """Lines that were not written to their end, and not judged."""

    @property
    def counts(self) -> dict[str, int]:
        """The number of violations by rule."""
        return {rule: len(found) for rule, found in self.violations.items()}

    @property
    def is_polite(self) -> bool:
        """Whether there is no violation."""
        return not any(self.counts.values())

    empty_columns = ("rule", "violations")

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per rule: how often it was violated."""
        return [{"rule": rule, "violations": number} for rule, number in self.counts.items()]

    @property
    def summary(self) -> str:
        """How much was judged, and what is left out."""
        numbers = self.statistics
        lines = [
            f"{tell_count(numbers.requests, 'request')} on {tell_count(numbers.connections, 'connection')} "
            f"to {tell_count(numbers.hosts, 'host')} at {tell_count(numbers.ips, 'address', 'addresses')} in "
            f"{numbers.seconds:,.1f} s: {tell_count(numbers.pages, 'page')}, "
            f"{numbers.pages_per_second:,.1f} per second, {show_bytes(numbers.bytes)}; "
            f"{tell_count(numbers.restarts, 'restart')}."
        ]
        for kind, smallest, median in (
            ("host", numbers.smallest_host_gap, numbers.median_host_gap),
            ("address", numbers.smallest_ip_gap, numbers.median_ip_gap),
        ):
            if smallest is not None and median is not None:
                lines.append(
                    f"Gaps between visits to one {kind}: at least {smallest:.6f} s, median {median:.6f} s."
                )
        if self.unknown_hosts:
            names = ", ".join(list(self.unknown_hosts)[:3]) + (", …" if len(self.unknown_hosts) > 3 else "")
            lines.append(
                f"note: {tell_count(sum(self.unknown_hosts.values()), 'request')} for "
                f"{tell_count(len(self.unknown_hosts), 'host')} that cannot be found in this web, not "
                f"judged: {names}"
            )
        lines += [
            f"note: line {line} was not written to its end, and is not judged" for line in self.cut_off_lines
        ]
        return "\n".join(lines)

    @property
    def conclusion(self) -> str:
        """Whether the client was polite."""
        total = sum(self.counts.values())
        return f"Not polite: {tell_count(total, 'violation')}." if total else "Polite."

    def tables(self) -> dict[str, Table]:
        """The rules, then the violations of each."""
        rules = [
            {"rule": rule, "violations": number, "meaning": RULES[rule]}
            for rule, number in self.counts.items()
        ]
        found: dict[str, Table] = {"Rules": Rows("rules", rules)}
        found.update((rule, ViolationTable(each)) for rule, each in self.violations.items() if len(each))
        return found

    def to_dict(self, limit: int | None = None) -> dict[str, Any]:
        """The verdict as plain data, with at most `limit` violations of each rule."""
        return {
            "polite": self.is_polite,
            "web": dict(self.header),
            "settings": self.settings.to_dict(),
            "counts": self.counts,
            "violations": [asdict(one) for found in self.violations.values() for one in found[:limit]],
            "statistics": asdict(self.statistics),
            "unknown_hosts": dict(self.unknown_hosts),
            "cut_off_lines": list(self.cut_off_lines),
        }


def judge(
    log: Path | str,
    settings: JudgeSettings | None = None,
    *,
    host_delays: Mapping[str, float] | None = None,
    ip_delays: Mapping[str, float] | None = None,
    **overrides: object,
) -> Verdict:
    """Judge the requests of a log.

    Parameters
    ----------
    log
        The file that a server wrote.
    settings
        What is asked of the client.
    host_delays, ip_delays
        Delays in seconds of single hosts and addresses, in place of those of the settings.
    overrides
        Or single settings, see `JudgeSettings`.

    Examples
    --------
    >>> from urllib.request import ProxyHandler, build_opener
    >>> from webstrata import testing
    >>> web, path = Web("tiny", seed=7), testing.scratch() / "requests.log"
    >>> with web.serve(log=path) as server:
    ...     browser = build_opener(ProxyHandler({"http": server.proxy}))
    ...     for _ in range(2):
    ...         _ = browser.open(web.home_pages()[0]).read()
    >>> verdict = judge(path, host_delay=60)
    >>> verdict.is_polite, verdict.counts["host_gap"], verdict.counts["fetched_twice"]
    (False, 1, 1)
    """
    if settings is not None and overrides:
        raise TypeError(f"settings are given, and {', '.join(overrides)} too; give one or the other")
    settings = settings or JudgeSettings.read(options=overrides, environment={})
    columns = read_log(Path(log))
    return _Case(columns, _find_web(columns), settings, host_delays or {}, ip_delays or {}).judge()


def _find_web(log: Log) -> Web:
    try:
        web = Web.from_header(log.header)
    except (SettingError, TypeError) as error:
        raise FormatError(f"{log.path}, line 1: no web is like this; {error}") from None
    if not 0 <= log.header["month"] < web.settings.months:
        raise FormatError(
            f"{log.path}, line 1: month {log.header['month']} is out of range, since this web has "
            f"{web.settings.months}; the line was changed, or a webstrata with other presets wrote it"
        )
    return web


def _to_micro(seconds: float) -> int:
    return round(min(seconds, 1e12) * 1e6)


class _Case:
    """One log before the judge."""

    def __init__(
        self,
        log: Log,
        web: Web,
        settings: JudgeSettings,
        host_delays: Mapping[str, float],
        ip_delays: Mapping[str, float],
    ) -> None:
        self.log, self.web, self.settings = log, web, settings
        self.month = int(log.header["month"])
        self.exists = np.array([self._exists(host) for host in log.hosts], bool)
        self.robots = [
            self._robots(host) if there else Robots()
            for host, there in zip(log.hosts, self.exists, strict=True)
        ]
        (self.rows,) = np.nonzero(self.exists[log.host]) if len(log) else (np.zeros(0, np.int64),)
        begin, end = settle(log.connection, log.arrival, log.end)
        self.begin, self.end = begin[self.rows], end[self.rows]
        self.is_robots = np.array([target == "/robots.txt" for _, target in log.urls], bool)
        self.host_delays = self._delays(log.hosts, settings.host_delay, host_delays, "host")
        self.ip_delays = self._delays(log.ips, settings.ip_delay, ip_delays, "address")

    def _exists(self, host: str) -> bool:
        # a given graph has hosts of its own, and no robots.txt
        return bool(self.log.header.get("given")) or self.web._core.find_host(host, self.month) is not None

    def _robots(self, host: str) -> Robots | None:
        """The rules of a host, or None where only the web itself knows (robots.txt cannot be had)."""
        if self.log.header.get("given"):
            return Robots()
        status, _, body = self.web._core.fetch(f"http://{host}/robots.txt", self.month) or (0, b"", b"")
        if status == 200:
            return parse_robots(body, "*")
        return Robots() if 400 <= status < 500 else None

    def _delays(self, names: list[str], delay: float, own: Mapping[str, float], kind: str) -> Numbers:
        for name, seconds in own.items():
            if not 0 <= seconds < FOREVER:
                raise SettingError(f"the delay of {kind} {name} is {seconds}, and must be 0 or more")
            if kind == "host" and not self._exists(name):
                raise SettingError(
                    f"a delay is given for {name}, and the web of this log has no such host in month "
                    f"{self.month}; check the name"
                )
        return np.array([_to_micro(own.get(name, delay)) for name in names], np.int64)

    def judge(self) -> Verdict:
        log, settings = self.log, self.settings
        visits = find_visits(
            log.connection[self.rows],
            log.host[self.rows],
            self.begin,
            self.end,
            _to_micro(settings.slice),
        )
        host, ip = log.host[self.rows][visits.first], log.ip[self.rows][visits.first]
        host_gaps, ip_gaps = find_gaps(host, visits), find_gaps(ip, visits)
        found = {
            **self._judge_gaps("host", visits, host_gaps, self._host_delays(host, visits)),
            **self._judge_gaps("ip", visits, ip_gaps, self.ip_delays[ip]),
            "ip_connections": self._judge_connections(),
            "disallowed": self._judge_disallowed(),
            "fetched_twice": self._judge_repeats(),
        }
        unknown = np.bincount(log.host, minlength=len(log.hosts))
        return Verdict(
            settings=settings,
            header=log.header,
            violations={rule: found[rule] for rule in RULES},
            statistics=self._count(host_gaps[2], ip_gaps[2]),
            unknown_hosts={
                name: int(count)
                for name, count, there in zip(log.hosts, unknown, self.exists, strict=True)
                if not there
            },
            cut_off_lines=log.cut_off,
        )

    def _host_delays(self, host: Numbers, visits: Visits) -> Numbers:
        delays = self.host_delays[host]
        if not self.settings.crawl_delay or not len(host):
            return delays
        asked = np.array([_to_micro(robots.crawl_delay) if robots else 0 for robots in self.robots])
        # who asks for robots.txt need not know yet what it says
        is_robots = self.is_robots[self.log.url[self.rows[visits.first]]]
        return np.where(is_robots, delays, np.maximum(delays, asked[host]))

    def _judge_gaps(
        self, kind: str, visits: Visits, gaps: tuple[Numbers, Numbers, Numbers], delays: Numbers
    ) -> dict[str, Violations]:
        later, earlier, gap = gaps
        tolerance = _to_micro(self.settings.tolerance)
        delay = delays[later]
        overlaps = gap < -tolerance
        result = {}
        for rule, is_wrong, required in (
            (f"{kind}_overlap", overlaps, np.zeros_like(delay)),
            (f"{kind}_gap", ~overlaps & (gap < delay - tolerance), delay),
        ):
            rows = self.rows[visits.first[later[is_wrong]]]
            others = self.rows[visits.last[earlier[is_wrong]]]
            result[rule] = self._list(rule, rows, others, gap[is_wrong], required[is_wrong])
        return result

    def _judge_connections(self) -> Violations:
        line, _, ip, opened, closed = self.log.connections.T
        everything = np.arange(len(line))
        visits = Visits(everything, everything, opened, np.maximum(opened, closed))
        later, earlier, gap = find_gaps(ip, visits)
        is_wrong = gap < -_to_micro(self.settings.tolerance)
        later, earlier, gap = later[is_wrong], earlier[is_wrong], gap[is_wrong]
        order = np.argsort(line[later])
        later, earlier, gap = later[order], earlier[order], gap[order]
        return Violations(
            "ip_connections", self.log, line[later], line[earlier], later, gap, np.zeros_like(gap)
        )

    def _judge_disallowed(self) -> Violations:
        log = self.log
        # most hosts forbid nothing, and their URLs need no look
        strict = {
            host
            for host, robots in enumerate(self.robots)
            if self.exists[host] and (robots is None or robots.num_rules)
        }
        forbidden = np.array(
            [
                host in strict and not self._allows(log.hosts[host], self.robots[host], target)
                for host, target in log.urls
            ],
            bool,
        )
        rows = self.rows[forbidden[log.url[self.rows]]]
        return self._list("disallowed", rows, None)

    def _allows(self, host: str, robots: Robots | None, target: str) -> bool:
        if robots is not None:
            return robots.allows(target)
        return target == "/robots.txt" or self.web.allowed(f"http://{host}{target}", self.month)

    def _judge_repeats(self) -> Violations:
        log, settings = self.log, self.settings
        status, url = log.status[self.rows], log.url[self.rows]
        is_final = log.complete[self.rows] & ~np.isin(status, RETRYABLE) & (status // 100 != 5)
        again = _to_micro(settings.revisit_after) or FOREVER
        expiry = np.where(self.is_robots[url], _to_micro(settings.robots_expiry), again)
        grace = _to_micro(settings.restart_grace)
        until = valid_until(self.begin, self.end, expiry, log.restarts, grace)
        # a HEAD is no fetch: each method counts by itself
        asked = log.method[self.rows] * len(log.urls) + url
        later, earlier = find_repeats(asked, self.begin, self.end, until, is_final)
        gap = self.begin[later] - self.end[earlier]
        return self._list("fetched_twice", self.rows[later], self.rows[earlier], gap)

    def _list(
        self,
        rule: str,
        rows: Numbers,
        others: Numbers | None,
        gap: Numbers | None = None,
        required: Numbers | None = None,
    ) -> Violations:
        order = np.argsort(self.log.line[rows])
        return Violations(
            rule,
            self.log,
            self.log.line[rows][order],
            np.zeros_like(rows) if others is None else self.log.line[others][order],
            rows[order],
            None if gap is None else gap[order],
            None if required is None else required[order],
        )

    def _count(self, host_gaps: Numbers, ip_gaps: Numbers) -> LogStatistics:
        log = self.log
        seconds = float(log.end.max() - log.arrival.min()) / 1e6 if len(log) else 0.0
        is_page = log.complete & (log.status == 200)
        if len(log):
            is_page &= ~self.is_robots[log.url]
        pages = int(np.count_nonzero(is_page))
        return LogStatistics(
            requests=len(log),
            pages=pages,
            hosts=len(np.unique(log.host[self.rows])),
            ips=len(np.unique(log.ip[self.rows])),
            connections=len(np.unique(log.connection)),
            restarts=len(log.restarts),
            bytes=int(log.bytes.sum()),
            seconds=seconds,
            pages_per_second=round(pages / seconds, 3) if seconds > 0 else 0.0,
            smallest_host_gap=_smallest(host_gaps),
            median_host_gap=_median(host_gaps),
            smallest_ip_gap=_smallest(ip_gaps),
            median_ip_gap=_median(ip_gaps),
        )


def _smallest(gaps: Numbers) -> float | None:
    return float(gaps.min()) / 1e6 if len(gaps) else None


def _median(gaps: Numbers) -> float | None:
    return float(np.median(gaps)) / 1e6 if len(gaps) else None
