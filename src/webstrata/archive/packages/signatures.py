"""Signatures of WACZ files: ``signedData`` in ``datapackage-digest.json`` (WACZ Signing 0.1.0).

What is signed is the text ``sha256:…`` of the member ``hash``, which is the hash of ``datapackage.json``.

*anonymous*
    ``publicKey`` is an ECDSA key (SubjectPublicKeyInfo in base64), ``signature`` an ECDSA signature with
    SHA-256, as two numbers one after the other (Web Cryptography) or in DER. It proves that the holder of the
    key signed, and not who that is. ArchiveWeb.page writes it, with P-384.
*domain*
    ``domainCert`` is a chain of certificates whose first has the name ``domain`` and the key of
    ``signature``; ``timeSignature`` is an RFC 3161 timestamp of the text ``signature`` by the first
    certificate of ``timestampCert``, and ``created`` is at most `MAX_DELAY` before it.

A signature that holds is *valid*, whoever signed. Whether the chain of ``domainCert`` ends at a root that
this machine trusts, at the time of the signature, is `Signature.is_trusted`: roots disappear from trust
stores, and archives are kept longer than that. Timestamp authorities are not looked up in a trust store;
their names are reported. Needs the extra ``webstrata[signatures]``, so that the base install does without
OpenSSL.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import datetime as dt
import hashlib
import ssl
import warnings
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.x509 import Certificate

State = Literal["not signed", "valid", "invalid", "not verified"]
MAX_DELAY = dt.timedelta(minutes=10)
_GRACE = dt.timedelta(seconds=1)
"""Timestamps may be whole seconds where ``created`` has fractions."""
_MAX_CERTIFICATES = 16


@dataclass(frozen=True, kw_only=True)
class Signature:
    """What a package says about who signed it, and whether that holds."""

    state: State
    kind: Literal["", "anonymous", "domain"] = ""
    signer: str = ""
    """The domain, or the SHA-256 of the public key."""
    reason: str = ""
    """Why it is invalid or not verified."""
    created: str = ""
    """The time that the signer states."""
    timestamp: str = ""
    """The time that the timestamp authority states."""
    authority: str = ""
    """The name of the timestamp authority's root."""
    is_trusted: bool | None = None
    """Whether the domain's certificate leads to a root of this machine; None for anonymous signatures."""
    software: str = ""

    def __str__(self) -> str:
        if self.state == "not signed":
            return "not signed"
        who = (
            f"the anonymous key {self.signer}" if self.kind == "anonymous" else self.signer or "nobody known"
        )
        if self.state == "invalid":
            return f"the signature of {who} is invalid: {self.reason}"
        if self.state == "not verified":
            return f"signed by {who}, not verified: {self.reason}"
        when = f" at {self.timestamp or self.created}" if self.timestamp or self.created else ""
        trust = "" if self.is_trusted is not False else ", whose certificate leads to no root trusted here"
        return f"signed by {who}{trust}{when}"


def verify_signature(data: object, digest: str) -> Signature:
    """Whether `data`, the ``signedData`` of a package, signs the hash of its ``datapackage.json``.

    Parameters
    ----------
    data
        The object, or None where there is none.
    digest
        ``sha256:…`` as computed from ``datapackage.json``.

    Examples
    --------
    >>> verify_signature(None, "sha256:00").state
    'not signed'
    >>> print(verify_signature({"hash": "sha256:11", "signature": "", "publicKey": ""}, "sha256:00"))
    the signature of the anonymous key  is invalid: it is of the hash sha256:11, and datapackage.json has
    sha256:00
    """
    if data is None:
        return Signature(state="not signed")
    if not isinstance(data, dict):
        return Signature(state="invalid", reason="signedData is not an object")
    told = {name: value for name, value in data.items() if isinstance(value, str)}
    is_anonymous = "publicKey" in told and not ("domain" in told and "domainCert" in told)
    signature = Signature(
        state="invalid",
        kind="anonymous" if is_anonymous else "domain",
        signer="" if is_anonymous else told.get("domain", ""),
        created=told.get("created", ""),
        software=told.get("software", ""),
    )
    if told.get("hash") != digest:
        found = told.get("hash", "nothing")
        return replace(signature, reason=f"it is of the hash {found}, and datapackage.json has {digest}")
    needed = ("signature", "publicKey") if is_anonymous else _DOMAIN_FIELDS
    if missing := [name for name in needed if name not in told]:
        return replace(signature, reason=f"signedData has no {missing[0]}")
    try:
        verify = _import_verifier()
    except ImportError:
        reason = "this needs the package cryptography; install webstrata[signatures]"
        return replace(signature, state="not verified", reason=reason)
    try:
        return verify(signature, told)
    except _Invalid as error:
        return replace(signature, reason=str(error))


