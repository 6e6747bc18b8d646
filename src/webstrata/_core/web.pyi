from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Robots",
    "detect_charset",
    "detect_language",
    "fingerprint_page",
    "normalize_urls",
    "parse_robots_directives",
    "public_suffix",
    "registered_domain",
    "row_keys",
    "scan_page",
]

@final
class Robots:
    def __new__(
        cls, content: bytes, agents: Sequence[bytes], max_bytes: int, like_google: bool
    ) -> Robots: ...
    def allows(self, target: bytes) -> bool: ...
    def allows_many(self, targets: Sequence[bytes]) -> NDArray[np.bool_]: ...
    @property
    def crawl_delay(self) -> float: ...
    @property
    def num_rules(self) -> int: ...
    @property
    def num_bytes(self) -> int: ...
    @property
    def sitemaps(self) -> list[str]: ...
    @property
    def signals(self) -> list[str]: ...

def detect_charset(body: bytes, label: str | None, tld: str) -> tuple[str, str]: ...
def detect_language(text: str) -> tuple[str, bool] | None: ...
def fingerprint_page(body: bytes, label: str | None) -> int: ...
def normalize_urls(
    references: Sequence[str], base: str | None, max_length: int
) -> tuple[list[str | None], list[tuple[int, str]]]: ...
def parse_robots_directives(value: str, agents: Sequence[str]) -> int: ...
def public_suffix(host: str) -> str | None: ...
def registered_domain(host: str) -> str | None: ...
def row_keys(urls: Sequence[str]) -> list[str]: ...
def scan_page(
    body: bytes,
    label: str | None,
    *,
    tld: str,
    agents: Sequence[str],
    resources: bool,
    anchors: bool,
    text: bool,
) -> dict[str, Any]: ...
