"""Which installed documentation is found, and what is copied of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata.store.documentation import copy_pages, find_packages

if TYPE_CHECKING:
    from pathlib import Path


def write_package(root: Path, name: str, number: int) -> None:
    for page in range(number):
        path = root / name / ("deep/" * (page % 3)) / f"{page:03}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<title>{name} {page}</title>")


def test_packages_with_enough_pages_are_found_the_smallest_first(tmp_path: Path) -> None:
    for name, number in (("large", 9), ("few", 2), ("Small_2", 4)):
        write_package(tmp_path, name, number)
    (tmp_path / "link").symlink_to(tmp_path / "large")
    found = find_packages([tmp_path], min_pages=3)
    assert [(package.host, len(package.pages)) for package in found] == [
        ("small-2.docs.test", 4),
        ("large.docs.test", 9),
    ]


def test_limits_keep_the_pages_nearest_to_the_top(tmp_path: Path) -> None:
    write_package(tmp_path, "large", 9)
    write_package(tmp_path, "small", 4)
    [small, large] = find_packages([tmp_path], min_pages=2, package_pages=5, all_pages=7)
    assert len(small.pages) == 4
    assert list(large.pages) == ["000.html", "003.html", "006.html"]


def test_a_package_that_two_roots_have_is_taken_once(tmp_path: Path) -> None:
    for root in ("a", "b"):
        write_package(tmp_path / root, "same", 3)
    assert len(find_packages([tmp_path / "a", tmp_path / "b"], min_pages=1)) == 1


def test_pages_are_copied_below_their_hosts_and_others_are_not(tmp_path: Path) -> None:
    write_package(tmp_path / "docs", "one", 3)
    (tmp_path / "docs" / "one" / "style.css").write_text("p {}")
    (tmp_path / "docs" / "one" / "link.html").symlink_to(tmp_path / "docs" / "one" / "000.html")
    assert copy_pages(find_packages([tmp_path / "docs"], min_pages=1), tmp_path / "pages") == 3
    names = sorted(
        path.relative_to(tmp_path / "pages").as_posix() for path in (tmp_path / "pages").rglob("*.*")
    )
    assert names == [
        "one.docs.test",
        "one.docs.test/000.html",
        "one.docs.test/deep/001.html",
        "one.docs.test/deep/deep/002.html",
    ]