_DOMAIN_FIELDS = ("signature", "domain", "domainCert", "timeSignature", "timestampCert", "created")


class _Invalid(Exception):
    """Why a signature does not hold."""


def _import_verifier() -> Callable[[Signature, Mapping[str, str]], Signature]:
    import cryptography
    import rfc3161_client

    assert cryptography, rfc3161_client
    return lambda signature, told: (
        _verify_anonymous(signature, told)
        if signature.kind == "anonymous"
        else _verify_domain(signature, told)
    )


def _verify_anonymous(signature: Signature, told: Mapping[str, str]) -> Signature:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePublicKey
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    encoded = _from_base64(told["publicKey"], "publicKey")
    try:
        key = load_der_public_key(encoded)
    except (ValueError, UnsupportedAlgorithm):
        raise _Invalid("publicKey is not a public key") from None
    if not isinstance(key, EllipticCurvePublicKey):
        raise _Invalid("publicKey is not an ECDSA key")
    _check(key, _from_base64(told["signature"], "signature"), told["hash"])
    return replace(signature, state="valid", signer=f"sha256:{hashlib.sha256(encoded).hexdigest()}")


def _verify_domain(signature: Signature, told: Mapping[str, str]) -> Signature:
    chain = _load_chain(told["domainCert"], "domainCert")
    leaf = chain[0]
    _check(leaf.public_key(), _from_base64(told["signature"], "signature"), told["hash"])
    names = _names_of(leaf)
    if told["domain"] not in names:
        raise _Invalid(f"the certificate is for {', '.join(names) or 'no domain'}, not for {told['domain']}")
    stamped, authority = _verify_timestamp(told)
    try:
        created = dt.datetime.fromisoformat(told["created"].replace("Z", "+00:00"))
    except ValueError:
        raise _Invalid(f"created is not a time: {told['created'][:40]}") from None
    if created.tzinfo is None:
        created = created.replace(tzinfo=dt.UTC)
    if not stamped - MAX_DELAY <= created <= stamped + _GRACE:
        raise _Invalid(f"created is {told['created']}, and the timestamp {stamped:%Y-%m-%dT%H:%M:%SZ}")
    if not leaf.not_valid_before_utc <= created <= leaf.not_valid_after_utc:
        raise _Invalid(f"the certificate of {told['domain']} was not valid at {told['created']}")
    return replace(
        signature,
        state="valid",
        timestamp=f"{stamped:%Y-%m-%dT%H:%M:%SZ}",
        authority=authority,
        is_trusted=_is_trusted(chain, told["domain"], created),
    )


def _verify_timestamp(told: Mapping[str, str]) -> tuple[dt.datetime, str]:
    """The time of the RFC 3161 timestamp of the signature, and who vouches for it."""
    from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response

    chain = _load_chain(told["timestampCert"], "timestampCert")
    encoded = _sort_certificates(_from_base64(told["timeSignature"], "timeSignature"))
    try:
        response = decode_timestamp_response(encoded)
        verifier = VerifierBuilder(
            tsa_certificate=chain[0], intermediates=chain[1:-1], roots=[chain[-1]]
        ).build()
        verifier.verify_message(response, told["signature"].encode())
    except (ValueError, VerificationError) as error:
        raise _Invalid(f"timeSignature is no timestamp of the signature ({error})") from None
    stamped = response.tst_info.gen_time
    if stamped.tzinfo is None:
        stamped = stamped.replace(tzinfo=dt.UTC)
    return stamped, chain[-1].subject.rfc4514_string()


