"""Hosts classified by what their pages say, who links to them, and how both change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.classify.learning.ensemble import EnsembleSelection as EnsembleSelection
    from webstrata.classify.learning.labels import Labels as Labels
    from webstrata.classify.learning.labels import load_labels as load_labels
    from webstrata.classify.learning.lessons import learn_gate as learn_gate
    from webstrata.classify.learning.lessons import open_model as open_model
    from webstrata.classify.learning.lessons import predict_hosts as predict_hosts
    from webstrata.classify.learning.lessons import train_model as train_model
    from webstrata.classify.learning.model_file import HostModel as HostModel
    from webstrata.classify.settings import ClassifySettings as ClassifySettings
    from webstrata.classify.settings import GateSettings as GateSettings
    from webstrata.classify.settings import TrainSettings as TrainSettings

export(
    __name__,
    {
        "learning.ensemble": ("EnsembleSelection",),
        "learning.labels": ("Labels", "load_labels"),
        "learning.lessons": ("learn_gate", "open_model", "predict_hosts", "train_model"),
        "learning.model_file": ("HostModel",),
        "settings": ("ClassifySettings", "GateSettings", "TrainSettings"),
    },
)
