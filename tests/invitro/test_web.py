"""The truth as queries: what the web says about itself agrees with what it serves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from webstrata.errors import SettingError
from webstrata.invitro.vocabulary import VOCABULARIES
from webstrata.invitro.web import Web, make_settings
from webstrata.web.row_key import row_key


@pytest.fixture(scope="module")
def web() -> Web:
    return Web("small", seed=11)


def test_two_webs_of_one_seed_are_the_same_web(web: Web) -> None:
    again = Web(preset="small", seed=11)
    url = web.graph(2).urls[17]
    assert again.fetch(url, 2) == web.fetch(url, 2)
    assert list(again.graph(1).urls) == list(web.graph(1).urls)


def test_another_seed_is_another_web(web: Web) -> None:
    assert not set(Web("small", seed=12).graph(0).urls) & set(web.graph(0).urls)


@pytest.mark.parametrize("view", ["served", "collection"])
def test_nodes_are_in_row_key_order_and_arcs_are_sorted(web: Web, view: str) -> None:
    graph = web.graph(1, view=view)  # type: ignore[arg-type]
    keys = [row_key(url) for url in graph.urls]
    assert keys == sorted(keys)
    assert len(set(keys)) == graph.num_nodes
    assert graph.offsets[-1] == graph.num_arcs
    for node in range(graph.num_nodes):
        successors = graph.successors(node)
        assert (np.diff(successors.astype(np.int64)) > 0).all()
        assert successors.size == 0 or successors[-1] < graph.num_nodes


def test_every_served_address_is_a_node_of_the_collection(web: Web) -> None:
    served, collection = web.graph(1), web.graph(1, view="collection")
    assert list(collection.urls) == list(served.urls)
    assert any((web.facts(url, 1) or {})["noindex"] for url in collection.urls)
    assert len(set(collection.pages.tolist())) < collection.num_nodes


def test_the_collection_links_what_redirects_stand_for(web: Web) -> None:
    collection = web.graph(0, view="collection")
    nodes = {url: node for node, url in enumerate(collection.urls)}
    num_redirects = 0
    for node in range(0, collection.num_nodes, 7):
        expected = set()
        for link in web.links(collection.urls[node]):
            url = link.url
            for _ in range(4):  # redirects, as a client follows them
                answer = web.fetch(url)
                if answer.status not in (301, 302):
                    break
                num_redirects += 1
                location = answer.head.decode().split("Location: ")[1].split("\r\n")[0]
                url = location if "://" in location else "/".join(url.split("/")[:3]) + location
            if url in nodes:
                expected.add(nodes[url])
        assert set(collection.successors(node).tolist()) == expected, collection.urls[node]
    assert num_redirects > 0


def test_exact_duplicates_have_the_same_bytes_and_others_have_not(web: Web) -> None:
    bodies: dict[bytes, int] = {}
    graph = web.graph(0)
    for url, page in zip(graph.urls, graph.pages.tolist(), strict=True):
        body = web.fetch(url).body
        assert bodies.setdefault(body, page) == page, f"{url} shows another page"
    plain = [url for url in graph.urls if "sid=" not in url and web.duplicate_of(url)]
    assert plain
    for url in plain:
        original = web.duplicate_of(url)
        assert original is not None
        assert web.fetch(url).body == web.fetch(original).body


def test_places_are_equal_for_addresses_that_differ_in_sessions_or_order_alone() -> None:
    web = Web("tiny", seed=5, session_share=0.6, sessions=3, mirror_share=0.3)
    graph = web.graph(0)
    by_place: dict[int, set[tuple[str, frozenset[str]]]] = {}
    bare = []
    for url in graph.urls:
        path, _, query = url.partition("?")
        fields = frozenset(query.split("&"))
        bare.append((path, frozenset(field for field in fields if field and not field.startswith("sid="))))
    for form, place in zip(bare, graph.places.tolist(), strict=True):
        by_place.setdefault(place, set()).add(form)
    assert all(len(urls) == 1 for urls in by_place.values())
    assert len(by_place) == len(set(bare)) < graph.num_nodes


def test_near_duplicates_share_most_words_with_their_original(web: Web) -> None:
    pairs = web.near_duplicates(0)
    assert pairs
    kept = []
    for copy, original in pairs:
        one, other = web.text(copy).split("\n")[1:], web.text(original).split("\n")[1:]
        words = [
            (a, b)
            for p, q in zip(one, other, strict=True)
            for a, b in zip(p.split(), q.split(), strict=False)
        ]
        kept.append(sum(a == b for a, b in words) / len(words))
    assert 0.85 < np.mean(kept) < 0.97


def test_changes_name_what_was_born_died_and_changed(web: Web) -> None:
    changes = web.changes(0, 1)
    before, after = set(web.graph(0).urls), set(web.graph(1).urls)
    assert set(changes.born) == after - before
    assert set(changes.died) == before - after
    common = before & after
    assert len(changes.changed) + changes.unchanged == len(common)
    changed = set(changes.changed)
    for url in sorted(common)[::17]:
        # templates change with the pages around; only the page's own paragraphs tell a change of the page
        paragraphs = [{line.split(". ")[0] for line in web.text(url, month).split("\n")} for month in (0, 1)]
        if url not in changed:
            assert len(paragraphs[0] & paragraphs[1]) >= len(paragraphs[0]) - 1, url


def test_events_are_seen_in_their_month_and_not_before() -> None:
    web = Web("small", seed=3)
    assert len(web.events()) == web.settings.events
    for number, planned in enumerate(web.events()):
        event = web.events(planned.month)[number]  # addresses as they are in its month
        words = event.name.split()
        for url in event.born:
            assert not web.text(url, event.month - 1)
            if (web.facts(url, event.month) or {}).get("status") == 200:
                assert words[0] in web.text(url, event.month)
        for url in event.changed:
            if web.facts(url, event.month - 1) and web.facts(url, event.month):
                assert words[0] not in web.text(url, event.month - 1)
                assert words[0] in web.text(url, event.month)
    seen = {event.name for event in web.events() if event.born}
    assert seen, "at least one event has pages in the last month"


def test_spam_hosts_are_known_and_their_farms_share_few_addresses(web: Web) -> None:
    hosts = web.hosts(1)
    spam = [slot for slot, is_spam in enumerate(hosts["spam"]) if is_spam]
    assert spam
    for slot in spam:
        assert web.is_spam(hosts["name"][slot], 1) == hosts["present"][slot]
    for farm in {hosts["farm"][slot] for slot in spam}:
        assert len({hosts["address"][slot] for slot in spam if hosts["farm"][slot] == farm}) <= 2
    assert not web.is_spam(hosts["name"][0], 1)


@pytest.fixture(scope="module")
def hiding() -> Web:
    return Web("spam", seed=3, hosts=300, pages=4000, words=150, spam_share=0.3)


def stuffing(web: Web, month: int = 0) -> tuple[list[float], list[float]]:
    """Function words among those of home pages, for spam and for honest hosts."""
    known = set(VOCABULARIES[0].function_words)
    found: tuple[list[float], list[float]] = ([], [])
    hosts = web.hosts(month)
    for name, spam, there, language in zip(
        *(hosts[column] for column in ("name", "spam", "present", "language")), strict=True
    ):
        if there and language == "en":
            words = [word.strip(".").lower() for word in web.text(f"http://{name}/", month).split()]
            found[not spam].append(sum(word in known for word in words) / len(words))
    return found


def test_spam_that_hides_and_honest_hosts_that_stuff_overlap(hiding: Web) -> None:
    spam, honest = stuffing(hiding)
    # blatant farms have fewer words of the language than any honest host, those that hide as many as others
    assert min(spam) < min(honest)
    assert np.quantile(spam, 0.8) > np.median(honest)
    assert np.mean(spam) < np.mean(honest)
    blatant, plain = stuffing(Web("small", seed=3))
    assert max(blatant) < np.quantile(plain, 0.1)


def test_farms_that_hide_link_to_other_hosts_each_month() -> None:
    web = Web("spam")
    first, later = web.hosts(0), web.hosts(1)
    spam = first["spam"].index(True)

    def partners(slot: int, month: int) -> set[str]:
        """Hosts of its ring of ten that the home page of a host links to."""
        names = (first, later)[month]["name"]
        begin = slot - (slot - spam if first["spam"][slot] else slot) % 10
        links = web.links(f"http://{names[slot]}/", month)
        return {link.url.split("/")[2] for link in links} & set(names[begin : begin + 10]) - {names[slot]}

    kept: dict[bool, list[float]] = {True: [], False: []}
    for slot in [*range(300), *range(spam, len(first["name"]))]:
        is_same = first["name"][slot] == later["name"][slot]
        if is_same and first["present"][slot] and later["present"][slot] and (before := partners(slot, 0)):
            after = partners(slot, 1)
            kept[first["spam"][slot]].append(len(before & after) / len(before | after))
    assert min(map(len, kept.values())) >= 80
    assert np.mean(kept[True]) < np.mean(kept[False]) - 0.1
    # some farms stay as they are, as most honest hosts do
    assert np.quantile(kept[True], 0.8) == np.median(kept[False]) == 1


def _count_honest_links(web: Web, month: int) -> int:
    """Links of honest pages to farms."""
    hosts = web.hosts(month)
    spam = {name for name, is_spam in zip(hosts["name"], hosts["spam"], strict=True) if is_spam}
    graph = web.graph(month)
    of_farm = np.array([url.split("/")[2] in spam for url in graph.urls])
    sources = np.repeat(of_farm, np.diff(graph.offsets).astype(np.int64))
    return int((of_farm[graph.targets] & ~sources).sum())


def test_a_farm_that_buys_expired_domains_has_their_pages_and_links_and_gets_no_new_ones() -> None:
    kind: dict[str, Any] = {
        "spam_share": 0.14,
        "spam_camouflage": 1.0,
        "comment_spam_share": 0.0,
        "link_change_rate": 0.3,
    }
    web, fresh = (Web("small", seed=3, **kind, expired_share=share) for share in (1.0, 0.0))
    # one farm, that is there all the time
    assert _count_honest_links(fresh, 0) == 0
    assert _count_honest_links(web, 0) > 2 * _count_honest_links(web, 3) > 0
    sizes = [np.array(some.hosts(0)["size"])[some.hosts(0)["spam"]] for some in (web, fresh)]
    assert len(set(sizes[0].tolist())) > 5
    assert set(sizes[1].tolist()) == {12}


def test_spam_is_stuffed_with_words_of_the_query_log(web: Web) -> None:
    hosts = web.hosts(2)
    words = {word for query in web.queries(5000) for word in query.text.split()}

    def share(slot: int) -> float:
        text = web.text(f"http://{hosts['name'][slot]}/", 2).lower().split()
        return sum(word.strip(".") in words for word in text) / len(text)

    there = [slot for slot, present in enumerate(hosts["present"]) if present]
    spam = np.mean([share(slot) for slot in there if hosts["spam"][slot]])
    other = np.mean([share(slot) for slot in there if not hosts["spam"][slot] and not hosts["failing"][slot]])
    assert spam > 1.5 * other


def test_queries_are_zipfian_and_sum_to_one(web: Web) -> None:
    queries = web.queries(5000)
    assert sum(query.popularity for query in queries) == pytest.approx(1)
    assert queries[0].popularity == pytest.approx(10 * queries[9].popularity)


def test_a_million_million_pages_cost_nothing() -> None:
    web = Web("realistic", seed=7, hosts=10_000_000, pages=1_000_000_000)
    home = web.facts("http://" + web._core.host_name(123_456, 0) + "/")
    assert home is None or home["status"] in (0, 200, 500, 503)


@pytest.mark.parametrize(
    ("preset", "overrides", "said"),
    [
        ("realstic", {}, "did you mean realistic?"),
        ("tiny", {"spam_share": 1.5}, "between 0 and 1"),
        ("tiny", {"hosts": -3}, "above 0"),
        ("tiny", {"months": 65}, "between 1 and 64"),
        ("tiny", {"pages": 5}, "too few"),
        ("tiny", {"uk_share": 0.9, "foreign_share": 0.3}, "not be above 1"),
        ("tiny", {"spam_shar": 0.5}, "did you mean spam_share?"),
    ],
)
def test_a_web_that_cannot_be_is_refused(preset: str, overrides: dict[str, float], said: str) -> None:
    with pytest.raises(SettingError, match=said.replace("?", r"\?")):
        make_settings(preset, overrides)


@pytest.mark.parametrize("month", [-1, 4])
def test_a_month_out_of_range_is_refused(web: Web, month: int) -> None:
    with pytest.raises(SettingError, match="months 0 to 3"):
        web.graph(month)


def test_the_header_of_a_log_makes_the_same_web(web: Web) -> None:
    other = Web("small", seed=5, pages=2_000, tls=True)
    again = Web.from_header(other.header(2))
    assert again.settings == other.settings
    assert again.home_pages(2) == other.home_pages(2)
    assert web.header(0)["overrides"] == {}
