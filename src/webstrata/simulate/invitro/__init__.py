"""The in-vitro web: a web that does not exist, with its truth and its judge."""

from webstrata.simulate.invitro.describe import Description, describe
from webstrata.simulate.invitro.given import GivenGraph, open_graph, read_graph
from webstrata.simulate.invitro.judge import JudgeSettings, Verdict, Violation, Violations, judge
from webstrata.simulate.invitro.server import Server
from webstrata.simulate.invitro.settings import PRESETS, InvitroSettings
from webstrata.simulate.invitro.web import Answer, Changes, Event, Link, Query, TrueGraph, Urls, Web

__all__ = [
    "PRESETS",
    "Answer",
    "Changes",
    "Description",
    "Event",
    "GivenGraph",
    "InvitroSettings",
    "JudgeSettings",
    "Link",
    "Query",
    "Server",
    "TrueGraph",
    "Urls",
    "Verdict",
    "Violation",
    "Violations",
    "Web",
    "describe",
    "judge",
    "open_graph",
    "read_graph",
]
