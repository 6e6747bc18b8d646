"""The OpenAPI description of the first origin: statuses, examples, and the paths of the connectivity server.

Parameters and documents come from the page functions (FastAPI reads their signatures); this module adds what
signatures do not say. ``examples.json`` has the shortened response of every document over the ready
collection of `webstrata.testing`; ``python -m tests.serve.http_api.examples`` writes it again.
"""

import copy
import json
from collections.abc import Callable, Iterable
from functools import cache
from importlib import resources
from typing import Any

from fastapi import FastAPI

from webstrata.serve.http_api.links import make_links_app
from webstrata.serve.http_api.problems import PROBLEM, describe_problems

PARAMETERS: dict[str, Any] = {
    "q": "storm",
    "at": "2026-06",
    "from": "2026-04",
    "to": "2026-06",
    "host": "news.example",
    "url": "http://news.example/",
    "language": "en",
    "set": "A",
    "method": "pagerank",
    "date": "2026-06",
    "cursor": "MTA",
}
"""Examples of parameters by name, which hold for the ready collection."""


@cache
def load_examples() -> dict[str, Any]:
    """A shortened response of every document by its name.

    Examples
    --------
    >>> load_examples()["search"]["rows"][0]["url"]
    'http://reef.example/storm'
    """
    text = (resources.files("webstrata.serve.http_api") / "examples.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def describe_document(name: str) -> dict[int | str, dict[str, Any]]:
    """The responses of a document: its schema with an example, and every status that it may have.

    Examples
    --------
    >>> sorted(describe_document("search"))
    [200, 304, 400, 404, 408, 413, 421, 422, 429, 431, 500, 501, 503, 505]
    """
    schema = {
        "type": "object",
        "required": ["rows", "next", "made_by", "python", "missing"],
        "properties": {
            "rows": {"type": "array", "items": {"type": "object"}},
            "next": {"type": ["string", "null"], "description": "The cursor of the next rows."},
            "made_by": {"type": "string", "description": "The command that gives the same."},
            "python": {"type": "string", "description": "The Python call that gives the same."},
            "missing": {
                "type": "array",
                "description": "What was not built, each with the command that builds it.",
                "items": {
                    "type": "object",
                    "required": ["what", "command"],
                    "properties": {"what": {"type": "string"}, "command": {"type": "string"}},
                },
            },
        },
    }
    content: dict[str, Any] = {"schema": schema}
    if name in load_examples():
        content["example"] = load_examples()[name]
    tag = {"schema": {"type": "string"}, "description": "Changes when a part is built."}
    return {
        200: {
            "description": "The rows and facts of the page.",
            "headers": {"ETag": tag},
            "content": {"application/json": content},
        },
        304: {"description": "Nothing was built since the response with this ETag."},
        **describe_problems(400, 404, 422),
    }


def describe_api(app: FastAPI, links: Iterable[str]) -> None:
    """Let an application describe itself with examples, and with the connectivity server below these paths.

    Examples
    --------
    >>> app = FastAPI()
    >>> describe_api(app, ["/api/links"])
    >>> sorted(app.openapi()["paths"])[:2]
    ['/api/links/{snapshot}/', '/api/links/{snapshot}/common']
    """
    plain: Callable[[], dict[str, Any]] = app.openapi
    places = list(links)

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = plain()
            for place in places:
                _add_links(document, place)
            _add_examples(document)
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def _add_links(document: dict[str, Any], place: str) -> None:
    mounted = make_links_app(None, is_mounted=True).openapi()  # type: ignore[arg-type]
    snapshot = {
        "name": "snapshot",
        "in": "path",
        "required": True,
        "schema": {"type": "string"},
        "description": "The date of a snapshot with a graph.",
        "example": PARAMETERS["date"],
    }
    for path, methods in mounted["paths"].items():
        known = copy.deepcopy(methods)
        for method, operation in known.items():
            operation["tags"] = ["links"]
            operation["operationId"] = f"{method}_{place}_{path}".replace("/", "_")
            operation["parameters"] = [snapshot, *operation.get("parameters", [])]
        document["paths"][f"{place}/{{snapshot}}{path}"] = known
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    schemas.update(mounted.get("components", {}).get("schemas", {}))


def _add_examples(document: dict[str, Any]) -> None:
    for methods in document["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                has_some = "example" in parameter or "examples" in parameter.get("schema", {})
                if not has_some and parameter["name"] in PARAMETERS:
                    parameter["example"] = PARAMETERS[parameter["name"]]
            # FastAPI describes its own document of errors; errors are problems here
            if "422" in operation["responses"]:
                operation["responses"]["422"]["content"] = copy.deepcopy(PROBLEM["content"])