def _sort_certificates(response: bytes) -> bytes:
    """A timestamp response with its certificates in the order that DER has for sets.

    Authorities that run OpenSSL write them in another order, and strict parsers refuse that. The certificates
    are not covered by the signature of the response, so their order can be changed.
    """
    try:
        whole = _elements(response, 0, len(response))[0]
        token = _elements(response, *whole[1:])[1]
        content = _elements(response, *token[1:])[1]
        signed = _elements(response, *content[1:])[0]
        fields = _elements(response, *signed[1:])
        _, start, end = next(field for field in fields if response[field[0]] == 0xA0)
        pieces = [response[place:stop] for place, _, stop in _elements(response, start, end)]
    except (ValueError, IndexError, StopIteration):
        return response  # of another form, as its reader will find
    return response[:start] + b"".join(sorted(pieces)) + response[end:]


def _elements(data: bytes, start: int, end: int) -> list[tuple[int, int, int]]:
    """The elements of DER between two places: where each begins, its content begins, and it ends."""
    found = []
    while start < end:
        length, place = data[start + 1], start + 2
        if length & 0x80:
            number = length & 0x7F
            length, place = int.from_bytes(data[place : place + number], "big"), place + number
        if place + length > end:
            raise ValueError("an element is longer than what it is in")
        found.append((start, place, place + length))
        start = place + length
    return found


def _check(key: object, signature: bytes, text: str) -> None:
    """Whether a key signed a text, with ECDSA or RSA (certificates of domains) and SHA-256."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
    from cryptography.hazmat.primitives.hashes import SHA256

    try:
        if isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(_to_der(key, signature), text.encode(), ec.ECDSA(SHA256()))
        elif isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, text.encode(), padding.PKCS1v15(), SHA256())
        else:
            raise _Invalid("the key is neither ECDSA nor RSA")
    except InvalidSignature:
        raise _Invalid("the hash was not signed with this key") from None


def _to_der(key: EllipticCurvePublicKey, signature: bytes) -> bytes:
    """A signature as two numbers side by side, as browsers write it, in DER."""
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

    length = (key.curve.key_size + 7) // 8
    if len(signature) != 2 * length:
        return signature
    return encode_dss_signature(
        int.from_bytes(signature[:length], "big"), int.from_bytes(signature[length:], "big")
    )


def _load_chain(text: str, name: str) -> list[Certificate]:
    """The certificates of a PEM text, each signed by the next."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.x509 import load_pem_x509_certificates

    try:
        chain = load_pem_x509_certificates(text.encode())
    except ValueError:
        raise _Invalid(f"{name} is no chain of certificates") from None
    if len(chain) > _MAX_CERTIFICATES:
        raise _Invalid(f"{name} has {len(chain)} certificates, more than {_MAX_CERTIFICATES}")
    for certificate, issuer in pairwise(chain):
        try:
            certificate.verify_directly_issued_by(issuer)
        except (ValueError, TypeError, InvalidSignature):
            raise _Invalid(f"{name}: a certificate is not signed by the next one") from None
    return chain


def _names_of(certificate: Certificate) -> list[str]:
    from cryptography.x509 import DNSName, ExtensionNotFound, SubjectAlternativeName
    from cryptography.x509.oid import NameOID

    names = [str(name.value) for name in certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    try:
        others = certificate.extensions.get_extension_for_class(SubjectAlternativeName).value
    except (ExtensionNotFound, ValueError):
        return names
    return list(dict.fromkeys([*names, *others.get_values_for_type(DNSName)]))


def _is_trusted(chain: Sequence[Certificate], domain: str, at: dt.datetime) -> bool:
    """Whether a chain leads to a root of this machine's trust store, at a time."""
    from cryptography.x509 import DNSName
    from cryptography.x509.verification import PolicyBuilder, Store, VerificationError

    roots = _load_roots()
    if not roots:
        return False
    try:
        verifier = PolicyBuilder().store(Store(roots)).time(at).build_server_verifier(DNSName(domain))
        verifier.verify(chain[0], list(chain[1:]))
    except (VerificationError, ValueError):
        return False
    return True


def _load_roots() -> list[Certificate]:
    from cryptography.x509 import load_der_x509_certificate

    context = ssl.create_default_context()
    found: list[Any] = context.get_ca_certs(binary_form=True)
    roots = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some roots have serial numbers that RFC 5280 forbids
        for each in found:
            with contextlib.suppress(ValueError):
                roots.append(load_der_x509_certificate(each))
    return roots


def _from_base64(text: str, name: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise _Invalid(f"{name} is not base64") from None
