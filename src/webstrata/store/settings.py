"""What the store step makes of pages."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, one_of, setting

MAIN = "dom"
"""How main content is found unless settings say otherwise."""
VISUAL = "visual"
"""The same with visual cues of the markup."""
LOW_SLOPE = "low-slope"
"""How it was found by default up to 0.1.0."""


@dataclass(frozen=True, kw_only=True)
class StoreSettings(Settings):
    """What is kept of every page in addition to its text and links."""

    main: str = setting(
        MAIN,
        "How main content is found: dom, by the elements of a page; visual, with visual cues of the markup "
        "too; or low-slope, where tags are rare.",
        check=one_of(MAIN, VISUAL, LOW_SLOPE),
    )
    last_capture: bool = setting(
        False,
        "Of several captures of a URL, make the last complete one the page, not the first; continuous crawls "
        "set it for their snapshots.",
    )
    parsers: tuple[str, ...] = setting(
        (),
        "Parsers of documents that are not HTML, whose responses become pages: feed (RSS, Atom), json-ld, "
        "pdf (extra `pdf`), and those of installed packages.",
    )
