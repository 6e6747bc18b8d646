"""A page of the hosts with the highest scores by a model, with reasons."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from webstrata.collection.files import replace_file
from webstrata.collection.sentences import tell_count
from webstrata.serve.figures.style import make_page

if TYPE_CHECKING:
    from pathlib import Path

    from webstrata.classify.learning.results import HostScores

_REASONS = 3
_STYLES = """\
table { border-collapse: collapse }
td, th { text-align: left; padding: .3rem .8rem; vertical-align: top }
"""


def write_scores(scores: HostScores, path: Path, name: str, *, limit: int = 20) -> None:
    """Write the page; `name` is the collection and the snapshot.

    Examples
    --------
    >>> from webstrata import testing
    >>> pages = {f"http://h{n}.example/": "<p>cheap pills " * (n + 1) for n in range(12)}
    >>> june = testing.snapshot_of(pages, parts=())
    >>> _ = june.classify_features(sets="A")
    >>> folder = testing.scratch()
    >>> lines = [f"h{n}.example,{'spam' if n >= 6 else 'normal'}" for n in range(12)]
    >>> _ = (folder / "labels.csv").write_text(chr(10).join(["host,label", *lines]))
    >>> model = june.classify_train(folder / "labels.csv", library="small", folds=2)
    >>> write_scores(june.classify_predict(model), folder / "page.html", "uk 2026-06", limit=2)
    >>> (folder / "page.html").read_text().count("<td>h")
    2
    """
    task, training = scores.model.task, scores.model.training
    rows = []
    for row in scores.rows[:limit]:
        reasons = scores.explain(row["host"], most=_REASONS)
        why = "<br>".join(html.escape(one.tell(task)) for one in reasons)
        rows.append(f"<tr><td>{html.escape(row['host'])}</td><td>{row['score']:.3f}</td><td>{why}</td></tr>")
    head = f"<tr><th>host</th><th>{html.escape(task)}</th><th>reasons</th></tr>"
    table = f"<table>{head}{''.join(rows)}</table>"
    text = (
        f"The {tell_count(len(rows), 'host')} of {name} with the highest scores. The model was trained on "
        f"{tell_count(training['positives'], 'host')} that are and {training['negatives']} that are not, and "
        f"has an AUC of {training['auc']:.3f} on hosts it was not trained on."
    )
    text = " ".join([text, *(f"Warning: {sentence}." for sentence in scores.warnings)])
    replace_file(path, make_page(f"{task}: {name}", text, table, styles=_STYLES).encode())
