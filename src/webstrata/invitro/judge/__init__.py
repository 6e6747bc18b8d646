"""The judge: was a client of the in-vitro server polite? Every rule, exactly.

A **visit** is a request and those behind it on its connection, for the same host, that begin less than
``slice`` after it; with a slice of 0 every request is one. It lasts from the arrival of its first request to
the end of its last answer. All requests count, robots.txt, redirects and probes too, except those for hosts
that do not exist: they reach nobody, and are noted.

====================  ======================================================================================
``host_overlap``      a visit to a host began while another one, on another connection, lasted
``ip_overlap``        the same for an address, whatever the hosts
``ip_connections``    a connection to an address was opened while another one was open, busy or not
``host_gap``          a visit to a host began sooner than its delay after the end of the one that ended last
``ip_gap``            the same for an address
``disallowed``        a request for a URL that robots.txt forbids; robots.txt itself never is
``fetched_twice``     a request after a complete, final answer to an earlier one, same method and URL
====================  ======================================================================================

Visits that overlap are no gap as well. An answer is *final* if it is complete and its status is none of 0,
408, 425, 429 and 5xx. It no longer forbids another request after its expiry (``robots_expiry`` for
robots.txt, ``revisit_after`` for others, 0 meaning never), or after a restart of the client that was noted in
the log and may have lost it: its request arrived before the restart, and it ended at most ``restart_grace``
before it, or later. What answers a repetition counts again, so each is repeated once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.invitro.judge.log import Log as Log
    from webstrata.invitro.judge.log import read_log as read_log
    from webstrata.invitro.judge.settings import JudgeSettings as JudgeSettings
    from webstrata.invitro.judge.verdict import RULES as RULES
    from webstrata.invitro.judge.verdict import Verdict as Verdict
    from webstrata.invitro.judge.verdict import judge as judge
    from webstrata.invitro.judge.violations import Violation as Violation
    from webstrata.invitro.judge.violations import Violations as Violations

export(
    __name__,
    {
        "log": ("Log", "read_log"),
        "settings": ("JudgeSettings",),
        "verdict": ("RULES", "Verdict", "judge"),
        "violations": ("Violation", "Violations"),
    },
)
