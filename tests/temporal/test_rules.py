"""Rules about dynamic URLs, from pages that are the same under several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import webstrata as ws
from tests.temporal.months import add_month
from webstrata.temporal.align import Aligner, choose_snapshots
from webstrata.temporal.build import build_union
from webstrata.temporal.rules import AlignmentRule, apply_rules, keep_rules, learn_rules
from webstrata.temporal.settings import TemporalSettings
from webstrata.temporal.union import StoredUnion

if TYPE_CHECKING:
    from pathlib import Path

NUMBER = 12


def add_shop(uk: ws.Collection, label: str, session: str, *, changed: int = 0) -> None:
    """A host whose links have a session of the month; `changed` of its pages show something else now."""
    keys = [f"org,shop)/item?id={number:02}&sid={session}" for number in range(NUMBER)]
    contents = [1000 + number + (500 if number < changed else 0) for number in range(NUMBER)]
    static = [f"org,shop)/{number:02}" for number in range(NUMBER)]
    shown = [2000 + number + (500 if number < changed else 0) for number in range(NUMBER)]
    rows = sorted(zip([*keys, *static], [*contents, *shown], strict=True))
    add_month(uk, label, [key for key, _ in rows], [(0, 1)], contents=[content for _, content in rows])


def test_a_session_that_changes_from_month_to_month_is_learned_across_snapshots(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    add_shop(uk, "2026-01", "aaa")
    add_shop(uk, "2026-02", "bbb", changed=3)
    found = learn_rules(list(uk), support=5, precision=0.98)
    # 9 of 12 pairs agree, and 9 of 12 pages are unchanged where the URL is the same
    assert found == [AlignmentRule("shop.org", "parameter", "sid", 9, 1.0, across=9)]
    settings = TemporalSettings(by="learned")
    build_union(uk, choose_snapshots(uk), settings)
    union = StoredUnion(uk)
    assert union.facts.rules == [found[0].to_dict()]
    assert len(union.urls) == 2 * NUMBER
    node = union.node("http://www.shop.org/item?sid=zzz&id=03")
    assert union.addresses("2026-01", node) == ["http://shop.org/item?id=03&sid=aaa"]
    # what was learned can be taken back
    refused = TemporalSettings(by="learned", refused_rules=("shop.org sid",))
    build_union(uk, choose_snapshots(uk), refused)
    assert len(StoredUnion(uk).urls) == 3 * NUMBER


def test_a_parameter_that_matters_is_none_even_where_pages_change(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    # page by page the same URL shows the same, and the id decides what
    for label, first in (("2026-01", 0), ("2026-02", 40)):
        keys = [f"org,shop)/item?id={number:02}&lang=en" for number in range(first, first + 50)]
        add_month(uk, label, keys, [], contents=[7000 + number for number in range(first, first + 50)])
    assert learn_rules(list(uk), support=1, precision=0.98) == []


def test_order_is_learned_within_and_across_snapshots_and_duplicates_speak(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    one = [f"org,shop)/p?a={number}&z=1" for number in range(6)]
    other = [f"org,shop)/p?z=1&a={number}" for number in range(6)]
    contents = list(range(100, 106))
    # of the first month one spelling is the node, and the other its duplicate
    add_month(
        uk, "2026-01", one, [], contents=contents, duplicates={key: node for node, key in enumerate(other)}
    )
    add_month(uk, "2026-02", other, [], contents=contents)
    (rule,) = learn_rules(list(uk), support=5, precision=0.98)
    assert (rule.kind, rule.host, rule.precision) == ("order", "shop.org", 1.0)
    # in the second month each was the same under the other spelling
    assert rule.support == 12
    keys = Aligner("learned", [rule]).keys(uk["2026-02"].urls.key_column.combine_chunks())
    assert keys.to_pylist() == one


def test_a_refused_rule_is_named_by_its_host(tmp_path: Path) -> None:
    rules = [AlignmentRule(host, "parameter", "sid", 9, 1.0) for host in ("a.org", "b.org")]
    assert keep_rules(rules, ["a.org sid", "b.org order"]) == rules[1:]


def test_what_many_small_hosts_have_in_common_is_a_rule_for_all_but_those_that_contradict(
    tmp_path: Path,
) -> None:
    uk = ws.create(tmp_path / "uk")
    # one page each on nine hosts, under another session in the second month; on one host it is no session
    hosts = [f"org,h{number}" for number in range(9)]
    for label, session in (("2026-01", "aaa"), ("2026-02", "bbb")):
        rows = [(f"{host})/?sid={session}", 100 + place) for place, host in enumerate(hosts)]
        rows += [(f"{host})/static", 200 + place) for place, host in enumerate(hosts)]
        rows += [(f"org,z)/?p=1&sid={session}", int(session == "aaa"))]
        add_month(uk, label, [key for key, _ in sorted(rows)], [], contents=[one for _, one in sorted(rows)])
    assert learn_rules(list(uk), support=5, precision=0.98) == []
    (rule,) = learn_rules(list(uk), support=5, precision=0.9)
    assert rule == AlignmentRule("*", "parameter", "sid", 9, 0.9, across=9, hosts=9, exceptions=("z.org",))
    keys = ["org,new)/a?b=1&sid=7", "org,z)/?p=1&sid=7"]
    assert apply_rules([rule], keys) == ["org,new)/a?b=1", "org,z)/?p=1&sid=7"]
    assert keep_rules([rule], ["* sid"]) == []
    # and it comes back from the file as it was
    build_union(uk, choose_snapshots(uk), TemporalSettings(by="learned", precision=0.9))
    union = StoredUnion(uk)
    assert AlignmentRule(**union.facts.rules[0]).to_dict() == rule.to_dict()
    assert len(union.pages("2026-02", [union.node("http://h3.org/?sid=zzz")])[0]) == 1
    assert apply_rules(union.aligner.rules, keys) == apply_rules([rule], keys)


def test_one_large_host_makes_no_rule_for_all(tmp_path: Path) -> None:
    uk = ws.create(tmp_path / "uk")
    add_shop(uk, "2026-01", "aaa")
    add_shop(uk, "2026-02", "bbb")
    assert [rule.host for rule in learn_rules(list(uk), support=2, precision=0.98)] == ["shop.org"]
