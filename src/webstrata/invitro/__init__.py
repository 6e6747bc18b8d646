"""The synthetic web, with its ground truth and its judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.invitro.describe import WebDescription as WebDescription
    from webstrata.invitro.describe import describe as describe
    from webstrata.invitro.given import GivenGraph as GivenGraph
    from webstrata.invitro.given import open_graph as open_graph
    from webstrata.invitro.given import read_graph as read_graph
    from webstrata.invitro.judge import JudgeSettings as JudgeSettings
    from webstrata.invitro.judge import Verdict as Verdict
    from webstrata.invitro.judge import Violation as Violation
    from webstrata.invitro.judge import Violations as Violations
    from webstrata.invitro.judge import judge as judge
    from webstrata.invitro.server import InvitroServer as InvitroServer
    from webstrata.invitro.settings import PRESETS as PRESETS
    from webstrata.invitro.settings import InvitroSettings as InvitroSettings
    from webstrata.invitro.web import Answer as Answer
    from webstrata.invitro.web import Changes as Changes
    from webstrata.invitro.web import Event as Event
    from webstrata.invitro.web import Query as Query
    from webstrata.invitro.web import TrueGraph as TrueGraph
    from webstrata.invitro.web import TrueLink as TrueLink
    from webstrata.invitro.web import TrueUrls as TrueUrls
    from webstrata.invitro.web import Web as Web

export(
    __name__,
    {
        "describe": ("WebDescription", "describe"),
        "given": ("GivenGraph", "open_graph", "read_graph"),
        "judge": ("JudgeSettings", "Verdict", "Violation", "Violations", "judge"),
        "server": ("InvitroServer",),
        "settings": ("InvitroSettings", "PRESETS"),
        "web": ("Answer", "Changes", "Event", "Query", "TrueGraph", "TrueLink", "TrueUrls", "Web"),
    },
    former={
        "Description": "WebDescription",
        "Link": "TrueLink",
        "Server": "InvitroServer",
        "Urls": "TrueUrls",
    },
)
