"""webstrata classify predict: scores of hosts by a model, and reasons."""

from __future__ import annotations

import csv
import html
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from webstrata.cli.options import collection_argument, json_option, limit_option, snapshot_argument
from webstrata.cli.output import TerminalProgress, show_json, show_table, show_warnings
from webstrata.cli.verb import verb
from webstrata.collection.sentences import tell_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webstrata.api import Collection
    from webstrata.classify.learning.matrix import HostMatrix
    from webstrata.classify.learning.model_file import HostModel

_REASONS = 3


@verb(
    "predict",
    renamed={"--top": "--limit"},
    epilog="Example: webstrata classify predict uk 2026-06 --model spam.model --limit 20",
)
@collection_argument
@snapshot_argument
@click.option(
    "--model",
    "path",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The model, as `webstrata classify train` writes it.",
)
@click.option(
    "--hosts",
    metavar="HOSTS",
    help="Score these hosts alone, as a.org,b.org, or a file with one per line; only their pages are read. "
    "[all]",
)
@click.option("--explain", "host", metavar="HOST", help="Say why this host has its score, and nothing else.")
@limit_option("hosts", 20)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the scores of all hosts there, as CSV.",
)
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a page with the hosts shown, their scores and reasons.",
)
@json_option
def command(
    collection: Collection,
    label: str,
    path: Path,
    hosts: str | None,
    host: str | None,
    limit: int,
    output: Path | None,
    page: Path | None,
    *,
    as_json: bool,
) -> None:
    """Score the hosts of SNAPSHOT by a model, and say why.

    Hosts are measured by the vocabulary, document frequencies and word lists that the model keeps of the
    corpus it was trained on, so SNAPSHOT may be another one. A reason is a feature, its value, what is usual,
    and how much the score would fall if it were usual.
    """
    from webstrata.classify.features.sites import site_name
    from webstrata.classify.learning.lessons import rank_hosts
    from webstrata.classify.learning.model_file import load_model
    from webstrata.classify.learning.prediction import load_model_matrix, split_hosts

    model = load_model(path)
    matrix = load_model_matrix(
        collection[label], model, hosts=split_hosts(hosts), progress=TerminalProgress()
    )
    if host is not None:
        _explain(model, matrix, site_name(host.strip().lower()), as_json=as_json)
        return
    ranked = [(row["host"], row["score"]) for row in rank_hosts(model, matrix).rows]
    if output:
        _write_scores(ranked, model.task, output)
    if page:
        _write_page(model, matrix, ranked[:limit], page, f"{collection.path.name} {label}")
    threshold = model.threshold
    above = None if threshold is None else sum(score >= threshold for _, score in ranked)
    if as_json:
        rows = [{"host": name, "score": score} for name, score in ranked]
        show_json(
            {
                "task": model.task,
                "snapshot": label,
                "threshold": threshold,
                "above_threshold": above,
                "hosts": rows,
                "warnings": model.warnings,
            }
        )
        return
    click.echo(f"{model.task}: {tell_count(len(ranked), 'host')}{_tell_threshold(model, above)}")
    show_table(["host", model.task], [[name, f"{score:.3f}"] for name, score in ranked[:limit]])
    for written in (output, page):
        if written:
            click.echo(f"Written: {written}")
    show_warnings(model.warnings)


def _tell_threshold(model: HostModel, above: int | None) -> str:
    if above is None:
        return "; the threshold is not calibrated, so none is classified"
    chosen = model.training["threshold"]
    return (
        f"; {above} of them score {chosen['value']:.3f} or more, the threshold with the best F1 on hosts not "
        f"trained on (precision {chosen['precision']:.3f}, recall {chosen['recall']:.3f})"
    )


def _explain(model: HostModel, matrix: HostMatrix, host: str, *, as_json: bool) -> None:
    from dataclasses import asdict

    from webstrata.classify.learning.reasons import explain

    score, reasons = explain(model, matrix, host)
    if as_json:
        show_json(
            {"task": model.task, "host": host, "score": score, "reasons": [asdict(one) for one in reasons]}
        )
        return
    click.echo(f"{host}: {model.task} {score:.3f}")
    rows = [
        [
            reason.feature_set,
            reason.feature,
            _number(reason.value),
            _number(reason.negative),
            _number(reason.positive),
            f"{reason.effect:+.3f}",
        ]
        for reason in reasons
    ]
    if rows:
        show_table(["set", "feature", "here", f"not {model.task}", model.task, "effect"], rows)
    else:
        click.echo("No single feature changes it.")


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _write_scores(ranked: Sequence[tuple[str, float]], task: str, path: Path) -> None:
    from webstrata.collection.files import replace_file

    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["host", task])
    writer.writerows([name, f"{score:.6f}"] for name, score in ranked)
    replace_file(path, stream.getvalue().encode())


def _write_page(
    model: HostModel, matrix: HostMatrix, ranked: Sequence[tuple[str, float]], path: Path, name: str
) -> None:
    from webstrata.classify.learning.reasons import explain
    from webstrata.collection.files import replace_file
    from webstrata.serve.figures.style import make_page

    rows: list[list[Any]] = []
    for host, score in ranked:
        _, reasons = explain(model, matrix, host, most=_REASONS)
        rows.append([host, f"{score:.3f}", "<br>".join(html.escape(one.tell(model.task)) for one in reasons)])
    cells = "".join(
        f"<tr><td>{html.escape(host)}</td><td>{score}</td><td>{why}</td></tr>" for host, score, why in rows
    )
    table = f"<table><tr><th>host</th><th>{html.escape(model.task)}</th><th>reasons</th></tr>{cells}</table>"
    training = model.training
    text = (
        f"The {tell_count(len(rows), 'host')} of {name} with the highest scores. The model was trained on "
        f"{tell_count(training['positives'], 'host')} that are and "
        f"{training['negatives']} that are not, and has an AUC of "
        f"{training['auc']:.3f} on hosts it was not trained on."
    )
    text = " ".join([text, *(f"Warning: {sentence}." for sentence in model.warnings)])
    styles = "table { border-collapse: collapse }\n"
    styles += "td, th { text-align: left; padding: .3rem .8rem; vertical-align: top }\n"
    replace_file(path, make_page(f"{model.task}: {name}", text, table, styles=styles).encode())
