"""Pictures of what experiments on labels found: AUC of feature sets, their weights, and shares of labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webstrata.serve.figures.style import Figure, load_altair

if TYPE_CHECKING:
    from webstrata.classify.experiments import Experiment
    from webstrata.classify.experiments.sheet import PaperTable

_CELL = "padding: .25rem .8rem; border-bottom: 1px solid #e6e9eb;"


def draw_experiment(found: Experiment) -> list[Figure]:
    """Figures 1 and 2 of SPAM (hosts and labels; AUC by share of labels), AUC and weights of feature sets.

    Examples
    --------
    >>> from webstrata.classify.experiments import Experiment, Sensitivity
    >>> found = Experiment("spam", "2026-06", sensitivity=[Sensitivity("B", 0.1, 10, 0.8, 0.05)])
    >>> [figure.name for figure in draw_experiment(found)]
    ['sensitivity-mean', 'sensitivity-deviation']
    """
    figures = []
    hosts = [table for table in found.sheets if table.key == "table 1"]
    if hosts:
        figures.append(Figure("hosts", _hosts_chart(hosts[0])))
    if found.outcomes:
        figures.append(Figure("auc", _auc_chart(found)))
    weights = [table for table in found.sheets if table.key == "weights"]
    if weights:
        figures.append(Figure("weights", _weights_chart(weights[0])))
    if found.sensitivity:
        draws = found.sensitivity[0].draws
        figures.append(
            Figure("sensitivity-mean", _sensitivity_chart(found, "mean", f"AUC, mean of {draws} draws"))
        )
        title = f"AUC, standard deviation over {draws} draws"
        figures.append(Figure("sensitivity-deviation", _sensitivity_chart(found, "deviation", title)))
    return figures


def _hosts_chart(table: PaperTable) -> Any:  # noqa: ANN401
    """Figure 1 of SPAM: hosts of each snapshot, and those with a label of either kind."""
    altair = load_altair()
    kinds = [column for column in table.columns[1:] if column != "labelled"]
    values = [
        {"snapshot": row[0], "hosts": row[table.columns.index(kind)], "kind": kind}
        for row in table.rows
        for kind in kinds
    ]
    return (
        altair.Chart(altair.Data(values=values))
        .mark_line(point=True)
        .encode(
            x=altair.X("snapshot:O", title=None, axis=altair.Axis(labelAngle=-45)),
            y=altair.Y("hosts:Q", title="hosts"),
            color=altair.Color("kind:N", title=None, sort=kinds),
            tooltip=["snapshot:O", "kind:N", "hosts:Q"],
        )
        .properties(title="Hosts and labels of each snapshot")
    )


def _auc_chart(found: Experiment) -> Any:  # noqa: ANN401
    altair = load_altair()
    values = [
        {"set": name, "AUC": one.auc, "low": one.auc - one.deviation, "high": one.auc + one.deviation}
        for name, one in found.outcomes.items()
    ]
    scale = altair.Scale(zero=False)
    base = altair.Chart(altair.Data(values=values)).encode(y=altair.Y("set:N", sort=None, title=None))
    bars = base.mark_rule(strokeWidth=2).encode(
        x=altair.X("low:Q", scale=scale, title="AUC ± standard deviation"), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=60).encode(x=altair.X("AUC:Q", scale=scale))
    return (bars + points).properties(title=f"{found.task}: AUC by feature set")


def _weights_chart(table: PaperTable) -> Any:  # noqa: ANN401
    altair = load_altair()
    values = [{"set": row[0], "weight": float(str(row[2]).rstrip("%"))} for row in table.rows]
    return (
        altair.Chart(altair.Data(values=values))
        .mark_bar()
        .encode(
            x=altair.X("weight:Q", title="share of the ensemble, %"),
            y=altair.Y("set:N", sort=None, title=None),
        )
        .properties(title="Weight of each feature set")
    )


def _sensitivity_chart(found: Experiment, value: str, title: str) -> Any:  # noqa: ANN401
    altair = load_altair()
    values = [
        {"set": one.feature_set, "share": 100 * one.share, "mean": one.mean, "deviation": one.deviation}
        for one in found.sensitivity
    ]
    return (
        altair.Chart(altair.Data(values=values))
        .mark_line(point=True)
        .encode(
            x=altair.X("share:Q", title="labels used, %"),
            y=altair.Y(f"{value}:Q", title=title, scale=altair.Scale(zero=value != "mean")),
            color=altair.Color("set:N", title=None),
        )
        .properties(title=f"{found.task}: {title} by share of labels")
    )
