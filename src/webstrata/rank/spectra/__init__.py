"""The spectrum of the Google matrix at α = 1: invariant subspaces, and the core by Arnoldi's method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webstrata._lazy import export

if TYPE_CHECKING:
    from webstrata.rank.spectra.result import CoreVector as CoreVector
    from webstrata.rank.spectra.result import Spectrum as Spectrum
    from webstrata.rank.spectra.result import open_spectrum as open_spectrum
    from webstrata.rank.spectra.settings import SpectrumSettings as SpectrumSettings
    from webstrata.rank.spectra.solve import spectrum as spectrum

export(
    __name__,
    {
        "result": ("CoreVector", "Spectrum", "open_spectrum"),
        "settings": ("SpectrumSettings",),
        "solve": ("spectrum",),
    },
)
