"""Small git repositories of published sites."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def make_repository(
    folder: Path, states: Sequence[tuple[str, Mapping[str, str | None]]], subjects: Sequence[str] = ()
) -> Path:
    """A repository with a commit at noon (UTC) of each date: it writes files; those that are None go."""
    folder.mkdir()
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    own |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*words: str, date: str = "2026-01-01") -> None:
        times = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), f"{date}T12:00:00+00:00")
        subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, env=own | times)

    git("init", "--quiet", "--initial-branch", "main")
    for name, value in (("user.name", "A"), ("user.email", "a@example.org"), ("commit.gpgsign", "false")):
        git("config", name, value)
    for place, (date, files) in enumerate(states):
        for name, content in files.items():
            path = folder / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        git("add", "--all")
        git(
            "commit",
            "--quiet",
            "--allow-empty",
            "--message",
            subjects[place] if subjects else date,
            date=date,
        )
    return folder
