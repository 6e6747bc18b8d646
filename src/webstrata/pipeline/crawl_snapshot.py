"""Crawls a snapshot from seeds, or from a synthetic web that is served for as long as it takes."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.collection.files import explained
from webstrata.collection.progress import Progress
from webstrata.collection.settings import ResourcesSettings
from webstrata.crawl.changes import kept_changes
from webstrata.crawl.recovery import can_go_on, is_finished
from webstrata.crawl.run import Crawl
from webstrata.crawl.seeds import name_source
from webstrata.crawl.settings import CrawlSettings
from webstrata.errors import UsageError, WebstrataError
from webstrata.pipeline.crawl_priority import find_priority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from webstrata.api import Collection
    from webstrata.classify.gate.model import Gate
    from webstrata.crawl.control import Listener
    from webstrata.crawl.hosts import Hosts
    from webstrata.crawl.results import CrawlResult


def crawl_snapshot(
    collection: Collection,
    label: str,
    *,
    seeds: str | PathLike[str] | Iterable[str] | None = None,
    invitro: str | None = None,
    invitro_seed: int = 0,
    month: int = 0,
    log: str | PathLike[str] | None = None,
    gate: str | PathLike[str] | None = None,
    gate_links: bool = True,
    again: bool = False,
    parse_pages: bool = True,
    options: Mapping[str, object] | None = None,
    listener: Listener | None = None,
    watch: Callable[[Crawl], None] | None = None,
    progress: Progress | None = None,
) -> CrawlResult:
    """Crawl a piece of the web into a snapshot, and create the snapshot if needed.

    Parameters
    ----------
    collection, label
        The snapshot.
    seeds
        URLs to begin with, or a file with one URL per line. A crawl that was stopped needs none.
    invitro, invitro_seed, month
        Instead of seeds: the preset of a synthetic web, which of its kind, and which month of it.
    log
        Where the server of the synthetic web writes its requests.
    gate, gate_links
        A file of a gate, which refuses hosts by their first pages, and whether it looks at linked hosts.
    again
        Replace what an earlier crawl of this snapshot has stored.
    parse_pages
        Build text, links and anchors at the end.
    options
        Settings of ``[crawl]``.
    listener
        Where the crawl can be controlled.
    watch
        Called with the crawl before it starts.
    progress
        Where progress is shown.

    Examples
    --------
    >>> from webstrata import testing
    >>> result = crawl_snapshot(testing.empty(), "2026-06", invitro="tiny", options={"max_pages": 20})
    >>> result.end
    'max_pages'
    """
    given = {name: value for name, value in (options or {}).items() if value is not None}
    if label in collection and is_finished(collection[label]) and not again:
        raise UsageError(f"{collection.path} {label} is finished; --again crawls it again")
    goes_on = label in collection and not again and can_go_on(collection[label])
    if seeds is not None and invitro is not None:
        raise UsageError("--seeds and --invitro both say what to crawl; choose one")
    if seeds is None and invitro is None and not goes_on:
        raise UsageError("what to crawl is not clear: give --seeds FILE, or --invitro PRESET")
    with ExitStack() as stack:
        hosts: Hosts = {}
        fitting: dict[str, Any] = {}
        if invitro is not None:
            hosts, fitting, lines = _serve(stack, label, invitro, invitro_seed, month, log)
        else:
            lines = [] if seeds is None else list_seeds(seeds)
        is_new = label not in collection
        snapshot = collection.add(label)
        try:
            # what was changed while an earlier run was under way counts less than an option alone
            changed = {} if again else kept_changes(snapshot).settings
            keeper, wanted = _open_gate(gate, links=gate_links)
            settings = snapshot.settings(CrawlSettings, wanted | fitting | changed | given)
            crawl = Crawl(
                snapshot,
                settings,
                seeds=lines,
                hosts=hosts,
                priority=find_priority(snapshot, settings, given),
                gate=keeper,
                parses=parse_pages,
                processes=snapshot.settings(ResourcesSettings).num_workers,
                progress=progress or Progress(),
                listener=listener,
            )
        except WebstrataError:
            if is_new:
                snapshot.path.rmdir()
            raise
        if is_new:  # what cannot be crawled leaves nothing behind
            stack.callback(_remove_empty, snapshot.path)
        if watch is not None:
            watch(crawl)
        source = str(seeds) if isinstance(seeds, str | PathLike) else None
        renew = _describe(name_source(source, invitro, invitro_seed, month), settings.to_options(given), gate)
        # seeds of a caller are in no file
        return crawl.run(renew=renew if source or seeds is None else "", again=again)


def _describe(source: str, options: str, gate: str | PathLike[str] | None) -> str:
    """The command that crawls again."""
    known = Action("crawl", "-", "-", options={"again": True, "gate": str(gate) if gate else None})
    return f"{known.template} {source}{options}"


def _serve(
    stack: ExitStack, label: str, preset: str, seed: int, month: int, log: str | PathLike[str] | None
) -> tuple[Hosts, dict[str, Any], list[str]]:
    from webstrata.invitro.server import fitting_settings
    from webstrata.invitro.web import Web

    web = Web(preset, seed=seed)
    server = stack.enter_context(web.serve(month, origins=True, log=Path(log) if log else None))
    hosts: Hosts = {name: (address, server.port) for name, address in server.addresses().items()}
    return hosts, fitting_settings(web) | {"dated": label}, web.home_pages(month)


def list_seeds(seeds: str | PathLike[str] | Iterable[str]) -> list[str]:
    """URLs, from a file of them or as they are given.

    Examples
    --------
    >>> list_seeds("http://example.org/")
    ['http://example.org/']
    """
    if isinstance(seeds, str) and "://" in seeds:
        return [seeds]
    if isinstance(seeds, str | PathLike):
        path = Path(seeds)
        with explained(path, "read"):
            return path.read_text(errors="replace").splitlines()
    return list(seeds)


def _open_gate(path: str | PathLike[str] | None, *, links: bool) -> tuple[Gate | None, dict[str, Any]]:
    """The gate in a file, and the settings that it wants."""
    if path is None:
        return None, {}
    from webstrata.classify.gate.file import load_gate
    from webstrata.classify.gate.model import Gate

    model, _ = load_gate(Path(path))
    return Gate(model, uses_links=links), {"gate_after": model.pages}


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
