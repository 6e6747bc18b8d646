"""Filters: which URLs a crawl schedules and fetches, which responses it parses, follows and stores."""

from webstrata.crawl.filters.filter import Filter, Response
from webstrata.crawl.filters.language import explain
from webstrata.crawl.filters.predicates import PLACES, PREDICATES

__all__ = ["PLACES", "PREDICATES", "Filter", "Response", "explain"]
