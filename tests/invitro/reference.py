"""What a robots.txt allows, by RFC 9309: the longest rule wins, and Allow where two are equal."""

from __future__ import annotations

import re


def is_allowed(status: int, body: bytes, target: str) -> bool:
    r"""Whether a crawler without a group of its own may fetch path and query `target`.

    Examples
    --------
    >>> is_allowed(200, b"User-agent: *\nDisallow: /a\nAllow: /a/b$", "/a/b")
    True
    >>> is_allowed(503, b"", "/")
    False
    """
    if status == 0 or status >= 500:  # who cannot be asked has not allowed
        return target == "/robots.txt"
    if status >= 400 or target == "/robots.txt":
        return True
    best = (-1, True)
    for field, value in _rules_for_all(body):
        pattern = re.escape(value).replace(r"\*", ".*")
        if pattern.endswith(r"\$"):
            pattern = pattern[:-2] + "$"
        if value and re.match(pattern, target):
            best = max(best, (len(value), field == "allow"))
    return best[1]


def _rules_for_all(body: bytes) -> list[tuple[str, str]]:
    rules: list[tuple[str, str]] = []
    is_ours = was_agent = False
    for line in re.split(r"[\r\n]+", body.decode("utf-8-sig")):
        field, colon, value = line.partition("#")[0].partition(":")
        field, value = field.strip().lower(), value.strip()
        if not colon:
            continue
        if field == "user-agent":
            # agents that follow one another share a group
            is_ours = value == "*" or (was_agent and is_ours)
        elif is_ours and field in ("allow", "disallow"):
            rules.append((field, value))
        if field in ("user-agent", "allow", "disallow"):
            was_agent = field == "user-agent"
    return rules
