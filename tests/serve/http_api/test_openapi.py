"""The OpenAPI description: every path of the first origin, with examples that hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from openapi_spec_validator import validate

from tests.serve.http_api.examples import GIVEN
from tests.serve.page.served import ask
from webstrata.serve.http_api.openapi import load_examples
from webstrata.serve.page.app import DOCUMENTS, ROUTES
from webstrata.serve.page.site import Site
from webstrata.serve.page.view import to_json

if TYPE_CHECKING:
    import webstrata as ws


@pytest.fixture(scope="module")
def description(url: str) -> Any:  # noqa: ANN401
    return ask(f"{url}/openapi.json").json


def test_the_description_is_valid_and_names_every_operation_once(description: dict[str, Any]) -> None:
    validate(description)
    names = [one["operationId"] for methods in description["paths"].values() for one in methods.values()]
    assert len(names) == len(set(names))


def test_every_page_has_its_document_twice_and_links_are_described(description: dict[str, Any]) -> None:
    paths = set(description["paths"])
    for route in ROUTES:
        assert f"/{route.json_path}".replace(":path", "") in paths
        assert f"/{route.api_path}".replace(":path", "") in paths
    assert {"/api/features", "/api/history", "/api/links/{snapshot}/links"} <= paths
    assert {"get", "post"} <= set(description["paths"]["/api/links/{snapshot}/links"])


def test_every_document_has_an_example_and_all_its_statuses(description: dict[str, Any]) -> None:
    for path, methods in description["paths"].items():
        for operation in methods.values():
            assert {"200", "422", "429", "503"} <= set(operation["responses"]) or path.endswith("/"), path
            if "/links/" in path or "post" in methods:
                continue
            content = operation["responses"]["200"]["content"]["application/json"]
            assert content["example"]["made_by"].startswith("webstrata "), path
            assert operation["responses"]["422"]["content"].keys() == {"application/problem+json"}


@pytest.mark.parametrize("route", [*ROUTES, *DOCUMENTS], ids=lambda route: route.name)
def test_examples_have_the_shape_of_responses(ready: ws.Collection, route: Any) -> None:  # noqa: ANN401
    view = route.page(Site(ready, "uk"), **GIVEN.get(route.name, {}))
    found, example = json.loads(to_json(view.to_dict())), load_examples()[route.name]
    assert set(example) <= set(found), "run python -m tests.serve.http_api.examples"
    if example["rows"] and found["rows"]:
        assert set(example["rows"][0]) <= set(found["rows"][0]), "run python -m tests.serve.http_api.examples"


def test_documents_without_a_page_answer(url: str) -> None:
    history = ask(f"{url}/api/history?url=http://news.example/&inlinks=true").json
    assert history["snapshots"] == ["2026-04", "2026-05", "2026-06"]
    assert {"in", "out"} == {row["direction"] for row in history["rows"]}
    features = ask(f"{url}/api/features?set=A").json
    assert features["missing"][0]["command"].startswith("webstrata build ")
    for path, status in (
        ("history", 400),
        ("features?set=nothing", 400),
        ("history?url=http://no.example/", 404),
    ):
        answer = ask(f"{url}/api/{path}", accept="application/json")
        assert (answer.status, answer.headers["content-type"]) == (status, "application/problem+json"), path
        assert answer.json["detail"]


def test_errors_of_the_server_base_are_problems_too(url: str) -> None:
    answer = ask(f"{url}/search.json", host="attacker.example")
    assert (answer.status, answer.headers["content-type"]) == (421, "application/problem+json")
    assert answer.json["title"] == "Misdirected Request"


def test_links_answer_with_problems(url: str) -> None:
    answer = ask(f"{url}/api/links/2026-06/links?url=http://no.example/", accept="application/json")
    assert (answer.status, answer.headers["content-type"]) == (404, "application/problem+json")
    found = ask(f"{url}/api/links/2026-06/links?url=http://news.example/").json
    assert found["total"] > 0
