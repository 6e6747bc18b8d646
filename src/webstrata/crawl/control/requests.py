"""What a running crawl is asked for, and what it answers."""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from webstrata._core import __version__
from webstrata.collection.settings import describe, to_text, unknown_name
from webstrata.crawl.cuts import read_cuts
from webstrata.crawl.metrics import write_metrics
from webstrata.errors import SettingError, UrlError, UsageError, UserError
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from webstrata.crawl.cuts import Cut
    from webstrata.crawl.series import Series
    from webstrata.crawl.settings import CrawlSettings

PROTOCOL = 1
SOCKET = "control.sock"
RATES = ("pages", "duplicates", "requests", "bytes", "payload", "stored", "discovered")
"""Counters whose growth per second a status tells."""
WINDOW = 5.0
"""Seconds that a rate of the moment looks back."""

_REQUESTS = ("blacklist", "metrics", "pause", "resume", "set", "status", "stop")
_STEP = 0.5


class Control:
    """The desk of a running crawl: it knows how things stand, and passes on what the operator wants.

    The thread that crawls calls `sample` every now and then, and `let_go` before it ends the core; others
    ask. The core is not touched for a status, so that nobody who watches can disturb it.

    Parameters
    ----------
    engine
        The core: ``counters()``, ``pause(bool)`` and ``stop(bool)``. Where it has ``set(name, value)`` and
        ``blacklist(text)`` too, settings can change, and hosts can be shut out, while it runs.
    settings
        What the crawl obeys.
    about
        What a status says besides, as collection and snapshot.
    series
        Where samples are kept.
    clock
        A clock that never goes back.

    Examples
    --------
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> class Core:
    ...     def counters(self):
    ...         return {"pages": 7}
    ...     def pause(self, is_paused):
    ...         print("paused" if is_paused else "resumed")
    >>> control = Control(Core(), CrawlSettings())
    >>> control.answer({"do": "pause"})
    paused
    {'ok': True, 'state': 'paused'}
    >>> control.answer({"do": "dance"})["error"]
    'dance is no request; known are blacklist, metrics, pause, resume, set, status, stop'
    """

    def __init__(
        self,
        engine: Any,  # noqa: ANN401 (the core, or whatever stands for it)
        settings: CrawlSettings,
        *,
        about: Mapping[str, str] | None = None,
        series: Series | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self.about = dict(about or {})
        self.series = series
        self.changes: list[dict[str, Any]] = []
        """Settings that were changed and hosts that were shut out, with the second at which."""
        self._engine = engine
        self._clock = clock
        self._lock = threading.RLock()
        self._state = "running"
        self._began = clock()
        self._since = dt.datetime.now(dt.UTC)
        self._counters: dict[str, int] = dict(engine.counters())
        self._cuts: list[Cut] = []
        self._live = [field.name for field in describe(type(settings)) if field.setting.live]
        self._samples: deque[tuple[float, dict[str, int]]] = deque([(self._began, self._counters)])

    # ---- how things stand

    @property
    def state(self) -> str:
        """``running``, ``paused``, ``stopping`` or ``storing``."""
        return self._state

    def sample(self, *, force: bool = False) -> dict[str, int]:
        """Look at the core, keep what rates and the series need, and return its counters."""
        with self._lock:
            if self._engine is None:
                return self._counters
            now = self._clock()
            self._counters = dict(self._engine.counters())
            if hasattr(self._engine, "cuts"):
                self._cuts = read_cuts(self._engine.cuts())
            if now - self._samples[-1][0] >= _STEP or force:
                self._samples.append((now, self._counters))
                while len(self._samples) > 2 and self._samples[1][0] <= now - WINDOW:
                    self._samples.popleft()
            if self.series is not None:
                self.series.sample(self._counters, state=self._state, force=force)
            return self._counters

    def let_go(self) -> None:
        """Take a last sample and touch the core no more: it has ended, and the pages are stored."""
        with self._lock:
            if self._engine is not None:
                self.sample(force=True)
                self._engine = None
                self._state = "storing"

    def status(self) -> dict[str, Any]:
        """How things stand, as plain data.

        ``rates`` are those of the last `WINDOW` seconds, ``means`` those since it began, both per second.
        """
        with self._lock:
            now = self._clock()
            seconds = now - self._began
            first, old = self._samples[0]
            last, new = self._samples[-1]
            span = last - first
            settings = self.settings.to_dict()
            return {
                "protocol": PROTOCOL,
                "webstrata": __version__,
                "pid": os.getpid(),
                **self.about,
                "state": self._state,
                "since": self._since.isoformat(timespec="seconds"),
                "seconds": round(seconds, 3),
                "counters": dict(self._counters),
                "rates": {
                    name: round((new[name] - old[name]) / span, 3) if span else 0.0
                    for name in RATES
                    if name in new
                },
                "means": {
                    name: round(self._counters[name] / seconds, 3) if seconds else 0.0
                    for name in RATES
                    if name in self._counters
                },
                "settings": settings,
                "live": self.live_names(),
                "changes": list(self.changes),
                "cuts": [cut.to_dict() for cut in self._cuts],
            }

    def live_names(self) -> list[str]:
        """The settings that can change while it runs."""
        return list(self._live)

    # ---- what can be done

    def pause(self) -> str:
        """Begin no more visits; the state."""
        return self._steer("paused", lambda engine: engine.pause(True))

    def resume(self) -> str:
        """Go on; the state."""
        return self._steer("running", lambda engine: engine.pause(False))

    def stop(self, *, now: bool = False) -> str:
        """End in order, visits under way given up if it is to be `now`; the state."""
        with self._lock:
            if self._engine is None:
                return self._state  # it ends anyway
            self._engine.stop(now)
            self._state = "stopping"
            return self._state

    def set(self, name: str, value: object) -> object:
        """Change a setting; its new value, as plain data."""
        fields = {field.name: field for field in describe(type(self.settings))}
        if name not in fields:
            raise SettingError(unknown_name("set", name, "setting of a crawl", fields))
        field = fields[name]
        with self._lock:
            engine = self._running("set")
            if not field.setting.live:
                live = ", ".join(self.live_names()) or "none"
                raise SettingError(
                    f"{name} cannot change while the crawl runs; of its settings {live} can, for this one "
                    "stop it and crawl again"
                )
            current = {key: getattr(self.settings, key) for key in fields}
            changed = type(self.settings).read(options=current | {name: value}, environment={})
            new = getattr(changed, name)
            if not hasattr(engine, "set"):
                raise SettingError(
                    f"{name}: this core cannot change settings while it runs; stop the crawl, and crawl "
                    f"again with --{name.replace('_', '-')} {to_text(new, field.setting.unit)}"
                )
            engine.set(name, float(new) if isinstance(new, int | float) else new)
            self.settings = changed
            plain = changed.to_dict()[name]
            self._note(name=name, value=plain)
            return plain

    def blacklist(self, what: str) -> str:
        """Ask a host or an address for nothing any more; its name in normal form."""
        name = parse_target(what)
        with self._lock:
            engine = self._running("blacklist")
            if not hasattr(engine, "blacklist"):
                raise UsageError(
                    f"{name}: this core cannot shut out hosts while it runs; stop the crawl, and crawl again "
                    f"with --schedule 'not HostEquals({name})'"
                )
            engine.blacklist(name)
            self._note(blacklist=name)
        return name

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request; what cannot be done is a sentence in it, and no exception."""
        try:
            return {"ok": True, **self._answer(request)}
        except UserError as error:
            return {"ok": False, "error": str(error), "kind": type(error).__name__}

    def _answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        do = request.get("do")
        if do == "status":
            return {"status": self.status()}
        if do == "metrics":
            return {"text": write_metrics(self.status())}
        if do == "stop":
            return {"state": self.stop(now=request.get("now") is True)}
        if do in ("pause", "resume"):
            return {"state": getattr(self, str(do))()}
        if do == "set":
            name = _text(request, "name")
            if "value" not in request:
                raise UsageError("set: the request has no value")
            return {"name": name, "value": self.set(name, request["value"])}
        if do == "blacklist":
            return {"what": self.blacklist(_text(request, "what"))}
        raise UsageError(f"{do} is no request; known are {', '.join(_REQUESTS)}")

    # ---- inside

    def _running(self, what: str) -> Any:  # noqa: ANN401
        if self._engine is None:
            raise UsageError(f"{what}: the crawl has ended, and its pages are being stored")
        return self._engine

    def _steer(self, state: str, act: Callable[[Any], None]) -> str:
        with self._lock:
            engine = self._running("resume" if state == "running" else "pause")
            if self._state == "stopping":
                raise UsageError("the crawl is stopping, and goes neither on nor slower; wait for its end")
            act(engine)
            self._state = state
            return state

    def _note(self, **change: object) -> None:
        self.changes.append({"seconds": round(self._clock() - self._began, 3), **change})


def parse_target(text: str) -> str:
    """A host or an address in normal form, or `UsageError`.

    Examples
    --------
    >>> parse_target("WWW.Example.org."), parse_target("192.0.2.1"), parse_target("[2001:DB8::1]")
    ('www.example.org.', '192.0.2.1', '2001:db8::1')
    >>> parse_target("http://example.org/")
    Traceback (most recent call last):
    webstrata.errors.UsageError: 'http://example.org/' is no host and no address; write it as www.example.org
    or 192.0.2.1
    """
    text = text.strip()
    try:
        return str(ipaddress.ip_address(text.strip("[]")))
    except ValueError:
        pass
    try:
        if not text or any(sign in text for sign in "/?#@:\\ \t\r\n"):
            raise UrlError(text)
        host = normalize(f"http://{text}/").removeprefix("http://").removesuffix("/")
    except UrlError:
        raise UsageError(
            f"{text!r} is no host and no address; write it as www.example.org or 192.0.2.1"
        ) from None
    return host


def _text(request: Mapping[str, Any], name: str) -> str:
    value = request.get(name)
    if not isinstance(value, str) or not value:
        raise UsageError(f"{request.get('do')}: the request has no {name}, or one that is no text")
    return value
