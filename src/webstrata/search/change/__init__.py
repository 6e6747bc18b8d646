"""What changed about something, and when: a query and two snapshots in, a ranked list and a subgraph out.

CHANGE ("Temporal Wikipedia search by edits and linkage"), stage by stage, each with a module of its own and
each replaceable (`run.Stages`):

1. ``seeds``: the pages of the later snapshot that match the query best, by BM25;
2. ``measure``: change(u) from the degrees and words of both snapshots, which ``counts`` keeps;
3. ``expand``: neighbours of the seeds that changed;
4. ``combine``: text and change as one preference p(u);
5. ``walks``: personalized PageRank and HITS on the candidates, whose arcs ``subgraph`` has;
6. ``reasons``: for each answer the links and words that came and went.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.search.change.answer import ChangeAnswer as ChangeAnswer
    from webstrata.search.change.run import ChangeSearch as ChangeSearch
    from webstrata.search.change.run import Stages as Stages

export(
    __name__,
    {
        "answer": ("ChangeAnswer",),
        "run": ("ChangeSearch", "Stages"),
    },
)
