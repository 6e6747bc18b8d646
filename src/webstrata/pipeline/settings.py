"""Settings of the pipeline."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, one_of, setting


@dataclass(frozen=True, kw_only=True)
class RunSettings(Settings):
    """Which snapshots and stages a run goes through, and where pages come from."""

    snapshots: tuple[str, ...] = setting(
        (), "Snapshots to build, and to crawl where they are missing; default: those that exist."
    )
    off: tuple[str, ...] = setting((), "Stages to leave out.")
    seeds: str = setting("", "File with one URL per line: what to crawl into snapshots without pages.")
    invitro: str = setting("", "Crawl a synthetic web instead of seeds: the name of its preset.")
    invitro_seed: int = setting(
        0, "Random seed of the synthetic web; snapshots are its months.", check=not_negative
    )
    queries: tuple[str, ...] = setting((), "Queries for change search, answered in the report.")
    topics: str = setting("", "File of queries with their snapshots, to evaluate change search.")
    judgements: str = setting("", "File of the relevant pages for these queries.")
    labels: str = setting(
        "", "File of labels of hosts, to evaluate classifiers; `truth` for a synthetic web."
    )
    lists: tuple[str, ...] = setting(
        (),
        "Files of pages that the report follows through the snapshots: one URL per line, with its category "
        "after a tab.",
    )
    categories: str = setting(
        "",
        "File of categories for the report: a URL, host or domain per line, with its category after a tab.",
    )
    rankings: tuple[str, ...] = setting(
        (), "Files of outside rankings, one URL per line, compared in the report with the `lists`."
    )
    spectra: str = setting(
        "ends",
        "Snapshots whose spectra are computed: `ends`, the oldest and the newest, or `all`.",
        check=one_of("ends", "all"),
    )
    task: str = setting("spam", "The label that classifiers learn.")
