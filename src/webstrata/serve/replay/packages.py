"""Snapshots as WACZ files by range requests: ``/{collection}/files/{snapshot}.wacz``.

A WACZ is not written; `webstrata.store.wacz_view` computes what is between the WARC files, once per state of
a snapshot, in a thread. Until that is done, requests get status 503 with ``Retry-After``. ReplayWeb.page and
other readers of WACZ open such an address and read only the ranges that they need. After a rebuild, responses
in progress end with the old view.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Unfinished
from typing import TYPE_CHECKING

from webstrata.serve.replay.replies import Reply, cut_span
from webstrata.store.wacz_view import WaczView
from webstrata.web.server.answers import write_error

if TYPE_CHECKING:
    from collections.abc import Hashable

    from webstrata.collection import Snapshot

ENDING = ".wacz"
PATIENCE = 2.0
"""Seconds for which a request waits for a view; then it is asked to come again."""


class WaczDownloads:
    r"""The WACZ views of one collection, each made when it is first asked for.

    Examples
    --------
    >>> from webstrata import testing
    >>> june = testing.snapshot()
    >>> packages = WaczDownloads()
    >>> reply = packages.answer(june, "1", "bytes=0-3", patience=60)
    >>> reply.status, b"".join(reply.body)
    (206, b'PK\x03\x04')
    >>> packages.close()
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="wacz")
        self._views: dict[str, tuple[Hashable, Future[WaczView]]] = {}

    def answer(
        self, snapshot: Snapshot, state: Hashable, wanted: str = "", *, patience: float = PATIENCE
    ) -> Reply:
        """The response for a WACZ or a range of it; `state` is another one after a part was built."""
        with self._lock:
            known = self._views.get(snapshot.date)
            if known is None or known[0] != state:
                known = self._views[snapshot.date] = state, self._pool.submit(WaczView, snapshot)
        try:
            view = known[1].result(patience)
        except Unfinished:
            kind = [("content-type", "application/json"), ("retry-after", "5"), ("cache-control", "no-store")]
            sentence = f"the WACZ of {snapshot.date} is being prepared; try again in some seconds"
            return Reply(503, kind, write_error(503, sentence))
        except BaseException:
            with self._lock:
                self._views.pop(snapshot.date, None)
            raise
        reply = Reply(200, [("content-type", "application/wacz"), ("accept-ranges", "bytes")])
        start, end = cut_span(reply, wanted, view.size)
        if start < end:
            reply.body = view.read(start, end)
        return reply

    def close(self) -> None:
        """Let all views go."""
        self._pool.shutdown(cancel_futures=True)
        self._views.clear()
