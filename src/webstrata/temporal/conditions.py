"""Which labels a view keeps: conditions on masks of snapshots, closed under AND, OR and NOT.

A condition is a disjunction of **terms** (all, none, any): a label L has a term if (L AND all) = all, (L AND
none) = 0, and (L AND any) ≠ 0 unless any is 0. The core looks at terms arc by arc, so most conditions are
one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


class Term(NamedTuple):
    """Snapshots that must all be in a label, that must not be, and of which one must be (0: no matter)."""

    all: int = 0
    none: int = 0
    any: int = 0

    @property
    def is_possible(self) -> bool:
        """Whether a label can have it.

        Examples
        --------
        >>> Term(all=1, none=1).is_possible, Term(any=1, none=1).is_possible, Term().is_possible
        (False, False, True)
        """
        return not self.all & self.none and (not self.any or bool(self.any & ~self.none))

    def simplified(self) -> Term:
        """The same term in fewest bits.

        Examples
        --------
        >>> Term(all=1, any=3).simplified(), Term(none=1, any=3).simplified()
        (Term(all=1, none=0, any=0), Term(all=2, none=1, any=0))
        """
        any_of = 0 if self.any & self.all else self.any & ~self.none
        if any_of and any_of & (any_of - 1) == 0:
            return Term(self.all | any_of, self.none)
        return Term(self.all, self.none, any_of)

    def __invert__(self) -> Condition:
        terms = [Term(none=bit) for bit in _bits(self.all)]
        if self.none:
            terms.append(Term(any=self.none))
        if self.any:
            terms.append(Term(none=self.any))
        return Condition(tuple(terms))


@dataclass(frozen=True)
class Condition:
    """What a label must have: one of the terms.

    Examples
    --------
    >>> first, second = Condition.all_of(0b01), Condition.all_of(0b10)
    >>> labels = np.array([0b00, 0b01, 0b10, 0b11], np.uint64)
    >>> (first & ~second).holds(labels).tolist(), (first | second).holds(labels).tolist()
    ([False, True, False, False], [False, True, True, True])
    """

    terms: tuple[Term, ...]

    @classmethod
    def all_of(cls, mask: int, *, none_of: int = 0) -> Condition:
        """Labels with all snapshots of a mask, and none of another.

        Examples
        --------
        >>> Condition.all_of(0b10, none_of=0b01).holds(np.array([2, 3], np.uint64)).tolist()
        [True, False]
        """
        return cls((Term(all=mask, none=none_of),))

    @classmethod
    def any_of(cls, mask: int, *, none_of: int = 0) -> Condition:
        """Labels with a snapshot of a mask, and none of another.

        Examples
        --------
        >>> Condition.any_of(0b11).holds(np.array([2, 4], np.uint64)).tolist()
        [True, False]
        """
        return _simplified(iter([Term(any=mask, none=none_of)] if mask else []))

    def holds(self, labels: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether each of the labels has one of the terms.

        Examples
        --------
        >>> Condition(()).holds(np.array([1], np.uint64)).tolist()
        [False]
        """
        found = np.zeros(len(labels), bool)
        for term in self.terms:
            has = (labels & np.uint64(term.all)) == np.uint64(term.all)
            if term.none:
                has &= (labels & np.uint64(term.none)) == 0
            if term.any:
                has &= (labels & np.uint64(term.any)) != 0
            found |= has
        return found

    def __and__(self, other: Condition) -> Condition:
        return _simplified(term for one in self.terms for two in other.terms for term in _both(one, two))

    def __or__(self, other: Condition) -> Condition:
        return _simplified(iter((*self.terms, *other.terms)))

    def __invert__(self) -> Condition:
        found = Condition((Term(),))
        for term in self.terms:
            found &= ~term
        return found


def _both(one: Term, two: Term) -> Iterator[Term]:
    joined = Term(one.all | two.all, one.none | two.none)
    any_one, any_two = one.any or two.any, two.any if one.any else 0
    if not any_two or any_one & ~any_two == 0:
        yield joined._replace(any=any_one)
    elif any_two & ~any_one == 0:
        yield joined._replace(any=any_two)
    else:
        for bit in _bits(any_one):
            yield Term(joined.all | bit, joined.none, any_two)


def _bits(mask: int) -> Iterator[int]:
    while mask:
        yield mask & -mask
        mask &= mask - 1


def _covers(one: Term, two: Term) -> bool:
    """Whether every label that has `two` has `one`."""
    needs_any = one.any and not one.any & two.all and (not two.any or two.any & ~one.any)
    return not one.all & ~two.all and not one.none & ~two.none and not needs_any


def _simplified(terms: Iterator[Term]) -> Condition:
    kept: list[Term] = []
    for term in terms:
        new = term.simplified()
        if not term.is_possible or any(_covers(old, new) for old in kept):
            continue
        kept = [*(old for old in kept if not _covers(new, old)), new]
    # being in one or another of some snapshots is one term
    wide = [term for term in kept if term == Term(any=term.any) or term == Term(all=term.all)]
    wide = [term for term in wide if term.any or term.all.bit_count() == 1]
    if len(wide) > 1:
        mask = 0
        for term in wide:
            mask |= term.any | term.all
        kept = [Term(any=mask), *(term for term in kept if term not in wide)]
    return Condition(tuple(kept))
