"""Hosts told apart by what their pages say, who links to them, and how both move."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webstrata.classify.ensemble import EnsembleSelection as EnsembleSelection

__all__ = ["EnsembleSelection"]


def __getattr__(name: str) -> object:
    # features need no scikit-learn, so it is loaded when models are asked for
    if name == "EnsembleSelection":
        from webstrata.classify.ensemble import EnsembleSelection

        return EnsembleSelection
    raise AttributeError(f"module 'webstrata.classify' has no attribute {name!r}")
