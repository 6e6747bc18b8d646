"""Rules by which dynamic URLs are aligned, learned from pages that are the same under several URLs.

A rule belongs to a host (without ``www.``) and is of a kind:

==============  ===========================================================================================
``parameter``   the parameter of that name makes no difference: a session identifier, where one came from
``order``       the order of the parameters makes none; its name is ``order``
==============  ===========================================================================================

Two URLs that differ in one parameter alone, or in the order of parameters alone, are a **pair**; it speaks
for the rule if both showed the same page (the same fingerprint or, where they have none, the same digest;
or one a duplicate of the other), else against it. Pairs within a snapshot are counted as
`webstrata.web.dust` does it. A session identifier that changes from month to month has no pairs there, so
URLs of successive snapshots are compared too. Their pages may differ because time went by: of n such pairs
only n·s can be expected to agree, s being the share of pages that are unchanged between the two snapshots
under the same URL. With a and d pairs for and against it within snapshots, and a' of n' across,

    support = a + a'        precision = (a + a') / (a + d + max(a', n'·s))

Most hosts have too few pairs to say anything by themselves, and the same software runs on many of them. So
the pairs of all hosts are added up too, for a rule of host ``*`` that holds for the whole collection. No host
counts with more pairs than a rule needs, so that none decides alone, and `HOSTS` of them must speak for it.
A rule for all does not hold on hosts whose own pairs fall short of the precision: these are its exceptions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from webstrata.collection.progress import Progress
from webstrata.store.pages import Pages
from webstrata.store.urls import Urls
from webstrata.web.dust import MAX_HOSTS, MAX_PAGES, MAX_PARAMETERS, Learner, strip
from webstrata.web.fingerprint import RULE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from webstrata.collection import Snapshot

PARAMETER, ORDER = "parameter", "order"
EVERYWHERE = "*"
"""In place of a host: the rule is for the whole collection."""
HOSTS = 5
"""That must speak for a rule of the whole collection."""
SAMPLE = 20_000
"""Pages of a snapshot by which it is estimated how many are unchanged in the next."""
_BLOCK = 1 << 17


@dataclass(frozen=True)
class AlignmentRule:
    """Something about the URLs of a host that makes no difference."""

    host: str
    kind: str
    name: str
    support: int
    precision: float
    across: int = 0
    """Of its support, pairs in two snapshots."""
    hosts: int = 1
    """That speak for it."""
    exceptions: Sequence[str] = ()
    """Of a rule for the whole collection: hosts that speak against it."""

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self) | {"exceptions": list(self.exceptions)}


class _Seen(NamedTuple):
    """The dynamic URLs of a snapshot: host, path and query, and what was shown."""

    host: str
    target: str
    content: int


class _Tally:
    """Pairs for and against each rule, within snapshots and across."""

    def __init__(self) -> None:
        self.agree: Counter[tuple[str, str, str]] = Counter()
        self.differ: Counter[tuple[str, str, str]] = Counter()
        self.agree_across: Counter[tuple[str, str, str]] = Counter()
        self.expected: defaultdict[tuple[str, str, str], float] = defaultdict(float)
        """Of the pairs across, those that would agree if the rule held."""

    def _pairs(self, key: tuple[str, str, str]) -> float:
        """Those that were found within snapshots, and those across that should agree."""
        return self.agree[key] + self.differ[key] + max(self.agree_across[key], self.expected[key])

    def rules(self, support: int, precision: float) -> list[AlignmentRule]:
        """Those of hosts with enough pairs, and those of the whole collection."""
        if not support:
            return []
        found = []
        by_name: defaultdict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
        for key in sorted({*self.agree, *self.differ, *self.agree_across, *self.expected}):
            across = self.agree_across[key]
            speaking, pairs = self.agree[key] + across, self._pairs(key)
            if pairs:
                by_name[key[1:]].append(key)
            if speaking >= support and speaking / pairs >= precision:
                found.append(AlignmentRule(*key, speaking, round(speaking / pairs, 4), across))
        everywhere = (self._everywhere(keys, support, precision) for _, keys in sorted(by_name.items()))
        return [*(rule for rule in everywhere if rule), *found]

    def _everywhere(
        self, keys: Sequence[tuple[str, str, str]], support: int, precision: float
    ) -> AlignmentRule | None:
        """The rule for all hosts, if the pairs of all together speak for it."""
        pairs = np.array([self._pairs(key) for key in keys])
        across = np.array([self.agree_across[key] for key in keys])
        speaking = np.array([self.agree[key] for key in keys]) + across
        # no host counts with more pairs than a rule needs
        weights = np.minimum(1.0, support / pairs)
        share = float((weights * speaking).sum() / (weights * pairs).sum())
        hosts = int((speaking > 0).sum())
        if hosts < HOSTS or speaking.sum() < support or share < precision:
            return None
        against = tuple(key[0] for key, own in zip(keys, speaking / pairs, strict=True) if own < precision)
        return AlignmentRule(
            EVERYWHERE,
            *keys[0][1:],
            support=int(speaking.sum()),
            precision=round(share, 4),
            across=int(across.sum()),
            hosts=hosts,
            exceptions=against,
        )


def learn_rules(
    snapshots: Sequence[Snapshot], *, support: int, precision: float, progress: Progress | None = None
) -> list[AlignmentRule]:
    """The rules that the pages of snapshots speak for, by host and name; those without `pages` say nothing.

    Examples
    --------
    >>> from webstrata import testing
    >>> names = ["cod", "eel", "fish", "reef", "sea"]
    >>> pages = {f"http://a.example/{name}?sid={n}": f"<p>{name}" for name in names for n in (1, 2)}
    >>> [rule] = learn_rules([testing.snapshot_of(pages)], support=5, precision=0.98)
    >>> rule.host, rule.kind, rule.name, rule.support
    ('a.example', 'parameter', 'sid', 5)
    """
    tally = _Tally()
    earlier: dict[str, dict[tuple[str, str], tuple[str, int]]] = {}
    before: Snapshot | None = None
    with (progress or Progress()).task("learning rules", total=len(snapshots), unit="snapshots") as task:
        for snapshot in snapshots:
            if "pages" in snapshot.parts and "urls" in snapshot.parts:
                seen = list(_scan(snapshot))
                _count_within(seen, tally)
                forms = _group_forms(seen)
                if before is not None:
                    _count_across(earlier, forms, share_unchanged(before, snapshot), tally)
                earlier, before = forms, snapshot
            task.advance()
    return tally.rules(support, precision)


def _scan(snapshot: Snapshot) -> Iterator[_Seen]:
    """The dynamic URLs of a snapshot, duplicates too; of each host no more than the learner remembers."""
    with snapshot.open_part("urls") as urls_part, snapshot.open_part("pages") as pages_part:
        urls = Urls(urls_part.path)
        contents = _contents(Pages(pages_part.path))
        nodes = np.arange(len(urls), dtype=np.int64)
        others = urls.others
        if "reason" in others.column_names:
            others = others.filter(pc.equal(pc.cast(others["reason"], pa.string()), "duplicate"))
        others = others.filter(pc.is_valid(others["node"]))
        counts: Counter[str] = Counter()
        for column, stands_for in (
            (urls.key_column, nodes),
            (others["row_key"], others["node"].to_numpy().astype(np.int64)),
        ):
            for start in range(0, len(column), _BLOCK):
                keys = column.slice(start, _BLOCK)
                is_dynamic = pc.match_substring_regex(keys, "[?;]")
                places = np.flatnonzero(is_dynamic.to_numpy())
                for key, node in zip(
                    keys.filter(is_dynamic).to_pylist(), stands_for[start + places].tolist(), strict=True
                ):
                    host, target = _split(key)
                    counts[host] += 1
                    if counts[host] <= MAX_PAGES and len(counts) <= MAX_HOSTS:
                        yield _Seen(host, target, int(contents[node]))


def _contents(pages: Pages) -> npt.NDArray[np.uint64]:
    """A number for what each node shows: its fingerprint, or a hash of its digest where it has none.

    Fingerprints of webstrata 0.1.0 follow another rule and are not compared with those of today.
    """
    table = pages.table("fingerprint", "content_digest")
    known = pc.is_valid(table["fingerprint"]).to_numpy() & (pages.fingerprint_rule == RULE)
    found: npt.NDArray[np.uint64] = pc.fill_null(table["fingerprint"], 0).to_numpy().astype(np.uint64)
    if not known.all():
        digests = pc.fill_null(table["content_digest"].filter(pa.array(~known)), "").to_pylist()
        hashed = [hash_text(digest) if digest else node for node, digest in enumerate(digests)]
        found = found.copy()
        found[~known] = np.array(hashed, np.uint64)
    return found


def hash_text(text: str) -> int:
    """A number of 64 bits for a text, the same everywhere.

    Examples
    --------
    >>> hash_text("sha1:ABC") == hash_text("sha1:ABC") != hash_text("sha1:ABD")
    True
    """
    import hashlib

    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _split(key: str) -> tuple[str, str]:
    """Host without ``www``, and path with query, of a row key."""
    reversed_host, _, rest = key.partition(")")
    labels = reversed_host.split(",")
    if labels[-1] == "www" and len(labels) > 2:
        labels.pop()
    return ".".join(reversed(labels)), rest.partition(" ")[0]


def _count_within(seen: Iterable[_Seen], tally: _Tally) -> None:
    learner = Learner(support=1)
    orders: dict[tuple[str, str], tuple[str, int]] = {}
    for page in seen:
        learner.note(page.host, page.target, page.content)
        sorted_target = sort_parameters(page.target)
        first = orders.setdefault((page.host, sorted_target), (page.target, page.content))
        if first[0] != page.target:
            counter = tally.agree if first[1] == page.content else tally.differ
            counter[page.host, ORDER, ORDER] += 1
    for host, name, agree, differ in learner.pairs():
        tally.agree[host, PARAMETER, name] += agree
        tally.differ[host, PARAMETER, name] += differ


def _group_forms(seen: Iterable[_Seen]) -> dict[str, dict[tuple[str, str], tuple[str, int]]]:
    """By host: (parameter, URL without it) and (order, sorted URL), each with a URL and what it showed."""
    found: dict[str, dict[tuple[str, str], tuple[str, int]]] = defaultdict(dict)
    for page in seen:
        forms = found[page.host]
        names = [field.partition("=")[0] for field in _fields(page.target)]
        if len(names) <= MAX_PARAMETERS:
            for name in dict.fromkeys(names):
                # values that change their place too are pairs of the rule of order
                bare = sort_parameters(strip(page.target, [name]))
                forms.setdefault((name, bare), (page.target, page.content))
        if len(names) > 1:
            forms.setdefault(("", sort_parameters(page.target)), (page.target, page.content))
    return found


def _count_across(
    earlier: Mapping[str, Mapping[tuple[str, str], tuple[str, int]]],
    later: Mapping[str, Mapping[tuple[str, str], tuple[str, int]]],
    unchanged: float,
    tally: _Tally,
) -> None:
    for host, forms in later.items():
        known = earlier.get(host, {})
        for (name, bare), (target, content) in forms.items():
            then = known.get((name, bare))
            if then is None or then[0] == target:
                continue  # under the same URL it says nothing
            if name and sort_parameters(then[0]) == sort_parameters(target):
                continue  # the order differs, and no value
            key = (host, PARAMETER, name) if name else (host, ORDER, ORDER)
            tally.agree_across[key] += then[1] == content
            tally.expected[key] += unchanged


def share_unchanged(one: Snapshot, two: Snapshot, sample: int = SAMPLE) -> float:
    """The share of pages that show the same under the same URL in both snapshots, by a sample; 1 for none.

    Examples
    --------
    >>> from webstrata import testing
    >>> collection = testing.collection()
    >>> round(share_unchanged(collection["2026-04"], collection["2026-05"]), 2)
    0.75
    """
    contents, keys = [], []
    for snapshot in (one, two):
        urls_part = snapshot.open_part("urls")
        keys.append(Urls(urls_part.path, urls_part))
        with snapshot.open_part("pages") as part:
            contents.append(_contents(Pages(part.path)))
    step = max(len(keys[0]) // sample, 1)
    nodes = np.arange(0, len(keys[0]), step)
    found = keys[1].find(keys[0].keys_of(nodes))
    # what stands for another page, or for none, tells nothing about change
    same_key = np.zeros(len(nodes), bool)
    there = np.flatnonzero(found >= 0)
    if len(there):
        own = pc.equal(keys[1].keys_of(found[there]), keys[0].keys_of(nodes[there]))
        same_key[there] = own.to_numpy(zero_copy_only=False)
    if not same_key.any():
        return 1.0
    return float((contents[0][nodes[same_key]] == contents[1][found[same_key]]).mean())


# ---- applying


def apply_rules(rules: Iterable[AlignmentRule], keys: Iterable[str]) -> list[str]:
    """Row keys as the rules of their hosts, and of all hosts, write them.

    Examples
    --------
    >>> kinds = (("parameter", "sid"), ("order", "order"))
    >>> rules = [AlignmentRule("a.org", kind, name, 9, 1.0) for kind, name in kinds]
    >>> apply_rules(rules, ["org,a)/b;sid=1?z=2&c=1 8080", "org,b)/?sid=1"])
    ['org,a)/b?c=1&z=2 8080', 'org,b)/?sid=1']
    """
    by_host: dict[str, list[AlignmentRule]] = defaultdict(list)
    for rule in rules:
        by_host[rule.host].append(rule)
    everywhere = [(rule, frozenset(rule.exceptions)) for rule in by_host.pop(EVERYWHERE, [])]

    @cache
    def of_host(host: str) -> tuple[list[str], bool]:
        """Parameters that make no difference on a host, and whether their order makes none."""
        own = [*by_host.get(host, ()), *(rule for rule, exceptions in everywhere if host not in exceptions)]
        names = dict.fromkeys(rule.name for rule in own if rule.kind == PARAMETER)
        return list(names), any(rule.kind == ORDER for rule in own)

    written = []
    for key in keys:
        host, target = _split(key)
        names, is_unordered = of_host(host)
        if names or is_unordered:
            start, _, rest = key.partition(")")
            behind = rest[len(target) :]
            target = strip(target, names)
            key = f"{start}){sort_parameters(target) if is_unordered else target}{behind}"
        written.append(key)
    return written


def keep_rules(rules: Iterable[AlignmentRule], refused: Sequence[str]) -> list[AlignmentRule]:
    """The rules without those that the user refuses, as ``example.org sid``, or ``* sid`` for all hosts.

    Examples
    --------
    >>> keep_rules([AlignmentRule("a.org", "parameter", "sid", 9, 1.0)], ["a.org sid"])
    []
    """
    unwanted = {tuple(text.split()) for text in refused}
    return [rule for rule in rules if (rule.host, rule.name) not in unwanted]


def sort_parameters(target: str) -> str:
    """Path and query with the parameters of the query in order.

    Examples
    --------
    >>> sort_parameters("/a?z=1&b=2"), sort_parameters("/a")
    ('/a?b=2&z=1', '/a')
    """
    path, mark, query = target.partition("?")
    return f"{path}{mark}{'&'.join(sorted(query.split('&')))}"


def _fields(target: str) -> list[str]:
    path, _, query = target.partition("?")
    return [field for field in [*path.split(";")[1:], *query.split("&")] if field]
