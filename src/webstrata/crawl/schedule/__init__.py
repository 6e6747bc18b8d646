"""When a page is worth fetching again: optimal plans, and change rates estimated from earlier visits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.crawl.schedule.optimum import crawl_value as crawl_value
    from webstrata.crawl.schedule.optimum import expected_age as expected_age
    from webstrata.crawl.schedule.optimum import expected_freshness as expected_freshness
    from webstrata.crawl.schedule.optimum import plan as plan
    from webstrata.crawl.schedule.rates import estimate_rates as estimate_rates

export(
    __name__,
    {
        "optimum": ("crawl_value", "expected_age", "expected_freshness", "plan"),
        "rates": ("estimate_rates",),
    },
)
