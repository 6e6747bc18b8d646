"""Only names of this server are served; names that others choose are not."""

from __future__ import annotations

import pytest

from webstrata.web.server import HostNames, Refusal


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("attacker.example", 421),
        ("localhost.attacker.example", 421),
        ("127.0.0.1.attacker.example", 421),
        ("2130706433", 421),  # an address only to lenient parsers
        ("", 400),
        ("a b", 400),
        ("a/b", 400),
        ("[::1", 400),
        ("localhost:port", 400),
        ("user@localhost", 400),
        ("ü.example", 400),
    ],
)
def test_other_names_are_refused(text: str, status: int) -> None:
    with pytest.raises(Refusal) as caught:
        HostNames(["archive.example"]).check(text)
    assert caught.value.status == status


def test_a_star_accepts_every_name_but_nothing_that_is_no_name() -> None:
    names = HostNames(["*"])
    assert names.check("any.example:80") == "any.example"
    with pytest.raises(Refusal, match="not a host name"):
        names.check("any example")
