"""What was cut, with examples."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.crawl.origin import Origin, crawl, page, redirect, reply
from webstrata.crawl.report import read_report
from webstrata.crawl.skip_reasons import REASONS, read_cuts
from webstrata.serve.figures.crawl import write_report

if TYPE_CHECKING:
    from pathlib import Path


def test_each_reason_has_its_number_and_its_examples(tmp_path: Path) -> None:
    with Origin() as origin:
        origin.say("/robots.txt", reply("User-agent: *\nDisallow: /private\n"))
        home = [f"/private/{place}" for place in range(30)] + [
            "/deep",
            "mailto:a@b.test",
            "/x.zip",
            "/y",
            "/hop",
        ]
        body = (
            page("home", *home) + b'<a rel="nofollow" href="/no">no</a><link rel=canonical href="/canonical">'
        )
        origin.say("/", reply(body))
        origin.say("/deep", reply(page("deep", "/deeper")))
        origin.say("/deeper", reply(page("deeper", "/deepest")))
        origin.say("/hop", redirect("/far"))
        origin.say("/y", reply(page("kept by nobody"), "X-Robots-Tag: noarchive"))
        found = crawl(
            tmp_path,
            origin,
            "http://a.test/",
            max_depth=2,
            max_redirects=0,
            follow_nofollow=False,
            schedule="not PathEndsWithOneOf(.zip)",
            fetch="not URLEquals(http://a.test/z)",
        )
    assert found.result is not None
    cuts = {cut.reason: cut for cut in found.result.cuts}
    assert cuts["disallowed"].number == 30
    assert len(set(cuts["disallowed"].examples)) == 8
    assert all(url.startswith("http://a.test/private/") for url in cuts["disallowed"].examples)
    others = {
        "rejected": "mailto:a@b.test",
        "schedule": "http://a.test/x.zip",
        "depth": "http://a.test/deepest",
        "nofollow": "/no",
        "canonical": "/canonical",
        "redirects": "http://a.test/far",
        "noarchive": "http://a.test/y",
    }
    assert {reason: cuts[reason].examples for reason in others} == {
        reason: (example,) for reason, example in others.items()
    }
    # the same from the file, and in the page
    report = read_report(found.snapshot)
    assert report.result.cuts == found.result.cuts
    write_report(report, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert REASONS["disallowed"] in text
    assert cuts["disallowed"].examples[0] in text


def test_reasons_of_the_core_and_words_for_them_go_together() -> None:
    cuts = read_cuts([(reason, 1, []) for reason in REASONS])
    assert json.loads(json.dumps([cut.to_dict() for cut in cuts]))[0]["number"] == 1
    assert all(cut.text != cut.reason for cut in cuts)
