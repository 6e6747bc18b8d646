"""The first stage: crawls of snapshots that have no pages, of seeds or of an in-vitro web."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webstrata.collection.files import explained
from webstrata.crawl.recovery import can_go_on, is_finished
from webstrata.crawl.seeds import name_source
from webstrata.serve.pipeline.jobs import Job
from webstrata.serve.report.truth import LOG
from webstrata.store.journal import is_ingesting

if TYPE_CHECKING:
    from webstrata.collection.progress import Progress
    from webstrata.crawl.hosts import Hosts
    from webstrata.serve.pipeline.context import Context

GIVES = ("warc", "index", "pages", "urls", "text", "links", "anchors")
"""The parts that a crawl leaves behind."""


def list_crawls(context: Context) -> list[Job]:
    """A crawl for each snapshot that has no pages yet, and the truth of those that are crawled in vitro.

    Examples
    --------
    >>> import webstrata as ws
    >>> from webstrata.serve.pipeline.context import Context
    >>> uk = ws.create(getfixture("tmp_path") / "uk")
    >>> [job.command for job in list_crawls(Context(uk, options={"snapshots": "2026-01", "invitro": "tiny"}))]
    ['webstrata crawl ...uk 2026-01 --invitro tiny', 'webstrata invitro truth ...uk 2026-01 --preset tiny']
    """
    jobs = []
    settings = context.run
    place = context.collection.word
    for month, label in enumerate(context.labels):
        words = name_source(settings.seeds, settings.invitro, settings.invitro_seed, month)
        jobs.append(
            Job(
                f"{label}/pages",
                _Crawling(context, label, month),
                f"webstrata crawl {place} {label} {words}",
                tuple(f"{label}/{part}" for part in GIVES),
                refusal=_refusal(context, label),
                fresh=_is_done(context, label),
            )
        )
        if settings.invitro:
            words = f"--preset {settings.invitro}"
            words += f" --seed {settings.invitro_seed}" if settings.invitro_seed else ""
            words += f" --month {month}" if month else ""
            command = f"webstrata invitro truth {place} {label} {words}"
            jobs.append(
                Job(
                    f"{label}/truth",
                    _Truth(context, label, month),
                    command,
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
        return "an ingest into it was interrupted; run the same `webstrata ingest` command to resume"
    goes_on = label in context.collection and can_go_on(context.collection[label])
    if settings.invitro or settings.seeds or goes_on:
        return ""
    return "nothing says what to crawl; name `seeds` in [run], or ingest pages"


class _Crawling:
    """A crawl, when it is its turn."""

    def __init__(self, context: Context, label: str, month: int) -> None:
        self.context, self.label, self.month = context, label, month

    def __call__(self, progress: Progress) -> None:
        from webstrata.crawl.changes import kept_changes
        from webstrata.crawl.run import Crawl
        from webstrata.crawl.settings import CrawlSettings

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
                processes=context.workers,
                progress=progress,
            )
            if context.watch is not None:
                context.watch(crawl)
            words = name_source(settings.seeds, settings.invitro, settings.invitro_seed, self.month)
            crawl.run(renew=f"webstrata crawl {{collection}} {{snapshot}} --again {words}")

    def _serve(self, stack: contextlib.ExitStack) -> tuple[Hosts, dict[str, Any], list[str]]:
        from webstrata.simulate.invitro import Web
        from webstrata.simulate.invitro.server import fitting_settings

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
        from webstrata.simulate.invitro import Web
        from webstrata.simulate.invitro.truth import build_truth

        settings = self.context.run
        web = Web(settings.invitro, seed=settings.invitro_seed)
        renew = f"webstrata invitro truth {{collection}} {{snapshot}} --preset {web.preset} --seed {web.seed}"
        snapshot = self.context.collection[self.label]
        build_truth(snapshot, web, self.month, renew=f"{renew} --month {self.month}", progress=progress)


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
