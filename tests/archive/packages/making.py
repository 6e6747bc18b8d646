"""WACZ packages for tests: with correct hashes, signed by keys and certificates made here."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
import subprocess
import zipfile
from typing import TYPE_CHECKING, Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def make_wacz(
    path: Path,
    members: dict[str, bytes],
    *,
    sign: Callable[[str], dict[str, Any]] | None = None,
    changed: dict[str, bytes] | None = None,
) -> Path:
    """A package of these members; those in `changed` have other content than the hashes say."""
    resources = [
        {
            "name": name.rpartition("/")[2],
            "path": name,
            "hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
            "bytes": len(data),
        }
        for name, data in members.items()
    ]
    package = {"profile": "data-package", "wacz_version": "1.1.1", "resources": resources}
    described = json.dumps(package, indent=2).encode()
    digest = f"sha256:{hashlib.sha256(described).hexdigest()}"
    told: dict[str, Any] = {"path": "datapackage.json", "hash": digest}
    if sign is not None:
        told["signedData"] = sign(digest)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, (changed or {}).get(name, data))
        archive.writestr("datapackage.json", (changed or {}).get("datapackage.json", described))
        archive.writestr("datapackage-digest.json", json.dumps(told))
    return path


def sign_anonymously(digest: str) -> dict[str, Any]:
    """As ArchiveWeb.page does it: P-384, the two numbers of the signature one after the other."""
    key = ec.generate_private_key(ec.SECP384R1())
    numbers = decode_dss_signature(key.sign(digest.encode(), ec.ECDSA(SHA256())))
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return {
        "hash": digest,
        "created": "2026-06-12T18:30:00.123Z",
        "software": "ArchiveWeb.page 0.12.0",
        "signature": base64.b64encode(b"".join(n.to_bytes(48, "big") for n in numbers)).decode(),
        "publicKey": base64.b64encode(public).decode(),
    }


def make_certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None,
    *,
    usage: x509.ObjectIdentifier | None = None,
) -> x509.Certificate:
    """A certificate that is valid around now, of a root if it has no issuer."""
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[0].subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    names = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    above = issuer[1] if issuer else key
    builder = builder.add_extension(names, critical=False).add_extension(
        x509.AuthorityKeyIdentifier.from_issuer_public_key(above.public_key()), critical=False
    )
    if issuer is None:
        uses = dict.fromkeys(
            ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "crl_sign"),
            False,
        )
        usages = x509.KeyUsage(
            digital_signature=True, key_cert_sign=True, encipher_only=False, decipher_only=False, **uses
        )
        builder = builder.add_extension(usages, critical=True)
    if usage is not None:
        is_stamp = usage == ExtendedKeyUsageOID.TIME_STAMPING
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=is_stamp)
    if usage == ExtendedKeyUsageOID.SERVER_AUTH:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    return builder.sign(above, SHA256())


class Authority:
    """A domain with a certificate, and a timestamp authority that OpenSSL plays."""

    def __init__(self, folder: Path, domain: str) -> None:
        self.folder, self.domain = folder, domain
        keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(4)]
        root = make_certificate("Test Root", keys[0], None)
        self.key = keys[1]
        leaf = make_certificate(domain, self.key, (root, keys[0]), usage=ExtendedKeyUsageOID.SERVER_AUTH)
        self.chain = self._text(leaf, root)
        stamp_root = make_certificate("Time Root", keys[2], None)
        stamp = make_certificate(
            "Time", keys[3], (stamp_root, keys[2]), usage=ExtendedKeyUsageOID.TIME_STAMPING
        )
        self.stamp_chain = self._text(stamp, stamp_root)
        (folder / "tsa.pem").write_text(self._text(stamp))
        (folder / "chain.pem").write_text(self._text(stamp_root))
        private = keys[3].private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (folder / "tsa.key").write_bytes(private)
        (folder / "serial").write_text("01")
        (folder / "tsa.conf").write_text(CONFIG.format(folder=folder))

    @staticmethod
    def _text(*certificates: x509.Certificate) -> str:
        return "\n".join(each.public_bytes(Encoding.PEM).decode() for each in certificates)

    def stamp(self, text: str) -> str:
        """An RFC 3161 response for a text."""
        (self.folder / "data").write_text(text)
        for words in (
            ["-query", "-data", "data", "-sha256", "-cert", "-out", "request"],
            ["-reply", "-config", "tsa.conf", "-queryfile", "request", "-out", "response"],
        ):
            subprocess.run(["openssl", "ts", *words], cwd=self.folder, check=True, capture_output=True)
        return base64.b64encode((self.folder / "response").read_bytes()).decode()

    def sign(self, digest: str) -> dict[str, Any]:
        """As authsign does it."""
        signature = base64.b64encode(self.key.sign(digest.encode(), ec.ECDSA(SHA256()))).decode()
        return {
            "hash": digest,
            "created": f"{dt.datetime.now(dt.UTC):%Y-%m-%dT%H:%M:%SZ}",
            "software": "authsigner 0.3.0",
            "signature": signature,
            "domain": self.domain,
            "domainCert": self.chain,
            "timeSignature": self.stamp(signature),
            "timestampCert": self.stamp_chain,
        }


CONFIG = """
[tsa]
default_tsa = tsa_config
[tsa_config]
dir = {folder}
serial = {folder}/serial
crypto_device = builtin
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
certs = {folder}/chain.pem
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
accuracy = secs:1
ordering = yes
tsa_name = no
ess_cert_id_chain = no
ess_cert_id_alg = sha256
"""
