"""The hosts table: names whose addresses are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.crawl.origin import Origin, crawl, page, reply
from webstrata.crawl.hosts import parse_address, read_hosts_table
from webstrata.errors import FormatError, MissingError

if TYPE_CHECKING:
    from pathlib import Path


def test_a_table_is_read_as_the_system_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "hosts"
    path.write_text(
        "# comment\n\n 10.0.0.1\tOne.test two.test # more\n[::1]:80 three.test\n10.0.0.2 one.test\n"
    )
    assert read_hosts_table(path) == {
        "one.test": ("10.0.0.1", None),
        "two.test": ("10.0.0.1", None),
        "three.test": ("::1", 80),
    }


@pytest.mark.parametrize(
    "line", ["10.0.0.1", "10.0.0 a.test", "a.test 10.0.0.1", "10.0.0.1:0 a.test", "1.2.3.4:99999 a"]
)
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "hosts"
    path.write_text(f"127.0.0.1 good.test\n{line}\n")
    with pytest.raises(FormatError, match=r"hosts, line 2: an address and names were expected"):
        read_hosts_table(path)


def test_a_table_that_is_not_there_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingError):
        read_hosts_table(tmp_path / "hosts")


@given(address=st.ip_addresses(), port=st.integers(1, 65535))
def test_an_address_with_its_port_comes_back(address: object, port: int) -> None:
    text = f"[{address}]" if ":" in str(address) else str(address)
    assert parse_address(f"{text}:{port}") == (str(address), port)
    assert parse_address(str(address)) == (str(address), None)


@given(text=st.text(alphabet="0123456789.:[]ax ", max_size=12))
def test_what_is_no_address_is_none(text: str) -> None:
    found = parse_address(text)
    assert found is None or parse_address(found[0]) == (found[0], None)


def test_a_crawl_takes_its_addresses_from_the_table(tmp_path: Path) -> None:
    with Origin() as origin:
        address, port = origin.at()
        table = tmp_path / "hosts"
        table.write_text(f"{address}:{port} Table.test\n")
        origin.say("/", reply(page("home", "http://unknown.test/")))
        found = crawl(tmp_path, origin, "http://table.test/", hosts_table=str(table), retries=0)
    assert origin.requests[0].host == "table.test"
    # who may ask no name server does not know the other one
    assert found["failed_dns"] == 1
