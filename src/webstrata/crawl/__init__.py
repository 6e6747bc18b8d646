"""The crawler: BUbiNG's structure, its policies in Python and its data plane in the core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.crawl.filters.filter import Filter as Filter
    from webstrata.crawl.report import CrawlReport as CrawlReport
    from webstrata.crawl.results import CrawlResult as CrawlResult
    from webstrata.crawl.run import Crawl as Crawl
    from webstrata.crawl.schedule.optimum import plan as plan
    from webstrata.crawl.schedule.rates import estimate_rates as estimate_rates
    from webstrata.crawl.settings import CrawlSettings as CrawlSettings

export(
    __name__,
    {
        "filters.filter": ("Filter",),
        "report": ("CrawlReport",),
        "results": ("CrawlResult",),
        "run": ("Crawl",),
        "schedule.optimum": ("plan",),
        "schedule.rates": ("estimate_rates",),
        "settings": ("CrawlSettings",),
    },
)
