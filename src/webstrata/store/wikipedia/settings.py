"""What is taken of a dump of Wikipedia."""

from __future__ import annotations

import re
from dataclasses import dataclass

from webstrata.collection.settings import Settings, one_of, setting

RESOLVE, ELIMINATE = "resolve", "eliminate"
TEXT, TABLES, AUTO = "text", "tables", "auto"

_namespaces = ("one number at least, none below 0", lambda value: value and min(value) >= 0)
_date = (
    "a date such as 2009, 2009-08 or 2009-08-10",
    lambda value: (
        not value or re.fullmatch(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?", value) is not None
    ),
)


@dataclass(frozen=True, kw_only=True)
class WikipediaSettings(Settings):
    """What is taken of a dump of Wikipedia."""

    namespaces: tuple[int, ...] = setting(
        (0,), "Namespaces whose pages are taken, by their numbers: 0 for articles.", check=_namespaces
    )
    redirects: str = setting(
        RESOLVE,
        "What becomes of redirects: resolve, links to them go to what they lead to; or eliminate, as WIKI "
        "does, they go with all links to them.",
        check=one_of(RESOLVE, ELIMINATE),
    )
    source: str = setting(
        AUTO,
        "What of the dump is read: text, pages-articles.xml; tables, page.sql and the others; or auto, the "
        "text where there is one.",
        check=one_of(AUTO, TEXT, TABLES),
    )
    at: str = setting(
        "",
        "Of a dump with all revisions, take those of this time: 2009, 2009-08 or 2009-08-10, each to its "
        "end; the last ones where it is empty.",
        check=_date,
    )
