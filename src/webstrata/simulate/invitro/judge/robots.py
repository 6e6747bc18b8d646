"""What the robots.txt of a host, as the web serves it, asks of everybody (RFC 9309).

The rules of all groups for ``*`` count. A path is allowed or not by the longest rule that matches its
beginning, by the one that allows if two are of equal length; ``*`` stands for any text and ``$`` at the end
of a rule for the end. No rule that matches: allowed. ``Crawl-delay`` is no part of the RFC; the longest
counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LINE = re.compile(r"\s*([A-Za-z-]+)\s*:\s*(.*?)\s*")


@dataclass(frozen=True)
class Robots:
    """Rules, the strongest first, as patterns with whether they allow; and the delay."""

    rules: list[tuple[re.Pattern[str], bool]] = field(default_factory=list)
    crawl_delay: float = 0.0

    def allows(self, target: str) -> bool:
        """Whether a path with its query may be fetched."""
        if target == "/robots.txt":
            return True
        return next((allows for pattern, allows in self.rules if pattern.match(target)), True)


def parse_robots(text: bytes) -> Robots:
    r"""The rules that a robots.txt has for everybody.

    Examples
    --------
    >>> robots = parse_robots(b"User-agent: *\nDisallow: /a\nAllow: /a/b\nCrawl-delay: 1\n")
    >>> robots.allows("/a/c"), robots.allows("/a/b/c"), robots.allows("/"), robots.crawl_delay
    (False, True, True, 1.0)
    """
    rules: list[tuple[str, bool]] = []
    delay = 0.0
    is_ours, is_open = False, False
    for line in text.decode("utf-8-sig", errors="replace").splitlines():
        match = _LINE.fullmatch(line.partition("#")[0])
        if match is None:
            continue
        name, value = match[1].lower(), match[2]
        if name == "user-agent":
            # lines of names that follow each other begin one group
            is_ours = (is_ours and is_open) or value == "*"
            is_open = True
            continue
        if name in ("allow", "disallow"):
            is_open = False
            if is_ours and value:
                rules.append((value, name == "allow"))
        elif name == "crawl-delay" and is_ours and re.fullmatch(r"\d{1,9}(\.\d+)?", value):
            is_open = False
            delay = max(delay, float(value))
    rules.sort(key=lambda rule: (-len(rule[0]), not rule[1]))
    return Robots([(_compile(path), allows) for path, allows in rules], delay)


def _compile(path: str) -> re.Pattern[str]:
    body, end = (path[:-1], r"\Z") if path.endswith("$") else (path, "")
    pieces = [re.escape(piece) for piece in re.sub(r"\*+", "*", body).split("*")]
    return re.compile(".*?".join(pieces) + end, re.DOTALL)
