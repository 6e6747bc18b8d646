"""Signatures of WACZ packages: anonymous keys, domains with certificates and timestamps."""

from __future__ import annotations

import base64
import datetime as dt
import shutil
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.archive.packages.making import Authority, sign_anonymously
from webstrata.archive.packages.signatures import verify_signature

if TYPE_CHECKING:
    from pathlib import Path

DIGEST = "sha256:" + "ab" * 32
OTHER = "sha256:" + "cd" * 32


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    if shutil.which("openssl") is None:
        pytest.skip("openssl, which makes timestamps here, is not installed")
    return Authority(tmp_path_factory.mktemp("authority"), "crawler.example.org")


def test_an_anonymous_signature_holds_for_its_hash_alone() -> None:
    signed = sign_anonymously(DIGEST)
    signature = verify_signature(signed, DIGEST)
    assert (signature.state, signature.kind, signature.is_trusted) == ("valid", "anonymous", None)
    assert signature.signer.startswith("sha256:")
    assert str(signature) == f"signed by the anonymous key {signature.signer} at 2026-06-12T18:30:00.123Z"
    assert "it is of the hash" in verify_signature(signed, OTHER).reason
    signature = verify_signature(signed | {"hash": OTHER}, OTHER)
    assert (signature.state, signature.reason) == ("invalid", "the hash was not signed with this key")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"publicKey": "!"}, "publicKey is not base64"),
        ({"publicKey": base64.b64encode(b"key").decode()}, "publicKey is not a public key"),
        ({"signature": base64.b64encode(bytes(96)).decode()}, "the hash was not signed with this key"),
        ({"signature": "AAAA"}, "the hash was not signed with this key"),
        ({"signature": 7}, "signedData has no signature"),
    ],
)
def test_what_is_wrong_with_an_anonymous_signature_is_said(change: dict[str, Any], reason: str) -> None:
    signature = verify_signature(sign_anonymously(DIGEST) | change, DIGEST)
    assert (signature.state, signature.reason) == ("invalid", reason)


def test_a_domain_signs_with_its_certificate_at_a_stamped_time(authority: Authority) -> None:
    signature = verify_signature(authority.sign(DIGEST), DIGEST)
    assert (signature.state, signature.signer) == ("valid", "crawler.example.org"), signature.reason
    assert abs(dt.datetime.fromisoformat(signature.timestamp) - dt.datetime.now(dt.UTC)) < dt.timedelta(
        hours=1
    )
    assert signature.authority == "CN=Time Root"
    assert signature.is_trusted is False  # nobody trusts the root of this test
    assert "leads to no root trusted here" in str(signature)


def test_a_domain_is_trusted_if_its_root_is(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    root = authority.folder / "root.pem"
    root.write_text("-----BEGIN" + authority.chain.rpartition("-----BEGIN")[2])
    monkeypatch.setenv("SSL_CERT_FILE", str(root))
    assert verify_signature(authority.sign(DIGEST), DIGEST).is_trusted is True


def test_what_is_wrong_with_the_signature_of_a_domain_is_said(authority: Authority, tmp_path: Path) -> None:
    signed = authority.sign(DIGEST)
    other = Authority(tmp_path, "other.example.org")
    old = "2020-01-01T00:00:00Z"
    for change, reason in [
        ({"domain": "else.example.org"}, "the certificate is for crawler.example.org, not for"),
        ({"domainCert": other.chain}, "the hash was not signed with this key"),
        ({"domainCert": "none"}, "domainCert is no chain of certificates"),
        ({"domainCert": signed["domainCert"] + other.chain}, "domainCert: a certificate is not signed"),
        ({"timestampCert": other.stamp_chain}, "timeSignature is no timestamp of the signature"),
        ({"timeSignature": other.stamp("something else")}, "timeSignature is no timestamp of the signature"),
        ({"timeSignature": "AAAA"}, "timeSignature is no timestamp of the signature"),
        ({"created": old}, f"created is {old}, and the timestamp "),
        ({"created": "yesterday"}, "created is not a time: yesterday"),
        ({"timeSignature": None}, "signedData has no timeSignature"),
    ]:  # fmt: skip
        signature = verify_signature(signed | change, DIGEST)
        assert signature.state == "invalid", change
        assert signature.reason.startswith(reason), signature.reason


def test_without_the_extra_a_signature_is_reported_as_not_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    signed = sign_anonymously(DIGEST)
    monkeypatch.setitem(sys.modules, "rfc3161_client", None)
    signature = verify_signature(signed, DIGEST)
    assert signature.state == "not verified"
    assert "install webstrata[signatures]" in str(signature)


@pytest.mark.parametrize("data", [[], "signed", 1])
def test_signed_data_of_another_type_is_invalid(data: object) -> None:
    assert verify_signature(data, DIGEST).reason == "signedData is not an object"
