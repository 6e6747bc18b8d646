"""Static files, health and readiness over real HTTP."""

from __future__ import annotations

import hashlib

import pytest

from tests.serve.page.served import ask
from webstrata.serve.page.services import load_static


@pytest.mark.parametrize("name", sorted(load_static()))
def test_a_static_file_is_sent_whole_with_its_type_and_digest(url: str, name: str) -> None:
    content, digest, kind = load_static()[name]
    found = ask(f"{url}/static/{name}")
    assert (found.status, found.body) == (200, content)
    assert found.headers["content-type"].startswith(kind)
    assert digest == hashlib.sha256(content).hexdigest()[:12]
    assert digest in found.headers["etag"]


def test_a_file_that_is_not_there_is_refused(url: str) -> None:
    assert ask(f"{url}/static/nothing.js").status == 404


def test_health_and_readiness_are_told(url: str) -> None:
    assert ask(f"{url}/healthz", Accept="*/*").json == {"status": "ok"}
    assert ask(f"{url}/readyz", Accept="*/*").json["status"] == "ready"
