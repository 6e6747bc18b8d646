"""Scores of hosts by the models that the server was started with, the reasons for them, and what is spam."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from webstrata.errors import WebstrataError
from webstrata.serve.page.labels import read_sheet

if TYPE_CHECKING:
    from webstrata.api import Collection
    from webstrata.classify.learning.model_file import HostModel
    from webstrata.serve.page.site import Site

SPAM = "spam"


def find_scores(site: Site, date: str) -> tuple[dict[str, dict[str, float]], str]:
    """By task the score of each host, of the models that the server was started with; and what is wrong.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> find_scores(Site(testing.collection(), "uk"), "2026-06")
    ({}, '')
    """
    found: dict[str, dict[str, float]] = {}
    note = ""
    for model in load_models(site):
        try:
            rows = site.keep(("scores", date, model.task), partial(_predict, date, model))
        except WebstrataError as error:
            note = error.explain()
            continue
        found[model.task] = {str(row["host"]): float(row["score"]) for row in rows}
    return found, note


def find_spam(site: Site) -> list[str]:
    """Hosts that are labelled as spam, or that a model tells from the newest snapshot; labels win.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> find_spam(Site(testing.collection(), "uk"))
    []
    """
    labels = read_sheet(site.collection)
    found = {host for host, label in labels.items() if SPAM in label.split("|")}
    if any(model.task == SPAM for model in load_models(site)) and site.dates:
        scores, _ = find_scores(site, site.dates[-1])
        bound = next((model.threshold for model in load_models(site) if model.task == SPAM), None)
        limit = 0.5 if bound is None else bound
        found |= {
            host for host, score in scores.get(SPAM, {}).items() if score >= limit and host not in labels
        }
    return sorted(found)


def _predict(date: str, model: HostModel, opened: Collection) -> list[dict[str, Any]]:
    from webstrata.classify.learning.lessons import predict_hosts

    return list(predict_hosts(opened[date], model).rows)


def load_models(site: Site) -> list[HostModel]:
    """The models that the server was started with.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> load_models(Site(testing.collection(), "uk"))
    []
    """
    return [site.keep(("model", path), partial(_load, path)) for path in site.models]


def _load(path: str, _opened: Collection) -> HostModel:
    from webstrata.classify.learning.lessons import open_model

    return open_model(path)


def explain_host(site: Site, date: str, host: str) -> list[dict[str, Any]]:
    """The score of a host by each model, with the features that change it most.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.serve.page.site import Site
    >>> explain_host(Site(testing.collection(), "uk"), "2026-06", "pills.example")
    []
    """
    from webstrata.classify.learning.matrix import load_matrix
    from webstrata.classify.learning.reasons import explain

    found = []
    for model in load_models(site):
        try:
            matrix = site.keep(
                ("matrix", date, model.task),
                lambda opened: load_matrix(opened[date], list(model.columns)),  # noqa: B023
            )
            score, reasons = explain(model, matrix, host, most=6)
        except WebstrataError:
            continue
        found.append(
            {
                "task": model.task,
                "score": float(score),
                "threshold": model.threshold,
                "reasons": [
                    {
                        "set": one.feature_set,
                        "feature": one.feature,
                        "value": one.value,
                        "usual": one.negative,
                        "typical": one.positive,
                        "effect": one.effect,
                    }
                    for one in reasons
                ],
            }
        )
    return found
