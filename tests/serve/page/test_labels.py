"""Labels over real HTTP: with the token, from this origin, and in no other way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.serve.page.served import ask
from webstrata import testing
from webstrata.classify.learning.labels import load_labels
from webstrata.errors import UsageError
from webstrata.serve.page.labels import TokenDesk, read_labels
from webstrata.serve.running import PageServer
from webstrata.serve.settings import ServeSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import webstrata as ws

TOKEN = "0123456789abcdef-secret"


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    return tmp_path / "token"


@pytest.fixture
def served(desk: Path) -> Iterator[tuple[str, ws.Collection]]:
    collection = testing.collection()
    with PageServer([collection], ServeSettings(port=0, token_file=str(desk))) as server:
        yield server.url, collection


def test_a_label_given_with_the_token_is_one_that_classify_reads(served: tuple[str, ws.Collection]) -> None:
    url, collection = served
    assert 'name="token"' in ask(f"{url}/hosts/pills.example").text
    for host, label in (("pills.example", "spam"), ("reef.example", "nonspam")):
        body = f"label={label}&token={TOKEN}".encode()
        found = ask(f"{url}/hosts/{host}/label", body, Origin=url)
        assert (found.status, found.headers["location"]) == (303, f"/hosts/{host}")
    assert read_labels(collection) == {"pills.example": "spam", "reef.example": "nonspam"}
    known = load_labels("table", collection["2026-06"]).find("spam")
    assert known == {"pills.example": True, "reef.example": False}
    assert ask(f"{url}/hosts.json").json["labelled"] == 2


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"label=spam", {}, 401),
        (b"label=spam&token=wrong-token-of-length", {}, 401),
        (f"label=what&token={TOKEN}".encode(), {}, 422),
        (f"label=spam&token={TOKEN}".encode(), {"Origin": "http://evil.example"}, 403),
        (f"label=spam&token={TOKEN}".encode(), {"Origin": "null"}, 403),
        (f"label=spam&token={TOKEN}".encode(), {"Sec_Fetch_Site": "cross-site"}, 403),
    ],
)
def test_without_token_or_from_elsewhere_nothing_is_written(
    served: tuple[str, ws.Collection], body: bytes, headers: dict[str, str], status: int
) -> None:
    url, collection = served
    found = ask(f"{url}/hosts/pills.example/label", body, **headers)
    assert found.status == status
    assert TOKEN not in found.text
    assert read_labels(collection) == {}


def test_programs_send_the_token_as_bearer_and_get_json(served: tuple[str, ws.Collection]) -> None:
    url, _ = served
    found = ask(
        f"{url}/hosts/pills.example/label",
        b"label=spam",
        Authorization=f"Bearer {TOKEN}",
        Accept="application/json",
    )
    assert found.json == {"host": "pills.example", "label": "spam"}
    unknown = ask(f"{url}/hosts/nowhere.example/label", b"label=spam", Authorization=f"Bearer {TOKEN}")
    assert unknown.status == 404


def test_a_public_server_has_no_form_and_no_route(desk: Path) -> None:
    with PageServer(
        [testing.collection()], ServeSettings(port=0, token_file=str(desk), public=True)
    ) as server:
        assert 'name="token"' not in ask(f"{server.url}/hosts/pills.example").text
        body = f"label=spam&token={TOKEN}".encode()
        assert ask(f"{server.url}/hosts/pills.example/label", body).status == 404


@pytest.mark.parametrize("content", [None, "short"])
def test_a_token_file_that_is_missing_or_too_short_is_refused(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "token").write_text(content)
    with pytest.raises(UsageError, match="token"):
        TokenDesk(str(tmp_path / "token"))


def test_the_page_of_a_host_shows_its_label_at_once(served: tuple[str, ws.Collection]) -> None:
    url, _ = served
    before = ask(f"{url}/hosts/reef.example")
    assert before.headers["cache-control"] == "no-store"
    body = f"label=nonspam&kind=news&kind=high-quality&token={TOKEN}".encode()
    assert ask(f"{url}/hosts/reef.example/label", body, Origin=url).status == 303
    assert "Labelled <b>news, high-quality</b>" in ask(f"{url}/hosts/reef.example").text
    rows = {row["host"]: row["label"] for row in ask(f"{url}/hosts.json").json["rows"]}
    assert rows["reef.example"] == "news|high-quality"


def test_kinds_are_words_and_need_a_host_that_is_not_spam(served: tuple[str, ws.Collection]) -> None:
    url, collection = served
    for kind in ("two%20words", "%3Cb%3E", "spam"):
        body = f"label=nonspam&kind={kind}&token={TOKEN}".encode()
        assert ask(f"{url}/hosts/reef.example/label", body, Origin=url).status == 422
    assert read_labels(collection) == {}
