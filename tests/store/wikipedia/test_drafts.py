"""Pages made of wikitext in several processes."""

from __future__ import annotations

import multiprocessing
from itertools import count, islice

import pytest

from webstrata.store.wikipedia.drafts import Draft, iter_bodies, make_body
from webstrata.store.wikipedia.titles import Wiki

WIKI = Wiki("https://w.org/")


def make_draft(number: int) -> Draft:
    text = None if number % 5 == 3 else f"[[Page {number + 1}]] " * (number % 7)
    url = f"https://w.org/{number}"
    return Draft(url, "", number, f"Page {number}", text, is_wikitext=number % 4 > 0, language="en")


def test_several_processes_give_the_same_in_the_same_order_until_nobody_asks() -> None:
    endless = ((make_draft(number), WIKI) for number in count())
    bodies = iter_bodies(endless, workers=2, batch=300)
    found = list(islice(bodies, 120))
    assert found == [(draft, make_body(draft, WIKI)) for draft in map(make_draft, range(120))]
    bodies.close()  # type: ignore[attr-defined]
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("number", [0, 1, 9])
def test_what_is_less_than_a_batch_needs_no_process(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webstrata.store.wikipedia.drafts._Pool.submit", None)
    drafts = [make_draft(place) for place in range(number)]
    found = list(iter_bodies(((draft, WIKI) for draft in drafts), workers=4))
    assert [draft for draft, _ in found] == drafts


def test_what_is_no_wikitext_is_shown_as_it_is() -> None:
    draft = Draft("https://w.org/A", "", 0, "A<b>", "[[no]] <script>", is_wikitext=False, language="")
    body = make_body(draft, WIKI)
    assert b"<pre>[[no]] &lt;script&gt;</pre>" in body
    assert b"<title>A&lt;b&gt;</title>" in body
