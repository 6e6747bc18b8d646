"""What the store step makes of pages."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, one_of, setting

MAIN = "low-slope"
"""How main content is found unless settings say otherwise: by the method that needs no tree of the page."""


@dataclass(frozen=True, kw_only=True)
class StoreSettings(Settings):
    """What is kept of every page, beside its text and links."""

    main: str = setting(
        MAIN,
        "How main content is found: low-slope, or dom, which is better and makes the step take longer.",
        check=one_of(MAIN, "dom"),
    )
