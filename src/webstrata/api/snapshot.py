"""A snapshot as users hold it: its parts, and the verbs that are about one snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from webstrata.api.crawling import Crawling
from webstrata.api.former_keywords import rename_keywords
from webstrata.collection.tables import ArrowTable, Rows

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Sequence
    from os import PathLike
    from typing import Unpack

    import numpy.typing as npt

    from webstrata import keywords
    from webstrata.api.collection import Collection
    from webstrata.classify.experiments import Experiment
    from webstrata.classify.features.feature_sets import MadeSets
    from webstrata.classify.gate.training import TrainedGate
    from webstrata.classify.learning.model_file import HostModel
    from webstrata.classify.learning.results import HostScores
    from webstrata.collection.description import BuiltParts, Description
    from webstrata.collection.progress import Progress
    from webstrata.graph.build import StoredGraph
    from webstrata.graph.check import GraphCheck
    from webstrata.graph.releases.ingest import ReleaseResult
    from webstrata.graph.structure import Structure
    from webstrata.rank.plane import Plane
    from webstrata.rank.published import PublishedComparison
    from webstrata.rank.ranking import Ranking
    from webstrata.rank.spectra import Spectrum
    from webstrata.simulate.harvest import Harvest
    from webstrata.store.captures import StoredCapture
    from webstrata.store.duplicates.report import Duplicates
    from webstrata.store.export import ExportResult, Format
    from webstrata.store.ingest.into import BundleResult
    from webstrata.store.ingest.run import IngestResult
    from webstrata.store.wikipedia.tables import TablesResult
    from webstrata.summaries.archive import Archive
    from webstrata.summaries.statistics import Statistics
    from webstrata.web.server import Server


class Snapshot(Crawling):
    """One dated crawl in a collection."""

    @property
    def _all(self) -> Collection:
        """Its collection, which is that of this package."""
        return cast("Collection", self.collection)

    def build(
        self,
        *parts: str,
        again: bool = False,
        workers: int | None = None,
        progress: Progress | None = None,
        **settings: Unpack[keywords.BuildKeywords],
    ) -> BuiltParts:
        """Build parts by name where they are missing or stale, inputs first; the records of those built.

        Settings of the named parts are keywords; they are remembered in `collection.toml`.
        """
        return self._all.build(
            *parts, snapshots=[self.date], again=again, workers=workers, progress=progress, **settings
        )

    def show(self) -> Description:
        """Its parts with their sizes, and which of them are stale."""
        return self._all.show(self.date)

    # ---- pages

    def ingest(
        self,
        *files: str | PathLike[str],
        wikipedia: str | PathLike[str] | None = None,
        webgraph: str | PathLike[str] | None = None,
        wikilinks: str | PathLike[str] | None = None,
        base_url: str = "",
        copy: Literal["as-is", "rewrite"] = "as-is",
        strict: bool = False,
        add: bool = False,
        again: bool = False,
        progress: Progress | None = None,
        **settings: Unpack[keywords.WikipediaKeywords],
    ) -> IngestResult | TablesResult | BundleResult | ReleaseResult:
        """Make the captures in files (or patterns, ``crawl/*.warc.gz``), a dump or a graph this snapshot."""
        from webstrata.pipeline.ingesting import ingest_anything

        return ingest_anything(
            self._all,
            self.date,
            files,
            wikipedia=wikipedia,
            webgraph=webgraph,
            wikilinks=wikilinks,
            options={**settings},
            base_url=base_url,
            copy=copy,
            strict=strict,
            add=add,
            again=again,
            progress=progress,
        )

    @rename_keywords(into="output")
    def export(
        self, kind: Format, output: str | PathLike[str] | None = None, *, progress: Progress | None = None
    ) -> ExportResult:
        """Write this snapshot in a format that other programs read, as ``"wacz"`` or ``"parquet"``."""
        from webstrata.store.export import choose_target, export

        return export(self, kind, choose_target(self, kind, output), progress=progress)

    def store(
        self,
        *,
        parts: str | Iterable[str] | None = None,
        renumber: bool = False,
        workers: int | None = None,
        progress: Progress | None = None,
        **settings: Unpack[keywords.StoreKeywords],
    ) -> BuiltParts:
        """Build text, links and anchors where they are missing or stale; the records of those built."""
        from webstrata.pipeline.steps import store_snapshot

        return store_snapshot(
            self, {**settings}, parts=parts, renumber=renumber, workers=workers, progress=progress
        )

    def capture(self, url: str, at: dt.datetime | str | None = None) -> StoredCapture:
        """The last capture of a URL in this snapshot, of those at or before a time, or `MissingError`."""
        from webstrata.store.captures import AllCaptures, find_capture

        # a payload may be in another snapshot; these are opened only if it is
        others = AllCaptures(self._all).list
        return find_capture([self.captures], url, at, where=str(self.path), others=others)

    get = capture

    @rename_keywords(top="limit")
    def duplicates(
        self,
        *,
        across: bool = False,
        near: bool = False,
        method: Literal["fingerprint", "simhash"] = "fingerprint",
        similarity: float = 0.8,
        resemblance: float = 0.9,
        memory: int = 1024,
        distance: int = 3,
        against_truth: bool = False,
        limit: int = 10,
        progress: Progress | None = None,
    ) -> Duplicates:
        """The pages that are duplicates of each other, exact or near."""
        from webstrata.store.duplicates.report import find_duplicates

        return find_duplicates(
            self,
            across=across,
            near=near,
            method=method,
            similarity=similarity,
            resemblance=resemblance,
            memory=memory,
            distance=distance,
            against_truth=against_truth,
            top=limit,
            progress=progress,
        )

    # ---- graph, ranks and terms

    def graph_build(
        self,
        *,
        order: Literal["row-key", "bfs", "llp"] = "row-key",
        progress: Progress | None = None,
        **settings: Unpack[keywords.GraphKeywords],
    ) -> StoredGraph:
        """Compress the links between pages; the graph."""
        parts = ("graph",) if order == "row-key" else ("graph", f"graph-{order}")
        self._all.build(*parts, snapshots=[self.date], progress=progress, **settings)
        self.__dict__.pop("graph", None)
        return self.graph

    def graph_stats(
        self,
        *,
        distances: bool = True,
        registers: int = 64,
        runs: int = 4,
        sample: int = 20_000,
        progress: Progress | None = None,
    ) -> Structure:
        """Degrees, components, bow tie, clustering and distances of the graph."""
        from webstrata.graph.structure import describe_structure

        return describe_structure(
            self.graph,
            self.graph.transpose(),
            with_distances=distances,
            registers=registers,
            runs=runs,
            sample=sample,
            urls=self.urls,
            progress=progress,
        )

    def graph_links(
        self,
        url: str,
        *,
        inward: bool = False,
        hops: int = 1,
        anchors: bool = False,
        level: Literal["pages", "hosts", "domains"] = "pages",
    ) -> Rows:
        """The pages that a page links to, or that link to it."""
        from webstrata.graph.near import list_links

        return list_links(self, url, inward=inward, hops=hops, anchors=anchors, level=level)

    def graph_check(self, *, progress: Progress | None = None) -> GraphCheck:
        """Decode the whole graph, and report what of its files is damaged."""
        from webstrata.graph.check import check_stored

        return check_stored(self, progress=progress)

    def graph_convert(
        self,
        out: str | PathLike[str],
        *,
        to: str,
        transpose: bool = False,
        progress: Progress | None = None,
        **settings: Unpack[keywords.CompressionKeywords],
    ) -> tuple[int, int]:
        """Write the graph in another format; the numbers of its nodes and arcs."""
        from webstrata.graph.interchange import convert
        from webstrata.graph.settings import GraphSettings

        parameters = GraphSettings.read(options={**settings})
        names = self.urls.show_keys() if self.graph.num_nodes == len(self.urls) else None
        return convert(
            self.graph, Path(out), to, turned=transpose, names=names, parameters=parameters, progress=progress
        )

    def links_server(
        self, *, host: str = "127.0.0.1", port: int = 0, **settings: Unpack[keywords.ServerKeywords]
    ) -> Server:
        """A server that answers questions about links over HTTP; its `run` starts it and blocks."""
        from webstrata.serve.http_api.links import make_links_app
        from webstrata.web.server import Server
        from webstrata.web.settings import ServerSettings

        chosen = self._all.settings(ServerSettings, {**settings})
        return Server(make_links_app(self.connectivity), host=host, port=port, settings=chosen)

    def rank(
        self,
        method: str = "pagerank",
        *,
        preference: npt.ArrayLike | None = None,
        progress: Progress | None = None,
        **settings: Unpack[keywords.RankKeywords],
    ) -> Ranking:
        """The ranking of its nodes by a method; stored scores are read if their settings are the same."""
        from webstrata.rank.settings import RankSettings
        from webstrata.rank.stored import rank_snapshot

        chosen = self.settings(RankSettings, {"method": method, **settings})
        return rank_snapshot(self, chosen, preference=preference, progress=progress)

    def compare_ranks(
        self, *, methods: Sequence[str] = ("harmonic", "pagerank"), limit: int = 10,
        progress: Progress | None = None,
    ) -> PublishedComparison:  # fmt: skip
        """Our ranks compared with those that the web graph release of this snapshot publishes."""
        from webstrata.rank.published import compare_published

        return compare_published(self, methods, limit=limit, progress=progress)

    def plane(self, *, progress: Progress | None = None, **settings: Unpack[keywords.PlaneKeywords]) -> Plane:
        """How nodes are spread over their ranks by PageRank and CheiRank."""
        from webstrata.pipeline.steps import compute_plane

        return compute_plane(self, {**settings}, progress=progress)

    def spectrum(
        self, *, progress: Progress | None = None, **settings: Unpack[keywords.SpectrumKeywords]
    ) -> Spectrum:
        """The spectrum of its graph's matrix G at α = 1, or of G* with ``inverse=True``; it is stored."""
        from webstrata.rank.spectra.build import build_spectrum
        from webstrata.rank.spectra.settings import SpectrumSettings

        return build_spectrum(self, self.settings(SpectrumSettings, {**settings}), progress=progress)

    def summaries_build(
        self, *, progress: Progress | None = None, **settings: Unpack[keywords.SummariesKeywords]
    ) -> Archive:
        """Count the terms of its pages, and compress the counts; the archive."""
        self._all.build("summaries", snapshots=[self.date], progress=progress, **settings)
        self.__dict__.pop("summaries", None)
        return self.summaries

    @rename_keywords(top="limit")
    def summaries_show(self, url: str, *, limit: int | None = None) -> Rows:
        """The terms of a page with their counts, the most frequent first."""
        from webstrata.summaries.listing import list_terms

        return list_terms(self, url, top=limit)

    def summaries_stats(self, *, best_codes: bool = False, progress: Progress | None = None) -> Statistics:
        """What the archive of summaries takes, and which codes would take less."""
        from webstrata.summaries.statistics import describe_archive

        return describe_archive(self.summaries, with_codes=best_codes, progress=progress)

    # ---- hosts

    def features(self, name: str) -> ArrowTable:
        """The features of a set (`A`, `B`, `link`, …), one row per host.

        Examples
        --------
        >>> from webstrata import testing
        >>> june = testing.snapshot()
        >>> _ = june.classify_features(sets="A")
        >>> june.features("A").to_arrow().select(["host", "home_words"]).to_pylist()[:2]
        [{'host': 'garden.example', 'home_words': 37.0}, {'host': 'kitchen.example', 'home_words': 37.0}]
        """
        from webstrata.classify.features.feature_sets import read_features

        return ArrowTable(f"features {name}", read_features(self, name))

    def classify_features(
        self,
        *,
        webspam: str | PathLike[str] | None = None,
        progress: Progress | None = None,
        **settings: Unpack[keywords.ClassifyKeywords],
    ) -> MadeSets:
        """Measure its hosts: what their pages say, and who links to them; `features` reads the result.

        With `webspam`, the folder of a published data set, store the features that it has.
        """
        from webstrata.classify.features.feature_sets import MadeSets, build_features
        from webstrata.classify.published.dataset import find_published, store_features
        from webstrata.classify.settings import ClassifySettings

        chosen = self.settings(ClassifySettings, {**settings})
        if webspam is not None:
            made = store_features(self, find_published(Path(webspam)), chosen, progress=progress)
        else:
            made = build_features(self, chosen, progress=progress)
        self._all.remember(ClassifySettings, {**settings})
        return MadeSets(made)

    def classify_train(
        self,
        labels: str | PathLike[str],
        *,
        task: str = "spam",
        test: str | PathLike[str] | None = None,
        sets: Sequence[str] = (),
        output: str | PathLike[str] | None = None,
        progress: Progress | None = None,
        **settings: Unpack[keywords.TrainKeywords],
    ) -> HostModel:
        """Learn from labels what tells hosts apart; the model, which is written to `output` if named.

        With `test`, the file of an official test set, it is measured on that too.
        """
        from webstrata.classify.learning.lessons import train_model
        from webstrata.classify.settings import TrainSettings

        chosen = self.settings(TrainSettings, {**settings})
        return train_model(
            self, labels, task=task, test=test, sets=sets, output=output, settings=chosen, progress=progress
        )

    def classify_predict(
        self,
        model: HostModel | str | PathLike[str],
        *,
        hosts: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> HostScores:
        """The scores of its hosts, or of some, by a model or the file of one, the highest first."""
        from webstrata.classify.learning.lessons import open_model, predict_hosts

        return predict_hosts(self, open_model(model), hosts=hosts, progress=progress)

    def classify_gate(
        self,
        labels: str | PathLike[str],
        *,
        task: str = "spam",
        output: str | PathLike[str] | None = None,
        progress: Progress | None = None,
        **settings: Unpack[keywords.GateKeywords],
    ) -> TrainedGate:
        """Learn a gate from labelled hosts: what `crawl` takes to stop at the first pages of a host."""
        from webstrata.classify.learning.lessons import learn_gate
        from webstrata.classify.settings import GateSettings

        chosen = self.settings(GateSettings, {**settings})
        return learn_gate(self, labels, task=task, output=output, settings=chosen, progress=progress)

    def classify_experiment(
        self,
        labels: str | PathLike[str] | None = None,
        *,
        webspam: str | PathLike[str] | None = None,
        task: str = "spam",
        test: str | PathLike[str] | None = None,
        tasks: Sequence[str] | None = None,
        sets: Sequence[str] = (),
        draws: int = 10,
        progress: Progress | None = None,
        **settings: Unpack[keywords.TrainKeywords],
    ) -> Experiment:
        """Compare feature sets and models by labels, as the tables of SPAM do.

        With `test`, the file of an official test set, every AUC is measured on its hosts. With `webspam`, the
        folder of a published data set, features, labels and test set are those of it.
        """
        from webstrata.classify.experiments import run_experiment
        from webstrata.classify.learning.lessons import find_labels
        from webstrata.classify.settings import TrainSettings

        known, measured = find_labels(self, labels, test=test, webspam=webspam, task=task, progress=progress)
        chosen = self.settings(TrainSettings, {**settings})
        return run_experiment(
            self,
            known,
            task,
            test=measured,
            tasks=tasks,
            sets=sets,
            settings=chosen,
            draws=draws,
            progress=progress,
        )

    # ---- simulated crawls and the synthetic web

    def simulate(
        self,
        *,
        name: str | None = None,
        progress: Progress | None = None,
        **settings: Unpack[keywords.SimulateKeywords],
    ) -> Harvest:
        """What simulated crawls of its pages find; with `name`, stored as the part ``simulation-NAME``.

        Examples
        --------
        >>> from webstrata import testing
        >>> harvest = testing.snapshot().simulate(policy=("breadth-first", "shark"), relevant="query:fish")
        >>> [(row.policy, round(row.values["recall"][0], 2)) for row in harvest.rows()]
        [('breadth-first', 1.0), ('shark', 1.0)]
        """
        from webstrata.simulate.run import Simulation
        from webstrata.simulate.settings import SimulateSettings

        simulation = Simulation(self, self.settings(SimulateSettings, {**settings}), progress=progress)
        return simulation.run() if name is None else simulation.build(name)

    def simulation(self, name: str = "") -> Harvest:
        """The stored result of a simulation, by its name."""
        from webstrata.simulate.harvest import Harvest

        with self.open_part(f"simulation-{name}" if name else "simulation") as part:
            return Harvest.read(part.path)

    def invitro_truth(
        self,
        *,
        preset: str = "realistic",
        seed: int = 0,
        month: int = 0,
        progress: Progress | None = None,
        **settings: Unpack[keywords.InvitroKeywords],
    ) -> dict[str, Any]:
        """Write what is true of a month of the synthetic web as the part `truth`; its counts."""
        from webstrata.invitro.truth import write_truth

        return write_truth(self, preset, seed, month, {**settings}, progress=progress)
