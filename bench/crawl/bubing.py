"""BUbiNG, the crawler of the paper, with the server as its HTTP proxy; it needs Java, and Maven once.

`make peers` brings it to .peers/bubing (bench/peers/bubing/pom.xml). It is measured in the middle of its run,
from `BEGIN` to `END` seconds after its start, since it idles for the first twenty and warms up for a minute;
by then it has asked for nearly every robots.txt, which in our figures counts in full. Both cores are those of
our crawler's figure: the server on one, all threads of Java on the other. It stores at gzip level 9 and
cannot do otherwise.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.crawl.field import AGENT, Field, choose_cores, count, read_cpu, read_peak, serving, start
from bench.crawl.ours import measure_store, read_sizes
from bench.frame import DATA, ROOT, BenchError, Peer

if TYPE_CHECKING:
    import subprocess

JARS = ROOT / ".peers" / "bubing"
SETUP = ROOT / "bench" / "peers" / "bubing"
HEAP = "6G"
BEGIN, END = 100.0, 130.0


@dataclass(frozen=True)
class JavaPeer(Peer):
    """A program of .jar files in a folder of .peers."""

    def find_absence(self) -> str:
        """What is missing: Java, or the program."""
        if not shutil.which("java"):
            return (
                f"{self.name}: install Java, so that `java` is on the PATH, and Maven, then run `make peers`"
            )
        return "" if any(JARS.glob("bubing-*.jar")) else f"{self.name}: install Maven, then run `make peers`"

    def _version(self) -> str:
        return next((path.stem.partition("-")[2] for path in JARS.glob("bubing-*.jar")), "")


def rate(place: str) -> dict[str, Any]:
    """Pages per CPU-second of BUbiNG once it is warm; measured once per run of the frame."""
    # several figures compare with it, and each would take more than two minutes
    kept = DATA / "peers" / f"bubing-{_name_run()}.json"
    if not kept.exists():
        found = measure(read_sizes(place)["seeds"])
        shutil.rmtree(kept.parent, ignore_errors=True)
        kept.parent.mkdir(parents=True)
        kept.write_text(json.dumps(found))
    report: dict[str, Any] = json.loads(kept.read_text())
    return report


def _name_run() -> str:
    """The process that started this one, told from a later one of the same number by when it began."""
    parent = os.getppid()
    return f"{parent}-{Path(f'/proc/{parent}/stat').read_text().rpartition(')')[2].split()[19]}"


def measure(seeds: int, *, begin: float = BEGIN, end: float = END) -> dict[str, Any]:
    """Run it once and look at it twice."""
    server_core, crawler_core = choose_cores()
    with serving(seeds, cores={server_core}) as field:
        agent = start_agent(field, crawler_core)
        started = time.time()
        try:
            moments = [_look(agent, field, started + after) for after in (begin, end)]
            peak = read_peak(agent.pid)
        finally:
            agent.send_signal(signal.SIGKILL)  # an orderly stop would write its state for minutes
            agent.wait()
        field.finish()
        (since, cpu_before, stored_before), (until, cpu_after, stored_after) = moments
        tally, whole = count(field.log, since, until), count(field.log, until=until)
    if not tally.pages:
        raise BenchError(f"BUbiNG fetched nothing from second {begin:.0f} to {end:.0f}")
    cpu = cpu_after - cpu_before
    return {
        "value": tally.pages / cpu,
        "pages": tally.pages,
        "robots": tally.robots,
        "pages_per_second": round(tally.pages / (until - since), 1),
        "megabytes_per_second": round(tally.page_bytes / (until - since) / 1e6, 2),
        "cpu_load": round(cpu / (until - since), 2),
        "microseconds_per_page": round(cpu / tally.pages * 1e6, 1),
        "stored_bytes_per_page": round((stored_after - stored_before) / tally.pages),
        "peak": peak,
        "window": [begin, end],
        "whole": {
            "pages": whole.pages,
            "robots": whole.robots,
            "pages_per_cpu_second": round(whole.pages / cpu_after, 1),
        },
    }


def start_agent(field: Field, core: int) -> subprocess.Popen[bytes]:
    """One agent that crawls the served web from its seeds."""
    root = field.folder / "bubing"
    settings = (SETUP / "agent.properties").read_text()
    for name, value in {"root": root, "seeds": field.seeds, "port": field.port, "agent": AGENT}.items():
        settings = settings.replace(f"{{{name}}}", str(value))
    properties = field.folder / "agent.properties"
    properties.write_text(settings)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    remote = "com.sun.management.jmxremote"
    system = {
        "java.net.preferIPv4Stack": "true",
        "java.rmi.server.hostname": "127.0.0.1",
        "it.unimi.di.law.bubing.jgroups.configurationFile": SETUP / "jgroups.xml",
        "logback.configurationFile": SETUP / "logback.xml",
        "bench.log": field.folder / "bubing.log",
        f"{remote}.host": "127.0.0.1",
        f"{remote}.port": port,
        f"{remote}.ssl": "false",
        f"{remote}.authenticate": "false",
    }
    words = ["java", "-server", "-Xss256K", "-Xms2G", f"-Xmx{HEAP}"]
    words += [f"-D{name}={value}" for name, value in system.items()]
    words += ["-cp", f"{JARS}/*", "it.unimi.di.law.bubing.Agent", "-h", "127.0.0.1"]
    words += ["-P", str(properties), "-g", "bench", "-n", "agent"]
    # it prints the headers of every page to stderr
    return start(words, {core}, out=field.folder / "bubing.out", err=None)


def _look(agent: subprocess.Popen[bytes], field: Field, moment: float) -> tuple[float, float, int]:
    """At a moment: the time, CPU seconds used, bytes stored."""
    while (left := moment - time.time()) > 0:
        if agent.poll() is not None:
            log = field.folder / "bubing.log"
            last = log.read_text().strip().splitlines()[-1:] if log.exists() else []
            raise BenchError(f"BUbiNG ended with {agent.returncode}: {' '.join(last) or 'no message'}")
        time.sleep(min(left, 0.5))
    return time.time(), read_cpu(agent.pid), measure_store(field.folder / "bubing" / "store")
