"""The in-vitro web: a web that does not exist, with its truth and its judge."""

from webstrata.simulate.invitro.given import GivenGraph, read_graph
from webstrata.simulate.invitro.server import Server
from webstrata.simulate.invitro.settings import PRESETS, InvitroSettings
from webstrata.simulate.invitro.web import Changes, Event, Link, Query, TrueGraph, Urls, Web

__all__ = [
    "PRESETS",
    "Changes",
    "Event",
    "GivenGraph",
    "InvitroSettings",
    "Link",
    "Query",
    "Server",
    "TrueGraph",
    "Urls",
    "Web",
    "read_graph",
]
