"""What the store step makes of pages."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, one_of, setting

MAIN = "dom"
"""How main content is found unless settings say otherwise."""
LOW_SLOPE = "low-slope"
"""How it was found by default up to 0.1.0."""


@dataclass(frozen=True, kw_only=True)
class StoreSettings(Settings):
    """What is kept of every page in addition to its text and links."""

    main: str = setting(
        MAIN,
        "How main content is found: dom, by the elements of a page, or low-slope, where tags are rare.",
        check=one_of(MAIN, LOW_SLOPE),
    )
