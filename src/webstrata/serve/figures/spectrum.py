"""Pictures of a spectrum, as WIKI's figures 9 and 10: core red, subspaces blue, the unit circle green."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from webstrata.serve.figures.style import Figure, load_altair

if TYPE_CHECKING:
    from collections.abc import Mapping

    from webstrata.rank.spectra import Spectrum

PARTS = {"core": "#d62728", "subspaces": "#1f4fd8", "unit circle": "#2ca02c", "not converged": "#b0b0b0"}
"""The colours of the paper; values of the core that have not converged are grey."""
_DIGITS = 4
"""Points that are nearer to each other are one: the picture is some hundred of them wide."""
_SIZE = 460
_PANEL = 250


def draw_spectrum(found: Spectrum, name: str) -> list[Figure]:
    """The figures of a spectrum with this name.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> from webstrata.rank import spectrum
    >>> found = spectrum(Graph.from_arcs([(0, 1), (1, 0), (2, 3)]), bound=0.6)
    >>> [figure.name for figure in draw_spectrum(found, "small")]
    ['spectrum', 'moduli']
    """
    return [Figure("spectrum", _plane(found, name)), Figure("moduli", _moduli(found, name))]


def draw_spectra(spectra: Mapping[str, Spectrum], name: str) -> Figure:
    """Several spectra, a panel each, as WIKI's figures 9 and 10 have them.

    Examples
    --------
    >>> from webstrata.graph import Graph
    >>> from webstrata.rank import spectrum
    >>> found = spectrum(Graph.from_arcs([(0, 1), (1, 0), (2, 3)]), bound=0.6)
    >>> draw_spectra({"2026-01, G": found, "2026-02, G": found}, "small").name
    'spectra'
    """
    alt = load_altair()
    circle = np.exp(1j * np.linspace(0, 2 * math.pi, 91))
    rows: list[dict[str, Any]] = []
    for label, found in spectra.items():
        for part, values in _parts(found):
            rows += [{"which": label, "part": part, "re": re, "im": im} for re, im in _points(values)]
        rows += [
            {"which": label, "part": "unit circle", "re": value.real, "im": value.imag, "order": place}
            for place, value in enumerate(circle.round(5).tolist())
        ]
    colour = alt.Color("part:N", title=None, scale=alt.Scale(domain=list(PARTS), range=list(PARTS.values())))
    scale = alt.Scale(domain=[-1.05, 1.05], nice=False)
    x, y = alt.X("re:Q", title="Re λ", scale=scale), alt.Y("im:Q", title="Im λ", scale=scale)
    base = alt.Chart().encode(x=x, y=y, color=colour)
    is_circle = "datum.part == 'unit circle'"
    line = base.transform_filter(is_circle).mark_line(strokeWidth=1).encode(order="order:Q")
    points = base.transform_filter(f"!({is_circle})").mark_point(size=6, opacity=1)
    chart = (
        alt.layer(line, points, data=alt.Data(values=rows))
        .properties(width=_PANEL, height=_PANEL)
        .facet(facet=alt.Facet("which:N", title=None, sort=list(spectra)), columns=2)
        .properties(title={"text": "Spectra at α = 1 through the snapshots", "subtitle": name})
    )
    return Figure("spectra", chart)


def _plane(found: Spectrum, name: str) -> Any:  # noqa: ANN401
    alt = load_altair()
    rows = [
        {"re": real, "im": imaginary, "part": part}
        for part, values in _parts(found)  # the last are on top
        for real, imaginary in _points(values)
    ]
    circle = [
        {"re": math.cos(angle), "im": math.sin(angle), "order": place, "part": "unit circle"}
        for place, angle in enumerate(np.linspace(0, 2 * math.pi, 181))
    ]
    colour = alt.Color(
        "part:N",
        title=None,
        scale=alt.Scale(domain=list(PARTS), range=list(PARTS.values())),
        legend=alt.Legend(orient="right"),
    )
    scale = alt.Scale(domain=[-1.05, 1.05], nice=False)
    x, y = alt.X("re:Q", title="Re λ", scale=scale), alt.Y("im:Q", title="Im λ", scale=scale)
    line = (
        alt.Chart(alt.Data(values=circle))
        .mark_line(strokeWidth=1)
        .encode(x=x, y=y, color=colour, order="order:Q")
    )
    points = alt.Chart(alt.Data(values=rows)).mark_point(size=7, opacity=1).encode(x=x, y=y, color=colour)
    matrix = "G*" if found.is_inverse else "G"
    subtitle = f"{name}; {len(found.values):,} in {found.num_subspaces:,} subspaces"
    subtitle += f", {found.num_converged:,} of the core"
    if found.num_converged < len(found.core):
        subtitle += f", {len(found.core) - found.num_converged:,} not converged"
    return alt.layer(line, points).properties(
        width=_SIZE, height=_SIZE, title={"text": f"Spectrum of {matrix} at α = 1", "subtitle": subtitle}
    )


def _moduli(found: Spectrum, name: str) -> Any:  # noqa: ANN401
    """How many eigenvalues have at least a modulus, in the core and in subspaces."""
    alt = load_altair()
    rows = []
    for part, values in (("core", found.core), ("subspaces", found.values)):
        moduli = np.sort(np.abs(values))[::-1]
        chosen = np.unique(np.geomspace(1, max(len(moduli), 1), 200).astype(int))
        rows += [
            {"rank": int(rank), "modulus": float(moduli[rank - 1]), "part": part}
            for rank in chosen
            if rank <= len(moduli)
        ]
    domain = ["core", "subspaces"]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_line(interpolate="step-after")
        .encode(
            x=alt.X(
                "rank:Q", title="eigenvalues, the largest first", scale=alt.Scale(type="log", nice=False)
            ),
            y=alt.Y("modulus:Q", title="|λ|", scale=alt.Scale(domain=[0, 1.02])),
            color=alt.Color(
                "part:N", title=None, scale=alt.Scale(domain=domain, range=[PARTS[part] for part in domain])
            ),
        )
        .properties(title={"text": "Moduli", "subtitle": name})
    )


def _parts(found: Spectrum) -> list[tuple[str, np.ndarray[Any, np.dtype[np.complex128]]]]:
    """The values by how they were found; of the core, those that have not converged apart."""
    is_found = found.is_converged
    return [
        ("not converged", found.core[~is_found]),
        ("subspaces", found.values),
        ("core", found.core[is_found]),
    ]


def _points(values: np.ndarray[Any, np.dtype[np.complex128]]) -> list[tuple[float, float]]:
    """The different points of a picture."""
    rounded = np.unique(np.round(np.stack([values.real, values.imag], axis=1), _DIGITS) + 0.0, axis=0)
    return [(float(real), float(imaginary)) for real, imaginary in rounded]
