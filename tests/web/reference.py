"""What the kernels of the room compute, in plain Python."""

from __future__ import annotations

import re

_UNRESERVED = re.compile(rb"[A-Za-z0-9._~-]")
_ODD = re.compile(rb'[\x00-\x20\x7f-\xff"#<>\[\]^`{|}]')


def normalize(text: bytes, special: bytes = b"") -> bytes:
    """Each octet of a rule or a path in the one way in which it is compared; `special` ones are escaped."""

    def escape(match: re.Match[bytes]) -> bytes:
        octet = bytes.fromhex(match[1].decode()) if match[1] else match[0]
        if match[1]:
            is_escaped = not _UNRESERVED.fullmatch(octet)
        else:
            is_escaped = _ODD.fullmatch(octet) is not None or octet in special
        return b"%%%02X" % octet[0] if is_escaped else octet

    return re.sub(rb"%([0-9A-Fa-f]{2})|.", escape, text, flags=re.DOTALL)


def compile_rule(rule: bytes) -> re.Pattern[bytes]:
    """A rule, already normal, as a regular expression for the beginning of a path."""
    body, end = (rule[:-1], rb"\Z") if rule.endswith(b"$") else (rule, b"")
    pieces = [re.escape(piece) for piece in body.split(b"*")]
    return re.compile(b".*".join(pieces) + end, re.DOTALL)


def allows(rules: list[tuple[bytes, bool]], path: bytes) -> bool:
    """Whether a path may be fetched: the longest rule counts, and of equal ones that which allows."""
    if path == b"/robots.txt":
        return True
    target = normalize(path, special=b"*$")
    lengths = {True: 0, False: 0}
    for rule, is_allowing in rules:
        # a dollar that is not the end is an octet like others
        last = rule[-1:] if rule.endswith(b"$") else b""
        form = normalize(rule[: len(rule) - len(last)], special=b"$") + last
        index = re.fullmatch(rb"(.*/)index\.htm[^/]*", form, re.DOTALL)
        forms = [form] if index is None or not is_allowing else [form, index[1] + b"$"]
        for form in forms:
            if form and compile_rule(form).match(target):
                lengths[is_allowing] = max(lengths[is_allowing], len(form))
    return lengths[True] >= lengths[False]
