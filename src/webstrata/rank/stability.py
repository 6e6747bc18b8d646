"""How much two orders agree: Kendall's τ, rank-biased overlap, Jaccard.

Two lists of the k first, of two snapshots say, have some members in common and in another order.

- **Jaccard**: members of both over members of one or the other.
- **Kendall's τ** of the members of both: pairs in the same order minus pairs in the other one, over all
  pairs; 0 where fewer than two are in both.
- **Rank-biased overlap** (Webber, Moffat, Zobel 2010), extrapolated: with A(d) the share of the first d that
  two lists of length k have in common, (1 − p)/p Σ A(d) pᵈ over d = 1 … k, plus A(k) pᵏ. The first ranks
  count most; p is how likely one who compares goes on to the next rank.
"""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webstrata.collection.tables import FactsTable

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


@dataclass(frozen=True)
class Agreement(FactsTable):
    """How much two lists agree."""

    common: int
    jaccard: float
    kendall_tau: float
    rank_biased_overlap: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return dict(vars(self))


def compare_orders(
    one: Sequence[Hashable], other: Sequence[Hashable], *, persistence: float = 0.9
) -> Agreement:
    """How much two lists agree, each with the first member first and no member twice.

    Examples
    --------
    >>> compare_orders("abc", "abc")
    Agreement(common=3, jaccard=1.0, kendall_tau=1.0, rank_biased_overlap=1.0)
    >>> found = compare_orders("abcd", "badx")
    >>> found.common, found.jaccard, round(found.kendall_tau, 3)
    (3, 0.6, 0.333)
    """
    if len(set(one)) != len(one) or len(set(other)) != len(other):
        raise ValueError("orders: expected each member once, got some twice")
    places = {member: place for place, member in enumerate(other)}
    common = [places[member] for member in one if member in places]
    together = len(one) + len(other) - len(common)
    return Agreement(
        len(common),
        len(common) / together if together else 1.0,
        kendall_tau(common),
        rank_biased_overlap(one, other, persistence=persistence),
    )


def kendall_tau(places: Sequence[int]) -> float:
    """τ of an order against the natural one: pairs in order minus pairs out of it, over all pairs.

    Examples
    --------
    >>> kendall_tau([0, 1, 2]), kendall_tau([2, 1, 0]), kendall_tau([0, 2, 1])
    (1.0, -1.0, 0.33333333333333337)
    """
    number = len(places)
    if number < 2:
        return 0.0
    seen: list[int] = []
    out_of_order = 0
    for place in places:
        position = bisect(seen, place)
        out_of_order += len(seen) - position
        seen.insert(position, place)
    return 1 - 4 * out_of_order / (number * (number - 1))


def rank_biased_overlap(
    one: Sequence[Hashable], other: Sequence[Hashable], *, persistence: float = 0.9
) -> float:
    """Rank-biased overlap, extrapolated from the length of the shorter list.

    Examples
    --------
    >>> round(rank_biased_overlap("abcd", "bacd"), 3), rank_biased_overlap("ab", "cd")
    (0.9, 0.0)
    """
    p, length = persistence, min(len(one), len(other))
    if not length:
        return 1.0 if not len(one) and not len(other) else 0.0
    seen: set[Hashable] = set()
    overlap, total = 0, 0.0
    for depth in range(1, length + 1):
        # a member counts when the second list brings it
        for member in (one[depth - 1], other[depth - 1]):
            overlap += member in seen
            seen.add(member)
        total += overlap / depth * p**depth
    return (1 - p) / p * total + overlap / length * p**length
