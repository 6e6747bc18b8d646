"""Caveats: warnings that belong to a result, since it was computed from little data or did not converge.

A result with estimates has ``warnings``, a list of sentences made by the functions here or in its own room.
The list is part of the result and is shown wherever the result is: on stderr after the tables of a command,
under ``warnings`` in its JSON, and as a note above the figures of the report. An empty list means that no
rule of this kind applies, not that the model behind the estimate is right.

=================  =========================================================================================
`MIN_HOSTS`        hosts that an interval needs which is found by drawing hosts again: the variance of a
                   bootstrap by clusters is biased downwards for few clusters
`MIN_LABELS`       labelled examples that each class needs: below, an AUC has few possible values and its
                   standard error is above about 0.1
`MIN_PAGES`        pages that a rate or share needs: below, its standard error is above about 0.1
=================  =========================================================================================
"""

from __future__ import annotations

from webstrata.collection.sentences import tell_count

MIN_HOSTS = 10
MIN_LABELS = 10
MIN_PAGES = 30


def warn_few(number: int, least: int, noun: str, consequence: str) -> list[str]:
    """One sentence if there are fewer than `least` of something, else nothing.

    Examples
    --------
    >>> warn_few(3, MIN_HOSTS, "host", "intervals are too narrow")
    ['computed from 3 hosts, fewer than 10: intervals are too narrow']
    >>> warn_few(12, MIN_HOSTS, "host", "intervals are too narrow")
    []
    """
    if number >= least:
        return []
    return [f"computed from {tell_count(number, noun)}, fewer than {least}: {consequence}"]
