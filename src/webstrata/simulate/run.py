"""Simulated crawls: policies run over a stored web, from the same pages, again and again.

In run i of a simulation with seed k everything is drawn from (k, i): where it begins, what a page takes, what
the policy itself draws; all policies begin alike. So a run is known by its settings, which are kept with what
came out of it.
"""

from __future__ import annotations

import hashlib
import json
import re
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata._core import simulate as core
from webstrata.collection.action import Action
from webstrata.collection.files import make_directory, replace_file
from webstrata.collection.progress import Progress
from webstrata.collection.settings import ResourcesSettings, describe
from webstrata.errors import MissingError, SettingError
from webstrata.simulate.anchors import score_links
from webstrata.simulate.answers import make_answers
from webstrata.simulate.clock import make_clock
from webstrata.simulate.configuration import make_configuration
from webstrata.simulate.harvest import Curve, Ground, Harvest, Trace, measure
from webstrata.simulate.past import find_past
from webstrata.simulate.policies import SimulatedPage, ask, find_policy, known_pagerank, nearest_first
from webstrata.simulate.relevance import find_nodes, find_relevance, read_lines
from webstrata.simulate.settings import SimulateSettings
from webstrata.simulate.web import StoredWeb

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy.typing as npt

    from webstrata.collection import Snapshot
    from webstrata.collection.progress import Task
    from webstrata.simulate.answers import Answers
    from webstrata.simulate.clock import Clock
    from webstrata.simulate.past import SimulatedPast
    from webstrata.simulate.policies import Policy
    from webstrata.simulate.relevance import Relevance

    Numbers = npt.NDArray[np.float64]

NO_LIMIT = 1 << 62
START, POLICY, TIMES, USER, FAILURES = range(5)
"""What is drawn, each from numbers of its own."""
_WEIGHTS = [0.0, 0.5, 0.25, 0.25, 0.0, 0.0]
"""Of the learned policy before it has learned: as best-first."""
_PRIOR = 0.5
"""Of what is known from the past."""
_FIRST_RANKED = 100
"""Pages after which PageRank is found for the first time."""


@dataclass(frozen=True)
class Start:
    """Where runs begin."""

    number: int | None
    """How many are drawn; None for all of them."""
    among: npt.NDArray[np.uint32]

    def draw(self, random: np.random.Generator) -> npt.NDArray[np.uint32]:
        """The pages of one run, in order.

        Examples
        --------
        >>> Start(2, np.array([3, 5, 7], np.uint32)).draw(np.random.default_rng(0)).tolist()
        [5, 7]
        """
        if self.number is None:
            return self.among
        number = min(self.number, len(self.among))
        return np.sort(random.choice(self.among, number, replace=False)).astype(np.uint32)


