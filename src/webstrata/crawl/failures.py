"""Why requests fail: the core's names of failures, what each means, and how often it is tried again.

Counters (``failed_<name>``), results, reports, logs, metrics and ``given-up.jsonl`` use these names.
``dns``, a name that leads nowhere, and ``forbidden``, an address of a network that is not public, concern
whole hosts; the others concern requests.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Failure:
    """One kind of failure."""

    name: str
    requests: str
    """What the counter counts."""
    urls: str
    """What was given up because of it."""
    max_retries: int | None = None
    """How often it is tried again at most; None for as often as the setting `retries` says."""

    @property
    def counter(self) -> str:
        """The name of its counter."""
        return f"failed_{self.name}"


FAILURES = (
    Failure("dns", "look-ups of names that failed", "hosts whose names could not be resolved"),
    Failure("connect", "connections that were refused or broken off", "URLs given up: no connection"),
    Failure(
        "tls",
        "connections without a valid TLS handshake",
        "URLs given up: no TLS handshake, or an invalid certificate",
        max_retries=1,
    ),
    Failure("timeout", "requests without a response in time", "URLs given up: no response in time"),
    Failure(
        "protocol",
        "responses that are not HTTP, have an invalid length or too long a head",
        "URLs given up: not HTTP",
        max_retries=0,
    ),
    Failure(
        "forbidden",
        "hosts with an address that may not be contacted (see private_addresses)",
        "hosts with a private or other non-public address",
        max_retries=0,
    ),
)
"""All kinds, in the order of the core.

Examples
--------
>>> [failure.name for failure in FAILURES]
['dns', 'connect', 'tls', 'timeout', 'protocol', 'forbidden']
"""

NAMES = tuple(failure.name for failure in FAILURES)
