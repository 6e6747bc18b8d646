"""The first stage: crawls of snapshots that have no pages, of seeds or of a synthetic web."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.collection.action import Action
from webstrata.collection.files import explained
from webstrata.crawl.recovery import can_go_on, is_finished
from webstrata.pipeline.jobs import Job
from webstrata.store.ingest.journal import is_ingesting

if TYPE_CHECKING:
    from webstrata.collection.progress import Progress
    from webstrata.crawl.hosts import Hosts
    from webstrata.pipeline.context import Context
    from webstrata.pipeline.settings import RunSettings

STAGE = "crawl"
LOG = "requests.log"
"""In the folder of a snapshot: what the server of the synthetic web saw of its crawl."""
GIVES = ("warc", "captures", "pages", "urls", "text", "links", "anchors")
"""The parts that a crawl builds."""


def list_crawls(context: Context) -> list[Job]:
    """A crawl for each snapshot that has no pages yet, and the truth of those that are crawled in vitro.

    Examples
    --------
    >>> from webstrata import testing
    >>> from webstrata.pipeline.context import Context
    >>> jobs = list_crawls(Context(testing.empty(), options={"snapshots": "2026-01", "invitro": "tiny"}))
    >>> [(job.name, job.action.verb) for job in jobs]
    [('2026-01/pages', 'crawl'), ('2026-01/truth', 'invitro truth')]
    """
    jobs = []
    settings = context.run
    place = str(context.collection.path)
    for month, label in enumerate(context.labels):
        jobs.append(
            Job(
                f"{label}/pages",
                _Crawling(context, label, month),
                Action("crawl", place, label, options=_name_source(settings, month)),
                tuple(f"{label}/{part}" for part in GIVES),
                refusal=_refusal(context, label),
                fresh=_is_done(context, label),
            )
        )
        if settings.invitro:
            jobs.append(
                Job(
                    f"{label}/truth",
                    _Truth(context, label, month),
                    _truth_action(context, label, month),
                    (f"{label}/truth",),
                    (f"{label}/pages",),
                )
            )
    return jobs


def _is_done(context: Context, label: str) -> bool:
    """Whether nothing is left to crawl: it has ended, or the snapshot was filled otherwise."""
    if label not in context.collection:
        return False
    snapshot = context.collection[label]
    if is_ingesting(snapshot):
        return False
    return is_finished(snapshot) or (len(snapshot.parts) > 0 and not can_go_on(snapshot))


def _refusal(context: Context, label: str) -> str:
    settings = context.run
    if label in context.collection and is_ingesting(context.collection[label]):
        return "an ingest into it was interrupted; run the same command to resume"
    goes_on = label in context.collection and can_go_on(context.collection[label])
    if settings.invitro or settings.seeds or goes_on:
        return ""
    return "no seeds to crawl from; set `seeds` in [run], or ingest pages"


def _name_source(settings: RunSettings, month: int) -> dict[str, object]:
    """Where the pages of a snapshot come from, as options of a crawl."""
    if settings.invitro:
        return {
            "invitro": settings.invitro,
            "invitro_seed": settings.invitro_seed or None,
            "month": month or None,
        }
    return {"seeds": settings.seeds or None}


def _truth_action(context: Context, label: str, month: int) -> Action:
    settings = context.run
    options = {"preset": settings.invitro, "seed": settings.invitro_seed or None, "month": month or None}
    return Action("invitro truth", str(context.collection.path), label, options=options)


class _Crawling:
    """A crawl, when it is its turn."""

    def __init__(self, context: Context, label: str, month: int) -> None:
        self.context, self.label, self.month = context, label, month

    def __call__(self, progress: Progress) -> None:
        from webstrata.crawl.changes import kept_changes
        from webstrata.crawl.run import Crawl
        from webstrata.crawl.settings import CrawlSettings
        from webstrata.pipeline.crawl_priority import find_priority

        context, label = self.context, self.label
        settings = context.run
        with contextlib.ExitStack() as stack:
            snapshot = context.collection.add(label)
            stack.callback(_remove_empty, snapshot.path)
            hosts: Hosts = {}
            fitting: dict[str, Any] = {}
            if settings.invitro:
                hosts, fitting, lines = self._serve(stack)
            else:
                lines = _read_lines(settings.seeds) if settings.seeds else []
            changed = kept_changes(snapshot).settings
            chosen = context.settings(CrawlSettings, snapshot, options=changed, fitting=fitting)
            crawl = Crawl(
                snapshot,
                chosen,
                seeds=lines,
                hosts=hosts,
                priority=find_priority(snapshot, chosen),
                processes=context.workers,
                progress=progress,
            )
            if context.watch is not None:
                context.watch(crawl)
            options = {"again": True, **_name_source(settings, self.month)}
            crawl.run(renew=Action("crawl", str(context.collection.path), label, options=options).template)

    def _serve(self, stack: contextlib.ExitStack) -> tuple[Hosts, dict[str, Any], list[str]]:
        from webstrata.invitro import Web
        from webstrata.invitro.server import fitting_settings

        settings = self.context.run
        snapshot = self.context.collection[self.label]
        web = Web(settings.invitro, seed=settings.invitro_seed)
        log = snapshot.working_folder(LOG)
        goes_on = can_go_on(snapshot) and log.is_file()
        server = stack.enter_context(web.serve(self.month, origins=True, log=log, append_log=goes_on))
        if goes_on:
            server.mark_restart()
        hosts: Hosts = {name: (address, server.port) for name, address in server.addresses().items()}
        return hosts, fitting_settings(web) | {"dated": self.label}, web.home_pages(self.month)


class _Truth:
    """The truth about a month, when it is its turn."""

    def __init__(self, context: Context, label: str, month: int) -> None:
        self.context, self.label, self.month = context, label, month

    def __call__(self, progress: Progress) -> None:
        from webstrata.invitro import Web
        from webstrata.invitro.truth import build_truth

        settings = self.context.run
        web = Web(settings.invitro, seed=settings.invitro_seed)
        snapshot = self.context.collection[self.label]
        renew = _truth_action(self.context, self.label, self.month).template
        build_truth(snapshot, web, self.month, renew=renew, progress=progress)


def _read_lines(name: str) -> list[str]:
    path = Path(name)
    with explained(path, "read"):
        return path.read_text(errors="replace").splitlines()


def _remove_empty(folder: Path) -> None:
    """What cannot be crawled leaves nothing behind."""
    if not any(path.name not in (LOG, ".lock") for path in folder.iterdir()):
        (folder / LOG).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            folder.rmdir()
