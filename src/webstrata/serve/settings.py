"""Settings of `webstrata run`."""

from __future__ import annotations

from dataclasses import dataclass

from webstrata.collection.settings import Settings, not_negative, setting


@dataclass(frozen=True, kw_only=True)
class RunSettings(Settings):
    """What a pipeline goes through, and what it begins with."""

    snapshots: tuple[str, ...] = setting(
        (), "Snapshots to be made where they are missing; those that are there if none is named."
    )
    off: tuple[str, ...] = setting((), "Stages that are left out.")
    seeds: str = setting("", "A file with a URL a line: what is crawled into snapshots that have no pages.")
    invitro: str = setting("", "In place of seeds, an in-vitro web: the name of its preset.")
    invitro_seed: int = setting(0, "Which web of that preset; snapshots are its months.", check=not_negative)
    queries: tuple[str, ...] = setting(
        (), "What change search is asked about the newest snapshot, for the report."
    )
    topics: str = setting("", "A file of queries with their snapshots, for the tables of change search.")
    judgements: str = setting("", "The file of pages that are right for these queries.")
    labels: str = setting("", "A file of labels of hosts, for the AUC of classifiers; `truth` in vitro.")
    task: str = setting("spam", "The label that is learned.")