class Simulation:
    """Policies, and the stored web on which they are run.

    Parameters
    ----------
    snapshot
        With the parts `urls` and `graph`, and `summaries` where text counts.
    settings
        What the crawls obey; by default what the settings files and the environment say.
    policies
        Classes of the user's, by name, beside those that the settings name.
    progress
        Where it reports.

    Examples
    --------
    >>> from webstrata import testing
    >>> snapshot = testing.snapshot()
    >>> settings = SimulateSettings(policy=("breadth-first",), start="homes:1")
    >>> [len(trace.nodes) for trace in Simulation(snapshot, settings).traces()]
    [11]
    >>> harvest = Simulation(snapshot, replace(settings, start="homes", runs=2)).run()
    >>> [round(row.values["recall"][0], 2) for row in harvest.rows()]
    [0.93]
    """

    def __init__(
        self,
        snapshot: Snapshot,
        settings: SimulateSettings | None = None,
        *,
        policies: Mapping[str, type[Policy]] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.snapshot = snapshot
        self.settings = settings or snapshot.settings(SimulateSettings)
        self.progress = progress or Progress()
        self.web = StoredWeb(
            snapshot,
            link_order=self.settings.link_order,
            answers=self.settings.answers,
            progress=self.progress,
        )
        given = dict(policies or {})
        # who brings classes and says nothing else wants no other policy
        named = () if given and self.settings.policy == SimulateSettings().policy else self.settings.policy
        names = [*given, *named]
        # a policy that is none is better said before a long computation
        self.policies = {name: given.get(name) or find_policy(name) for name in dict.fromkeys(names)}
        if "past" in self.policies and not self.settings.knowing:
            raise SettingError("policy: past needs an earlier snapshot; name it with --knowing")
        for sentence in self._stale():
            self.progress.note(sentence)

    def _stale(self) -> list[str]:
        states = self.snapshot.collection.states()
        names = {name: f"{self.snapshot.date}/{name}" for name in ("graph", "summaries")}
        return [
            f"{self.snapshot.path}: {name} is stale ({states[key].why}); run `{states[key].renew}`"
            for name, key in names.items()
            if key in states and states[key].is_stale
        ]

    # ---- what all runs share

    @cached_property
    def relevance(self) -> Relevance:
        """What is looked for."""
        return self._find_relevance(self.web, self.settings.relevant)

    def _find_relevance(self, web: StoredWeb, told: str, *, strict: bool = True) -> Relevance:
        settings = self.settings
        return find_relevance(web, told, threshold=settings.threshold, share=settings.share, strict=strict)

    @cached_property
    def scores(self) -> Numbers:
        """What the crawler sees of each page, once it is fetched."""
        seen = self.settings.seen
        return self._find_relevance(self.web, seen).scores if seen else self.relevance.scores

    @cached_property
    def start(self) -> Start:
        """Where runs begin."""
        told = self.settings.start
        kind, colon, number = told.partition(":")
        if told == "homes":
            return Start(None, self.web.homes())
        if colon and kind in ("relevant", "any", "homes"):
            if not number.isdecimal() or not int(number):
                raise SettingError(f"start: {number!r} is no number of pages; write it as in {kind}:10")
            if kind == "homes":
                among = self.web.homes()
            elif kind == "any":
                among = np.arange(self.web.num_pages, dtype=np.uint32)
            else:
                among = np.flatnonzero(self.relevance.relevant).astype(np.uint32)
            if not len(among):
                raise MissingError(
                    f"{self.snapshot.path}: no page is relevant by {self.settings.relevant!r}; say otherwise "
                    "what is looked for"
                )
            return Start(int(number), among)
        urls = [url for url, _ in read_lines(Path(told))]
        return Start(None, find_nodes(self.web, told, urls).astype(np.uint32))

    @cached_property
    def clock(self) -> Clock | None:
        """Simulated time, where it passes."""
        return make_clock(self.web, self.settings) if self.settings.clock else None

    @cached_property
    def answers(self) -> Answers:
        """What requests bring."""
        return make_answers(self.web, self.settings)

    @cached_property
    def arc_scores(self) -> npt.NDArray[np.float32] | None:
        """For each link what its text says of where it leads, as shark search sees it; None for nothing."""
        settings = self.settings
        if "shark" not in self.policies or not settings.anchor_share:
            return None
        return score_links(self.web, settings.seen or settings.relevant)

    @cached_property
    def past(self) -> SimulatedPast | None:
        """The earlier snapshot that the crawler knows."""
        label = self.settings.knowing
        if not label:
            return None
        if label >= self.snapshot.date:
            raise SettingError(
                f"knowing: {label} is not before {self.snapshot.date}; a crawler knows the past alone"
            )
        then = StoredWeb(self.snapshot.collection[label], progress=self.progress)
        return find_past(then, self.web)

    @cached_property
    def prior(self) -> Numbers | None:
        """What is known of each page from the past."""
        if self.past is None:
            return None
        told = self.settings.seen or self.settings.relevant
        return self.past.carry(self._find_relevance(self.past.web, told, strict=False).scores)

    @cached_property
    def learned_weights(self) -> list[float]:
        """What the learned policy begins with: what it has learned by crawling the earlier snapshot."""
        if self.past is None:
            return _WEIGHTS
        weights = [weight / 2 for weight in _WEIGHTS]
        settings = replace(
            self.settings,
            policy=("learned",),
            knowing="",
            link_order="node",
            answers="pages",
            robots="",
            start="relevant:10",
            max_pages=0,
        )
        then = Simulation(self.past.web.snapshot, settings, progress=self.progress)
        then.relevance = self._find_relevance(self.past.web, self.settings.relevant, strict=False)
        told = self.settings.seen or self.settings.relevant
        then.scores = self._find_relevance(self.past.web, told, strict=False).scores
        if then.relevance.total:
            crawl, _ = then.crawl("learned", 0)
            weights = [weight / 2 for weight in crawl.weights or _WEIGHTS]
        weights[-1] = _PRIOR
        return weights

    @property
    def most(self) -> int:
        """Pages that a crawl may have."""
        return min(self.settings.max_pages or NO_LIMIT, self.web.num_pages)

    @cached_property
    def ground(self) -> Ground:
        """What there is to be found."""
        groups = self.web.hosts
        return Ground(self.relevance.relevant, groups.of_node, len(groups.names), self.most)

    # ---- runs

    def run(self) -> Harvest:
        """All runs of all policies."""
        return Harvest(self.ground.facts, self.configuration(), self._curves())

    def build(self, name: str = "") -> Harvest:
        """The same, kept as the part ``simulation`` of the snapshot, or ``simulation-NAME``."""
        part = f"simulation-{name}" if name else "simulation"
        if not re.fullmatch(r"[a-z0-9-]*", name):
            raise SettingError(f"name: {name!r} has other characters than a to z, digits and '-'")
        changed = {each.name: getattr(self.settings, each.name) for each in describe(type(self.settings))}
        changed = {key: value for key, value in changed.items() if value != getattr(SimulateSettings(), key)}
        self._prepare()
        inputs = tuple(dict.fromkeys(self._inputs()))
        with self.snapshot.write_part(
            part,
            settings=self.settings,
            inputs=inputs,
            renew=Action.on(self.snapshot, "simulate", name=name, **changed).template if name else "",
            progress=self.progress,
        ) as build:
            kept = make_directory(build.folder / "shards")
            harvest = Harvest(self.ground.facts, self.configuration(), self._curves(kept))
            harvest.write(build.path)
            build.count(policies=len(self.policies), runs=self.settings.runs)
        return harvest

    def _prepare(self) -> None:
        """Read what all runs share, so that threads do not do it twice and mistakes are said first."""
        for name in ("ground", "scores", "start", "clock", "answers", "arc_scores"):
            getattr(self, name)
        self.web.lists  # noqa: B018
        if self.settings.knowing:
            self.past  # noqa: B018
            if {"past", "learned"} & set(self.policies):
                self.prior  # noqa: B018
            if "learned" in self.policies:
                self.learned_weights  # noqa: B018
            if "pagerank" in self.policies:
                self._past_rank  # noqa: B018
        if "oracle" in self.policies:
            self._oracle  # noqa: B018

    def _inputs(self) -> list[str]:
        inputs = list(self.web.used)
        if self.past is not None:
            inputs += [f"{self.settings.knowing}/{name}" for name in self.past.web.used]
        return inputs

    def traces(self) -> list[Trace]:
        """The pages of each run in order; those of many long runs take much memory, and `run` does not."""
        return [self.trace(policy, run) for policy in self.policies for run in range(self.settings.runs)]

    def trace(self, policy: str, run: int, task: Task | None = None) -> Trace:
        """One run."""
        return self.crawl(policy, run, task)[1]

    def _curves(self, kept: Path | None = None) -> list[Curve]:
        """The curves of all runs; those in a folder of an interrupted build are taken from there."""
        self._prepare()
        files = json.dumps(self.configuration()["files"], sort_keys=True)
        jobs = [(policy, run) for policy in self.policies for run in range(self.settings.runs)]
        workers = min(self.snapshot.settings(ResourcesSettings).num_workers, len(jobs))
        with self.progress.task("crawling", total=self.most * len(jobs), unit="pages") as task:

            def compute(job: tuple[str, int]) -> Curve:
                # settings and parts are those of the build, or the folder would be gone; files may have
                # changed, and so may a class that is in none
                known = json.dumps([*job, files]).encode()
                path = kept / hashlib.sha256(known).hexdigest()[:32] if kept and job[0] in named else None
                if path is not None and path.is_file():
                    task.advance(0)
                    return Curve.from_bytes(path.read_bytes())
                curve = measure(self.trace(*job, task), self.ground, self.settings.points)
                if path is not None:
                    replace_file(path, curve.to_bytes())
                return curve

            named = set(self.settings.policy)
            if kept is not None and (done := sum(path.is_file() for path in kept.iterdir())):
                self.progress.note(f"{done} of {len(jobs)} runs were done before")

            if workers < 2:
                return [compute(job) for job in jobs]
            with ThreadPoolExecutor(workers) as pool:
                futures = [pool.submit(compute, job) for job in jobs]
                try:
                    wait(futures, return_when=FIRST_EXCEPTION)
                    return [future.result() for future in futures]
                except BaseException:
                    # kernels look at the progress, and end
                    self.progress.cancel()
                    pool.shutdown(cancel_futures=True)
                    raise

    def crawl(self, policy: str, run: int, task: Task | None = None) -> tuple[core.SimulatedCrawl, Trace]:
        """One run, and what is left of it in the core."""
        settings, web = self.settings, self.web
        chosen = self.policies[policy]
        limits = (
            self.most,
            min(settings.max_pages_per_host, 0xFFFFFFFF),
            settings.max_depth,
            settings.max_seconds or float("inf"),
            min(settings.max_urls or 0xFFFFFFFF, 0xFFFFFFFF),
        )
        random = [np.random.default_rng([settings.seed, run, what]) for what in range(5)]
        clock = self.clock.draw(web.num_nodes, random[TIMES]) if self.clock else None
        answers = self.answers.draw(web.num_nodes, random[FAILURES])
        name, extra = self._describe(chosen, random[POLICY])
        hosts = web.visited_hosts
        crawl = core.SimulatedCrawl(
            name, hosts.of_node, len(hosts.names), limits, clock=clock, answers=answers, **extra
        )
        seeds = self.start.draw(random[START])
        crawl.begin(seeds)
        if isinstance(chosen, type):
            nodes, times = self._ask(crawl, chosen(), random[USER], task)
        elif chosen == "pagerank" and not settings.knowing:
            nodes, times = self._rank(crawl, task)
        else:
            arcs = self.arc_scores if chosen == "shark" else None
            nodes, times = crawl.run(web.lists, self._all_scores, NO_LIMIT, _advance(task), arcs)
        requests, failed, lost, robots = crawl.requests
        return crawl, Trace(policy, run, seeds, nodes, times, (requests, failed, lost, robots))

    def _describe(
        self, policy: str | type[Policy], random: np.random.Generator
    ) -> tuple[str, dict[str, Any]]:
        """What the core calls a policy, and the numbers that it needs."""
        num_nodes, spread = self.web.num_nodes, self.web.spread
        if isinstance(policy, type):
            return "given", {}
        if policy == "random":
            return policy, {"numbers": random.standard_exponential(num_nodes)}
        if policy == "shark":
            return policy, {"parameter": self.settings.decay, "share": self.settings.anchor_share}
        if policy == "learned":
            return policy, {
                "parameter": self.settings.learning_rate,
                "weights": self.learned_weights,
                "numbers": None if self.prior is None else spread(self.prior),
            }
        if policy == "oracle":
            return "fixed", {"numbers": spread(self._oracle)}
        if policy == "past" and self.prior is not None:
            return "fixed", {"numbers": spread(self.prior)}
        if policy == "pagerank":
            return "fixed", {"numbers": spread(self._past_rank)}
        return policy, {}

    @cached_property
    def _all_scores(self) -> Numbers:
        return np.append(self.scores, np.zeros(len(self.web.stand_for)))

    @cached_property
    def _past_rank(self) -> Numbers:
        return self.past.pagerank() if self.past else np.zeros(self.web.num_pages)

    @cached_property
    def _oracle(self) -> Numbers:
        return nearest_first(self.web.graph, self.relevance.relevant)

    def _rank(self, crawl: core.SimulatedCrawl, task: Task | None) -> tuple[npt.NDArray[np.uint32], Numbers]:
        """Crawl on, with another PageRank each time that half as much again was fetched."""
        nodes, times = np.zeros(0, np.uint32), np.zeros(0)
        until = _FIRST_RANKED
        while True:
            more, when = crawl.run(self.web.lists, self._all_scores, until, _advance(task))
            nodes, times = np.concatenate([nodes, more]), np.concatenate([times, when])
            if len(nodes) < until:
                return nodes, times
            crawl.set_keys(self.web.spread(known_pagerank(self.web.graph, nodes)))
            until += until // 2

    def _ask(
        self, crawl: core.SimulatedCrawl, policy: Policy, random: np.random.Generator, task: Task | None
    ) -> tuple[npt.NDArray[np.uint32], Numbers]:
        """Crawl by a policy of the user's, page by page."""
        lists, urls = self.web.lists, self.web.urls
        nodes, times = [], []
        policy.begin(self.web, random)
        while (found := crawl.next()) is not None:
            node, key, time = found
            if isinstance(lists, tuple):
                links = lists[1][int(lists[0][node]) : int(lists[0][node + 1])]
            else:
                links = lists.successors(node)
            if node >= self.web.num_pages:
                # what stands for a page passes on what it was fetched for
                crawl.offer(node, links, np.full(len(links), key))
                continue
            page = SimulatedPage(node, links, float(self.scores[node]), key, time)
            if len(links):
                crawl.offer(node, links, ask(policy, page, urls[node]))
            nodes.append(node)
            times.append(time)
            if task:
                task.advance()
        return np.array(nodes, np.uint32), np.array(times, np.float64)

    def configuration(self) -> dict[str, Any]:
        """Every setting, the parts with their checksums, and the files that were named with theirs."""
        return make_configuration(self.snapshot, self.settings, self._inputs())


def _advance(task: Task | None) -> Callable[[int], None] | None:
    return task.advance if task else None
