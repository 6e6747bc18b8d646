"""URLs, hosts, robots.txt and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.web.host import public_suffix as public_suffix
    from webstrata.web.host import registered_domain as registered_domain
    from webstrata.web.html import Link as Link
    from webstrata.web.html import Page as Page
    from webstrata.web.robots import Robots as Robots
    from webstrata.web.robots import parse_robots as parse_robots
    from webstrata.web.row_key import from_row_key as from_row_key
    from webstrata.web.row_key import row_key as row_key
    from webstrata.web.settings import ServerSettings as ServerSettings
    from webstrata.web.url import normalize as normalize

export(
    __name__,
    {
        "host": ("public_suffix", "registered_domain"),
        "html": ("Link", "Page"),
        "robots": ("Robots", "parse_robots"),
        "row_key": ("from_row_key", "row_key"),
        "settings": ("ServerSettings",),
        "url": ("normalize",),
    },
)
