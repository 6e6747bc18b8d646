"""Simulated crawls of a stored web: policies, and what they harvest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.simulate.harvest import Harvest as Harvest
    from webstrata.simulate.policies import Policy as Policy
    from webstrata.simulate.policies import SimulatedPage as SimulatedPage
    from webstrata.simulate.run import Simulation as Simulation
    from webstrata.simulate.settings import SimulateSettings as SimulateSettings

export(
    __name__,
    {
        "harvest": ("Harvest",),
        "policies": ("Policy", "SimulatedPage"),
        "run": ("Simulation",),
        "settings": ("SimulateSettings",),
    },
)
