"""An application on a socket: until Ctrl-C, for some seconds, or in a thread as long as a `with` lasts."""

from __future__ import annotations

import os
import socket
import threading
from typing import TYPE_CHECKING

import uvicorn

from webstrata.errors import UsageError

if TYPE_CHECKING:
    from types import TracebackType

    from fastapi import FastAPI

GRACE = 5
"""Seconds that answers under way have when the server ends."""


class Server:
    """Serves an application at `url`; it listens from its creation on, and answers in `run` or in a `with`.

    Examples
    --------
    >>> from urllib.request import urlopen
    >>> from fastapi import FastAPI
    >>> with Server(FastAPI()) as server:
    ...     urlopen(f"{server.url}/openapi.json").status
    200
    """

    def __init__(self, app: FastAPI, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._socket = _listen(host, port)
        self.port: int = self._socket.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        self.url = f"http://{shown}:{self.port}"
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, lifespan="off", timeout_graceful_shutdown=GRACE
        )
        self._server = uvicorn.Server(config)
        self._thread: threading.Thread | None = None

    def run(self, seconds: float | None = None) -> None:
        """Answer until Ctrl-C, which raises ``KeyboardInterrupt`` when answers under way are sent."""
        timer = threading.Timer(seconds or 0, self._stop)
        if seconds is not None:
            timer.daemon = True
            timer.start()
        try:
            self._server.run(sockets=[self._socket])
        finally:
            timer.cancel()
            self._socket.close()

    def close(self) -> None:
        """Stop answering."""
        self._stop()
        if self._thread is not None:
            self._thread.join()

    def _stop(self) -> None:
        self._server.should_exit = True

    def __enter__(self) -> Server:
        self._thread = threading.Thread(target=self.run, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=1024
        )
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno and error.errno > 0 else str(error)
        raise UsageError(
            f"--host {host} --port {port}: one cannot listen there ({reason}); choose another port, or 0 for "
            "any free one"
        ) from None
