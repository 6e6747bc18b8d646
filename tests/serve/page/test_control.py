"""A crawl steered over HTTP, with the token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.serve.page.served import ask
from tests.serve.page.test_crawl import Core
from webstrata import testing
from webstrata.crawl.control.listener import Listener
from webstrata.crawl.control.requests import Control
from webstrata.crawl.settings import CrawlSettings
from webstrata.serve.running import PageServer
from webstrata.serve.settings import ServeSettings

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "0123456789abcdef-secret"


class Steered(Core):
    """Stands for a crawl that can be paused."""

    is_paused = False

    def pause(self, is_paused: bool) -> None:  # noqa: FBT001
        self.is_paused = is_paused


def test_a_crawl_is_paused_and_resumed_by_who_knows_the_token(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN)
    collection = testing.empty()
    snapshot = collection.add("2026-06")
    snapshot.working_folder("crawl").mkdir()
    core = Steered()
    settings = ServeSettings(port=0, token_file=str(tmp_path / "token"))
    with Listener() as listener, PageServer([collection], settings) as server:
        listener.serve(Control(core, CrawlSettings()), snapshot.working_folder("crawl"))
        path = f"{server.url}/crawl/2026-06"
        assert ask(f"{path}/pause", b"").status == 401
        assert not core.is_paused
        found = ask(f"{path}/pause", b"", Authorization=f"Bearer {TOKEN}", Accept="application/json")
        assert found.json == {"snapshot": "2026-06", "action": "pause", "state": "paused"}
        assert core.is_paused
        assert "Resume" in ask(f"{server.url}/crawl").text
        form = ask(f"{path}/resume", f"token={TOKEN}".encode(), Origin=server.url)
        assert (form.status, form.headers["location"]) == (303, "/crawl")
        assert not core.is_paused
        assert ask(f"{path}/explode", f"token={TOKEN}".encode()).status == 404
        assert ask(f"{path}/blacklist", f"token={TOKEN}".encode()).status == 422
    with PageServer([collection], settings) as server:
        gone = ask(f"{server.url}/crawl/2026-06/pause", f"token={TOKEN}".encode())
        assert gone.status == 404
