"""Whether a WACZ is what it says: the hashes of its members, the hash of their list, and its signature.

1. ``datapackage.json`` lists ``path``, ``bytes`` and ``hash`` (``sha256:…``) of the members; WACZ 1.0 and
   earlier have ``stats`` and ``hashing`` instead. Each listed member is read once and compared.
2. Members below ``archive/`` that are not listed, two members of one name, and names that lead out of a
   folder are findings too: nothing vouches for their content.
3. ``datapackage-digest.json``, where there is one, has the hash of ``datapackage.json``, and perhaps a
   signature (`webstrata.archive.packages.signatures`).

A package without ``datapackage.json``, or with a list without hashes, makes no statement that could be wrong:
it is reported as *not listed*, not as a finding.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from webstrata.archive.packages.reading import Package, is_safe
from webstrata.archive.packages.signatures import Signature, verify_signature
from webstrata.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from os import PathLike
    from zipfile import ZipInfo

PACKAGE = "datapackage.json"
DIGEST = "datapackage-digest.json"
MAX_FINDINGS = 1000
"""Findings that are kept of one file; more are only counted."""
_FUNCTIONS = {"md5": 32, "sha1": 40, "sha224": 56, "sha256": 64, "sha384": 96, "sha512": 128}


class PackageFinding(NamedTuple):
    """A statement of a file that does not hold."""

    file: str
    member: str
    what: str
    expected: str = ""
    found: str = ""

    def __str__(self) -> str:
        place = f"{self.file}!{self.member}" if self.member else self.file
        told = f": expected {self.expected}, found {self.found}" if self.expected or self.found else ""
        return f"{place}: {self.what}{told}"


@dataclass(frozen=True, kw_only=True)
class PackageCheck:
    """What came of verifying a WACZ."""

    file: str
    is_listed: bool
    """Whether it has a list of hashes."""
    verified: int
    """Members whose hashes hold."""
    findings: list[PackageFinding]
    """The first `MAX_FINDINGS` of them."""
    wrong: int
    """How many there are."""
    signature: Signature

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not self.wrong

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self) | {"findings": [finding._asdict() for finding in self.findings]}

    def __str__(self) -> str:
        if not self.is_listed:
            return f"{self.file}: it has no list of hashes, so nothing was verified"
        wrong = f", {self.wrong} wrong" if self.wrong else ""
        return f"{self.file}: {self.verified} files verified{wrong}; {self.signature}"


def verify_wacz(path: str | PathLike[str]) -> list[PackageFinding]:
    """What a WACZ says about itself and does not hold; empty if all holds.

    Examples
    --------
    >>> import tempfile, zipfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "a.wacz")
    >>> with zipfile.ZipFile(path, "w") as archive:
    ...     archive.writestr("archive/a.warc", "changed")
    ...     archive.writestr(
    ...         "datapackage.json",
    ...         '{"resources": [{"path": "archive/a.warc", "hash": "sha256:00", "bytes": 9}]}')
    >>> [(finding.member, finding.what, finding.expected, finding.found) for finding in verify_wacz(path)]
    [('archive/a.warc', 'wrong size', '9', '7'), ('archive/a.warc', 'wrong hash', 'sha256:00',
    'sha256:d67e2e944994496c8d8ec76eed0cf9f09679448d584b532bebf941852a37f5ed')]
    """
    return check_package(path).findings


def check_package(
    path: str | PathLike[str], *, advance: Callable[[int], None] = lambda number: None
) -> PackageCheck:
    """Verify a WACZ: every listed member is read once.

    Parameters
    ----------
    path
        The file. One that cannot be read as a zip file is a finding.
    advance
        Called with the number of bytes read.

    Examples
    --------
    >>> import tempfile, zipfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "a.wacz")
    >>> zipfile.ZipFile(path, "w").close()
    >>> check = check_package(path)
    >>> check.is_listed, check.holds, check.signature.state
    (False, True, 'not signed')
    """
    check = _Check(str(path), advance)
    try:
        with Package(path) as package:
            check.run(package)
    except FormatError as error:
        check.add("", str(error).removeprefix(f"{path}").lstrip("!: "))
    return PackageCheck(
        file=str(path),
        is_listed=check.is_listed,
        verified=check.verified,
        findings=check.findings,
        wrong=check.wrong,
        signature=check.signature,
    )


class _Check:
    """The verification of one file."""

    def __init__(self, file: str, advance: Callable[[int], None]) -> None:
        self.file, self.advance = file, advance
        self.findings: list[PackageFinding] = []
        self.wrong = self.verified = 0
        self.is_listed = False
        self.signature = Signature(state="not signed")

    def add(self, member: str, what: str, expected: str = "", found: str = "") -> None:
        self.wrong += 1
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(PackageFinding(self.file, member, what, expected, found))

    def run(self, package: Package) -> None:
        for name, number in Counter(package.names).items():
            if number > 1:
                self.add(name, f"{number} members have this name")
            if not is_safe(name):
                self.add(name, "the name leads out of the folder it is unpacked to")
        try:
            described = package.read_object(PACKAGE)
        except FormatError as error:
            self.add(PACKAGE, str(error).removeprefix(f"{package.path}!{PACKAGE}: "))
            return
        if described is not None:
            self._compare_all(package, described)
        self._check_digest(package)

    def _compare_all(self, package: Package, described: dict[str, Any]) -> None:
        listed = set()
        for name, size, expected in self._iter_listed(described):
            self.is_listed = True
            if name in listed:
                self.add(name, "the file is listed twice")
                continue
            listed.add(name)
            info = package.find(name)
            if info is None:
                self.add(name, "the file is listed and missing")
                continue
            self._compare(package, info, size, expected)
        if self.is_listed:
            for name in dict.fromkeys(package.names):
                if name.startswith("archive/") and name not in listed:
                    self.add(name, f"the file is not listed in {PACKAGE}, so nothing vouches for it")

    def _iter_listed(self, described: dict[str, Any]) -> Iterator[tuple[str, object, str]]:
        """Name, size and hash (``function:hex``) of each listed member; other forms are findings."""
        resources = described.get("resources", [])
        for resource in resources if isinstance(resources, list) else [resources]:
            found = resource if isinstance(resource, dict) else {}
            stats = found.get("stats")
            stats = stats if isinstance(stats, dict) else {}
            name, told = found.get("path"), found.get("hash") or stats.get("hash")
            size = found.get("bytes", stats.get("bytes"))
            if not isinstance(name, str) or not isinstance(told, str):
                self.add(PACKAGE, f"a resource without path or hash: {str(resource)[:100]}")
                continue
            if ":" not in told:  # without a name it is md5, as data packages have it
                told = f"{found.get('hashing') or 'md5'}:{told}"
            yield name, size, told

    def _compare(self, package: Package, info: ZipInfo, size: object, expected: str) -> None:
        function, _, text = expected.partition(":")
        if function not in _FUNCTIONS:
            self.add(info.filename, f"the hash function {function[:20]!r} is unknown")
            return
        before = self.wrong
        if size is not None and size != info.file_size:
            self.add(info.filename, "wrong size", str(size), str(info.file_size))
        digest = hashlib.new(function, usedforsecurity=False)
        try:
            for piece in package.iter_pieces(info):
                digest.update(piece)
                self.advance(len(piece))
        except FormatError as error:
            self.add(info.filename, str(error).removeprefix(f"{package.path}!{info.filename}: "))
            return
        if digest.hexdigest() != text.lower():
            self.add(info.filename, "wrong hash", expected, f"{function}:{digest.hexdigest()}")
        self.verified += self.wrong == before

    def _check_digest(self, package: Package) -> None:
        try:
            told = package.read_object(DIGEST)
        except FormatError as error:
            self.add(DIGEST, str(error).removeprefix(f"{package.path}!{DIGEST}: "))
            return
        info = package.find(PACKAGE)
        if told is None:
            return
        if info is None:
            self.add(PACKAGE, f"{DIGEST} has its hash, and it is missing")
            return
        found = f"sha256:{hashlib.sha256(package.read(info)).hexdigest()}"
        if told.get("hash") != found:
            self.add(PACKAGE, f"wrong hash, as {DIGEST} has it", str(told.get("hash"))[:200], found)
        self.signature = verify_signature(told.get("signedData"), found)
        if self.signature.state == "invalid":
            self.add(DIGEST, str(self.signature))
