"""Errors as problem documents."""

from __future__ import annotations

import json

import pytest

from webstrata.collection.action import Action
from webstrata.errors import DateError, LockedError, MissingError, QueryError, StorageError, WebstrataError
from webstrata.serve.http_api.problems import ProblemDetails, explain_error
from webstrata.web.server.answers import Refusal


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (MissingError("x"), 404),
        (DateError("x"), 400),
        (QueryError("x", "q\n^"), 400),
        (LockedError("x"), 503),
        (StorageError("x"), 500),
        (Refusal(422, "x"), 422),
        (ValueError("x"), 500),
    ],
)
def test_every_error_has_the_status_of_its_class(error: Exception, status: int) -> None:
    assert explain_error(error).status == status


def test_a_problem_names_the_command_that_helps() -> None:
    error = MissingError("uk: no text index", fix=Action("build", "uk", words=("text_index",)))
    found = json.loads(explain_error(error).to_json())
    assert found["fix"] == "webstrata build uk text_index"
    assert found["detail"] == "uk: no text index; run `webstrata build uk text_index`"
    assert (found["title"], found["type"]) == ("Not Found", "about:blank")


def test_what_is_a_bug_tells_nothing_of_itself() -> None:
    assert "secret" not in explain_error(RuntimeError("secret path")).detail
    assert isinstance(StorageError("x"), WebstrataError)


def test_empty_fields_are_left_out_of_the_document() -> None:
    assert set(json.loads(ProblemDetails(404, "x").to_json())) == {"type", "title", "status", "detail"}
