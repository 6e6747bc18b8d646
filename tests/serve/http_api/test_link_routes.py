"""The connectivity servers of all snapshots below one path."""

from __future__ import annotations

import json
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from webstrata import testing
from webstrata.serve.running import PageServer
from webstrata.serve.settings import ServeSettings


def test_links_of_each_snapshot_are_asked_one_by_one_and_in_batches() -> None:
    collection = testing.collection()
    with PageServer([collection], ServeSettings(port=0)) as server:
        base = f"{server.url}/api/links"
        for date in collection.dates:
            with urlopen(f"{base}/{date}/links?url=http://reef.example/") as response:
                found = json.load(response)
            expected = collection[date].graph_links("http://reef.example/").rows
            assert {one["url"] for one in found["links"]} == {row["url"] for row in expected}
        body = json.dumps({"pages": ["http://reef.example/", 0]}).encode()
        request = Request(f"{base}/2026-06/links", body, {"Content-Type": "application/json"})
        with urlopen(request) as response:
            assert len(json.load(response)["pages"]) == 2
        with pytest.raises(HTTPError) as refused:
            urlopen(f"{base}/1999-01/links?url=http://reef.example/")
        with refused.value as answer:
            assert answer.code == 404
