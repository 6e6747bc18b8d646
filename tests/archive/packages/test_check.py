"""What a WACZ says about itself, compared with what it is."""

from __future__ import annotations

import hashlib
import json
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.archive.packages.making import make_wacz, sign_anonymously
from webstrata.archive.packages.check import check_package, verify_wacz

if TYPE_CHECKING:
    from pathlib import Path

MEMBERS = {"archive/a.warc.gz": b"captures", "indexes/index.cdx": b"index", "pages/pages.jsonl": b"{}"}


def test_a_package_whose_hashes_hold_has_no_findings(tmp_path: Path) -> None:
    check = check_package(make_wacz(tmp_path / "a.wacz", MEMBERS))
    assert (check.is_listed, check.verified, check.findings, check.holds) == (True, 3, [], True)
    assert str(check).endswith("a.wacz: 3 files verified; not signed")


def test_a_changed_member_is_named_with_both_hashes(tmp_path: Path) -> None:
    path = make_wacz(tmp_path / "a.wacz", MEMBERS, changed={"archive/a.warc.gz": b"captureS"})
    (finding,) = verify_wacz(path)
    expected, found = (f"sha256:{hashlib.sha256(data).hexdigest()}" for data in (b"captures", b"captureS"))
    assert finding == (str(path), "archive/a.warc.gz", "wrong hash", expected, found)
    assert str(finding) == f"{path}!archive/a.warc.gz: wrong hash: expected {expected}, found {found}"


def test_a_changed_description_is_found_by_its_digest_and_its_signature(tmp_path: Path) -> None:
    changed = json.dumps({"resources": []}).encode()
    path = make_wacz(
        tmp_path / "a.wacz", MEMBERS, sign=sign_anonymously, changed={"datapackage.json": changed}
    )
    check = check_package(path)
    assert [(finding.member, finding.what[:26]) for finding in check.findings] == [
        ("datapackage.json", "wrong hash, as datapackage"),
        ("datapackage-digest.json", "the signature of the anony"),
    ]
    assert check.signature.state == "invalid"


def test_a_package_that_is_signed_says_by_whom(tmp_path: Path) -> None:
    check = check_package(make_wacz(tmp_path / "a.wacz", MEMBERS, sign=sign_anonymously))
    assert check.holds
    assert "3 files verified; signed by the anonymous key sha256:" in str(check)
    assert check.to_dict()["signature"]["state"] == "valid"


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("archive/../../../etc/a.warc.gz", "the name leads out of the folder it is unpacked to"),
        ("archive/b.warc.gz", "the file is not listed in datapackage.json, so nothing vouches for it"),
        ("archive/a.warc.gz", "2 members have this name"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_was_put_in_later_is_a_finding(tmp_path: Path, name: str, what: str) -> None:
    path = make_wacz(tmp_path / "a.wacz", MEMBERS)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, "captures")
    assert (name, what) in [(finding.member, finding.what) for finding in verify_wacz(path)]


@pytest.mark.parametrize(
    ("resources", "what"),
    [
        ([{"path": "archive/a.warc.gz", "hash": "sha256:00", "bytes": "x"}], "wrong size"),
        ([{"path": "archive/a.warc.gz", "hash": "crc32:00"}], "the hash function 'crc32' is unknown"),
        ([{"path": 7}, None, "a"], "a resource without path or hash: {'path': 7}"),
        ({"path": "gone", "hash": "sha256:00"}, "the file is listed and missing"),
        ([{"path": "x", "hash": "md5:0"}] * 2, "the file is listed and missing"),
    ],
)
def test_an_odd_list_is_a_finding_and_no_error(tmp_path: Path, resources: object, what: str) -> None:
    path = tmp_path / "a.wacz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/a.warc.gz", "captures")
        archive.writestr("datapackage.json", json.dumps({"resources": resources}))
    assert verify_wacz(path)[0].what == what


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    path.write_bytes(b"PK\3\4")
    (finding,) = verify_wacz(path)
    assert finding.what.startswith("the file is not a zip file that can be read")
    make_wacz(path, MEMBERS, changed={"datapackage.json": b"{"})
    assert verify_wacz(path)[0].what.startswith("not JSON")


def test_packages_of_pywb_with_older_lists_are_verified(test_data: Path) -> None:
    folder = test_data / "warc/pywb/waczs"
    check = check_package(folder / "valid_example_1.wacz")
    assert (check.verified, check.findings) == (4, [])
    (finding,) = verify_wacz(folder / "invalid_example_1.wacz")
    assert (finding.member, finding.what) == ("data/indexes/index.cdx.gz", "the file is listed and missing")
