"""Errors have one shape, and cannot fill a log."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

from webstrata.web.server.answers import BASE_STATUSES, MEANINGS, Refusal, ThrottledLog, write_error

if TYPE_CHECKING:
    import pytest


def test_a_message_with_any_characters_is_valid_json() -> None:
    document = json.loads(write_error(422, 'a "b"\r\n\x00 ü', nearest=["http://example.org/"]))
    assert document["error"] == {
        "status": 422,
        "message": 'a "b"\r\n\x00 ü',
        "nearest": ["http://example.org/"],
    }


def test_every_status_of_the_base_has_a_meaning() -> None:
    assert set(BASE_STATUSES) <= set(MEANINGS)
    assert Refusal(404, "no").more == {}


def test_kinds_of_messages_are_throttled_each_by_itself_and_their_number_is_limited(
    caplog: pytest.LogCaptureFixture,
) -> None:
    now = 0.0
    log = ThrottledLog(logging.getLogger("test"), clock=lambda: now, max_kinds=3)
    for number in range(100):
        for _ in range(10):
            log.say(number, logging.WARNING, "kind %d", number)
    assert [record.getMessage() for record in caplog.records] == ["kind 0", "kind 1", "kind 2", "kind 3"]
    now = 61.0
    log.say(1, logging.WARNING, "kind %d", 1)
    assert caplog.records[-1].getMessage() == "kind 1 (9 more in the last 60 s)"
