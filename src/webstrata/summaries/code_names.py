"""Names of instantaneous codes, here and in the crate ``dsi-bitstream``."""

from __future__ import annotations

import re

_FAMILIES = {
    "unary": "Unary",
    "gamma": "Gamma",
    "delta": "Delta",
    "omega": "Omega",
    "vbyte": "VByteBe",
    "zeta": "Zeta",
    "pi": "Pi",
    "golomb": "Golomb",
    "exp-golomb": "ExpGolomb",
    "rice": "Rice",
}
_PARAMETERS = {
    "zeta": range(1, 11),
    "pi": range(2, 11),
    "golomb": range(1, 11),
    "exp-golomb": range(11),
    "rice": range(11),
}


def is_code(name: str) -> bool:
    """Whether there is a code of this name.

    Examples
    --------
    >>> is_code("zeta3"), is_code("gamma"), is_code("zeta"), is_code("gamma2")
    (True, True, False, False)
    """
    return _parse(name) is not None


def _parse(name: str) -> tuple[str, int | None] | None:
    match = re.fullmatch(r"([a-z-]+?)(\d{1,2})?", name)
    if match is None or match[1] not in _FAMILIES:
        return None
    family, number = match[1], match[2]
    if family in _PARAMETERS:
        return (family, int(number)) if number and int(number) in _PARAMETERS[family] else None
    return None if number else (family, None)


def to_core(name: str) -> str:
    """The name of a code as the crate writes it.

    Examples
    --------
    >>> to_core("zeta3"), to_core("exp-golomb2"), to_core("delta")
    ('Zeta(3)', 'ExpGolomb(2)', 'Delta')
    """
    parsed = _parse(name)
    if parsed is None:
        raise ValueError(f"name: expected that of a code, got {name!r}")
    family, number = parsed
    return _FAMILIES[family] if number is None else f"{_FAMILIES[family]}({number})"


def from_core(name: str) -> str:
    """The name of a code of the crate as we write it.

    Examples
    --------
    >>> from_core("Zeta(3)"), from_core("VByteBe")
    ('zeta3', 'vbyte')
    """
    family, _, number = name.partition("(")
    names = {theirs: ours for ours, theirs in _FAMILIES.items()}
    return names[family] + number.rstrip(")")
