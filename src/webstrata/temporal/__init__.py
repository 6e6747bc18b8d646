"""Several snapshots in one graph, with the snapshots of every node and arc."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.temporal.bias import BiasReport as BiasReport
    from webstrata.temporal.build import build_union as build_union
    from webstrata.temporal.history import PageHistory as PageHistory
    from webstrata.temporal.settings import TemporalSettings as TemporalSettings
    from webstrata.temporal.survival import Survival as Survival
    from webstrata.temporal.union import StoredUnion as StoredUnion
    from webstrata.temporal.views import TemporalGraph as TemporalGraph
    from webstrata.temporal.views import View as View

export(
    __name__,
    {
        "bias": ("BiasReport",),
        "build": ("build_union",),
        "history": ("PageHistory",),
        "settings": ("TemporalSettings",),
        "survival": ("Survival",),
        "union": ("StoredUnion",),
        "views": ("TemporalGraph", "View"),
    },
)
