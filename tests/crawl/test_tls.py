"""TLS, with the authority of the in-vitro web."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crawl.origin import Crawled, Origin, prepare, read, redirect
from webstrata.invitro import Web

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from webstrata.invitro import InvitroServer


@pytest.fixture(scope="module")
def server() -> Iterator[InvitroServer]:
    with Web("tiny", seed=7, tls=True).serve(origins=True) as running:
        yield running


def crawl(folder: Path, server: InvitroServer, **settings: Any) -> Crawled:  # noqa: ANN401
    hosts = {name: (address, server.port) for name, address in server.addresses().items()}
    seeds = server.web.home_pages()[:3]
    defaults = {"max_crawl_delay": 0, "max_depth": 0, "follow": "SchemeEquals(http)", "retries": 0}
    job = prepare(folder, seeds, {"hosts": hosts}, **(defaults | settings))
    return read(job.snapshot, job.run())


def test_records_say_how_the_connection_was_made(tmp_path: Path, server: InvitroServer) -> None:
    found = crawl(tmp_path, server)
    assert found["pages"] > 0
    for record in found.captures:
        assert record["WARC-Target-URI"].startswith("https://")
        assert record.headers["WARC-Protocol"] == ["http/1.1", "tls/1.3"]
        assert record["WARC-Cipher-Suite"].startswith("TLS_")


def test_records_say_whether_somebody_vouches_for_the_certificate(
    tmp_path: Path, server: InvitroServer
) -> None:
    authority = tmp_path / "authority.pem"
    assert server.authority is not None
    authority.write_text(server.authority)
    for settings, verdict in (({}, b"UnknownIssuer"), ({"authority": str(authority)}, b"verified")):
        found = crawl(tmp_path, server, **settings)
        told = [record.block for record in found.records if record.kind == "metadata"]
        assert told
        assert all(b"certificate: " in block and verdict in block for block in told)


def test_who_does_not_believe_every_certificate_needs_the_authority(
    tmp_path: Path, server: InvitroServer
) -> None:
    found = crawl(tmp_path, server, accept_all_certificates=False)
    assert found["pages"] == 0
    assert found["failed_tls"] == found["hosts_closed"] == 3
    assert found.result is not None
    assert [(cut.reason, cut.number) for cut in found.result.cuts if cut.reason == "tls"] == [("tls", 3)]
    authority = tmp_path / "authority.pem"
    assert server.authority is not None
    authority.write_text(server.authority)
    found = crawl(tmp_path, server, accept_all_certificates=False, authority=str(authority))
    assert found["pages"] > 0
    assert found["failed_tls"] == 0


def test_a_redirect_may_lead_from_http_to_https(tmp_path: Path, server: InvitroServer) -> None:
    name, address = next(iter(server.addresses().items()))
    target = f"https://{name}/"
    with Origin(("127.0.0.99",)) as origin:
        origin.say("/", redirect(target))
        hosts = {"a.test": origin.at(), name: (address, server.port)}
        job = prepare(
            tmp_path,
            ["http://a.test/"],
            {"hosts": hosts},
            max_depth=0,
            retries=0,
            follow="StatusCategory(3xx)",
        )
        found = read(job.snapshot, job.run())
    assert found.lines["http://a.test/"]["redirect"] == target
    assert target in found.stored
    assert found.capture("http://a.test/").headers["WARC-Protocol"] == ["http/1.1"]


def test_a_server_without_tls_under_an_https_address_is_a_failure_of_tls(tmp_path: Path) -> None:
    with Origin() as origin:
        job = prepare(tmp_path, ["https://a.test/"], {"hosts": {"a.test": origin.at()}}, retries=0)
        found = read(job.snapshot, job.run())
    assert found["failed_tls"] == 1
    assert not found.captures
