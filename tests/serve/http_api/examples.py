"""Shortened responses of every document over the ready collection, for the OpenAPI description.

``python -m tests.serve.http_api.examples`` writes them; `test_openapi` compares their shape with responses.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata import testing
from webstrata.serve.http_api import openapi
from webstrata.serve.page.app import DOCUMENTS, ROUTES
from webstrata.serve.page.neighbourhood import show_neighbours
from webstrata.serve.page.plane import show_cell
from webstrata.serve.page.search import show_completion
from webstrata.serve.page.site import Site
from webstrata.serve.page.view import to_json

if TYPE_CHECKING:
    from webstrata.api import Collection

PATH = Path(openapi.__file__).with_name("examples.json")
GIVEN: dict[str, dict[str, Any]] = {
    "search": {"q": "storm"},
    "page": {"url": "http://news.example/"},
    "changes": {"q": "storm", "from_": "2026-04", "to": "2026-06"},
    "graph": {"of": "http://news.example/"},
    "host": {"host": "news.example"},
    "features": {"name": "A"},
    "history": {"url": "http://news.example/"},
    "complete": {"q": "sto"},
    "neighbours": {"of": "http://news.example/"},
}
"""Arguments of the page functions."""
ROWS, ITEMS, LETTERS = 1, 3, 120


def make_examples(collection: Collection) -> dict[str, Any]:
    """A response of each document, shortened."""
    site, found = Site(collection, "uk"), {}
    path = str(collection.path)
    for route in (*ROUTES, *DOCUMENTS):
        view = route.page(site, **GIVEN.get(route.name, {}))
        found[route.name] = view.to_dict()
    found["complete"] = show_completion(site, **GIVEN["complete"]).to_dict()
    found["neighbours"] = show_neighbours(site, of="http://news.example/").to_dict()
    if cells := found["plane"]["rows"]:
        found["cell"] = show_cell(site, x=cells[0]["pagerank"], y=cells[0]["cheirank"]).to_dict()
    text = to_json(found).decode().replace(path, "uk")
    return {name: shorten(document) for name, document in json.loads(text).items()}


def shorten(value: Any, name: str = "") -> Any:  # noqa: ANN401 (JSON)
    """The same with short lists and texts."""
    if isinstance(value, dict):
        return {key: shorten(one, key) for key, one in list(value.items())[:40]}
    if isinstance(value, list):
        return [shorten(one) for one in value[: ROWS if name == "rows" else ITEMS]]
    if isinstance(value, str) and len(value) > LETTERS:
        return value[:LETTERS] + "…"
    return value


if __name__ == "__main__":
    uk = testing.collection()
    uk["2026-06"].classify_features(sets="A")
    uk["2026-06"].build("rank-cheirank")
    PATH.write_text(json.dumps(make_examples(uk), indent=1, ensure_ascii=False) + "\n")
    sys.stdout.write(f"{PATH}\n")
