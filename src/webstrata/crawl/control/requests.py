"""What a running crawl is asked for, and what it answers."""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import shutil
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from webstrata._core import __version__
from webstrata.collection.action import Action
from webstrata.collection.settings import describe, to_text, unknown_name
from webstrata.crawl.changes import FIXED, SettingChanges
from webstrata.crawl.metrics import write_metrics
from webstrata.crawl.skip_reasons import read_cuts
from webstrata.errors import SettingError, UrlError, UsageError, UserError
from webstrata.web.url import normalize

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from webstrata.crawl.series import Series
    from webstrata.crawl.settings import CrawlSettings
    from webstrata.crawl.skip_reasons import Cut

PROTOCOL = 1
SOCKET = "control.sock"
RATES = ("pages", "duplicates", "requests", "bytes", "payload", "stored", "discovered")
"""Counters whose growth per second a status tells."""
FLUSH_TIMEOUT = 8.0
"""Seconds that a flush may take; who asks waits no longer than `client.TIMEOUT`."""
WINDOW = 5.0
"""Seconds that a rate of the moment looks back."""

_REQUESTS = ("blacklist", "flush", "metrics", "pause", "resume", "set", "status", "stop")
_STEP = 0.5


class Control:
    """The desk of a running crawl: it knows how things stand, and passes on what the operator wants.

    The thread that crawls calls `sample` every now and then, and `let_go` before it ends the core; others
    ask. The core is not touched for a status, so that nobody who watches can disturb it.

    Parameters
    ----------
    engine
        The core: ``counters()``, ``pause(bool)`` and ``stop(bool)``. Where it has ``blacklist(text)``, and
        ``flush(seconds)`` with ``is_over()``, too, hosts can be
        shut out, and files brought up to date, while it runs.
    settings
        What the crawl obeys.
    about
        What a status says besides, as collection and snapshot.
    series
        Where samples are kept.
    apply
        What makes the crawl obey other settings, or raises what is wrong with them; without it none change.
    changes, folder
        What an earlier run was told, and where this one is to keep what it is told.
    given_up
        Hosts that were given up or are full, by reason; it is read, and grows elsewhere.
    clock
        A clock that never goes back.

    Examples
    --------
    >>> from webstrata.crawl.settings import CrawlSettings
    >>> class Core:
    ...     def counters(self):
    ...         return {"pages": 7}
    ...     def cuts(self):
    ...         return []
    ...     def shortage(self):
    ...         return None
    ...     def pause(self, is_paused):
    ...         print("paused" if is_paused else "resumed")
    >>> control = Control(Core(), CrawlSettings())
    >>> control.answer({"do": "pause"})
    paused
    {'ok': True, 'state': 'paused'}
    >>> control.answer({"do": "dance"})["error"]
    'dance is no request; known are blacklist, flush, metrics, pause, resume, set, status, stop'
    """

    def __init__(
        self,
        engine: Any,  # noqa: ANN401 (the core, or whatever stands for it)
        settings: CrawlSettings,
        *,
        about: Mapping[str, str] | None = None,
        series: Series | None = None,
        apply: Callable[[CrawlSettings], None] | None = None,
        changes: SettingChanges | None = None,
        folder: Path | None = None,
        given_up: Mapping[str, int] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.settings = settings
        self.about = dict(about or {})
        self.series = series
        self.changes: list[dict[str, Any]] = []
        """Settings that were changed and hosts that were shut out, with the second at which."""
        self._engine = engine
        self._apply = apply
        self._kept = changes or SettingChanges()
        self._folder = folder
        self._given_up = {} if given_up is None else given_up
        self._clock = clock
        self._lock = threading.RLock()
        self._state = "running"
        self._began = clock()
        self._since = dt.datetime.now(dt.UTC)
        self._shortage = ""
        self._counters: dict[str, int] = dict(engine.counters())
        self._cuts: list[Cut] = []
        self._live = [field.name for field in describe(type(settings)) if field.setting.live]
        self._samples: deque[tuple[float, dict[str, int]]] = deque([(self._began, self._counters)])

    # ---- how things stand

    @property
    def state(self) -> str:
        """``running``, ``paused``, ``out of space``, ``stopping`` or ``storing``."""
        return "out of space" if self._shortage and self._state == "running" else self._state

    @property
    def shortage(self) -> str:
        """What cannot be written because the disk is full, and what to do; nothing while there is room."""
        return self._shortage

    def sample(self, *, force: bool = False) -> dict[str, int]:
        """Look at the core, keep what rates and the series need, and return its counters."""
        with self._lock:
            if self._engine is None:
                return self._counters
            now = self._clock()
            self._counters = dict(self._engine.counters())
            self._shortage = self._read_shortage()
            self._cuts = read_cuts(self._engine.cuts())
            if now - self._samples[-1][0] >= _STEP or force:
                self._samples.append((now, self._counters))
                while len(self._samples) > 2 and self._samples[1][0] <= now - WINDOW:
                    self._samples.popleft()
            if self.series is not None:
                self.series.sample(self._counters, state=self.state, force=force)
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
                "state": self.state,
                "shortage": self._shortage,
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
                "given_up": dict(self._given_up),
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
        self._steer("running", lambda engine: engine.pause(False))
        with self._lock:
            # whoever waits for the disk looks again now, and the answer tells what it found
            for _ in range(10):
                self._shortage = self._read_shortage()
                if not self._shortage:
                    break
                time.sleep(0.02)
            return self.state

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
            self._running("set")
            if not field.setting.live:
                why = FIXED.get(name, "the crawl was begun with it")
                raise SettingError(
                    f"{name} cannot change while the crawl runs, since {why}; stop it, and go on with "
                    f"--{name.replace('_', '-')}"
                )
            current = {key: getattr(self.settings, key) for key in fields}
            changed = type(self.settings).read(options=current | {name: value}, environment={})
            new = getattr(changed, name)
            if self._apply is None:
                raise SettingError(
                    f"{name}: this core cannot change settings while it runs; stop the crawl, and crawl "
                    f"again with --{name.replace('_', '-')} {to_text(new, field.setting.unit)}"
                )
            self._apply(changed)
            self.settings = changed
            plain = changed.to_dict()[name]
            self._kept.settings[name] = plain
            self._keep()
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
            if name not in self._kept.blacklist:
                self._kept.blacklist.append(name)
            self._keep()
            self._note(blacklist=name)
        return name

    def flush(self) -> int:
        """Let who reads the files of the crawl see everything so far; how many captures they have.

        The open WARC file is closed, another begins with the next capture, and the lines of the index are on
        the disk.
        """
        with self._lock:
            engine = self._running("flush")
        if not hasattr(engine, "flush"):
            raise UsageError("flush: this core cannot close its files while it runs; stop the crawl")
        # it may take a while, and whoever watches need not wait for it
        captures = engine.flush(FLUSH_TIMEOUT)
        if captures is None and engine.is_over():
            raise UsageError("flush: the crawl has ended, and its pages are being stored")
        if captures is None:
            raise UsageError(
                f"flush: the files were not written within {FLUSH_TIMEOUT:.0f} s; look at the disk, and ask "
                "again"
            )
        return int(captures)

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
        if do == "flush":
            return {"captures": self.flush()}
        if do == "blacklist":
            return {"what": self.blacklist(_text(request, "what"))}
        raise UsageError(f"{do} is no request; known are {', '.join(_REQUESTS)}")

    # ---- inside

    def _read_shortage(self) -> str:
        found = self._engine.shortage()
        if found is None:
            return ""
        place = (self.about.get("collection", ""), self.about.get("snapshot", ""))
        command = Action("crawl resume", *place).command
        return explain_shortage(*found, every=self.settings.disk_check, command=command)

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

    def _keep(self) -> None:
        """Let the next run of the crawl know what was changed."""
        if self._folder is not None:
            self._kept.write(self._folder)

    def _note(self, **change: object) -> None:
        self.changes.append({"seconds": round(self._clock() - self._began, 3), **change})


def explain_shortage(path: Path, size: int, seconds: float, *, every: float, command: str) -> str:
    """A sentence about a disk that is full: which file, what is missing, what to do.

    Examples
    --------
    >>> from pathlib import Path
    >>> print(explain_shortage(Path("/no/a.warc"), 5120, 3.0, every=10.0, command="resume it"))
    /no/a.warc: no space left for 5,120 bytes, and the crawl has been waiting for 3 s; free some space on this
    disk: it looks again every 10 s, or at once with `resume it`
    """
    missing = f"for {size:,} bytes" if size else "for another file"
    try:
        free = shutil.disk_usage(path.parent).free
        missing += f" ({free:,} are free)"
    except OSError:
        pass
    return (
        f"{path}: no space left {missing}, and the crawl has been waiting for {seconds:.0f} s; free some "
        f"space on this disk: it looks again every {every:g} s, or at once with `{command}`"
    )


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
