"""The spectrum of the Google matrix at α = 1: invariant subspaces, and the core by Arnoldi's method."""

from webstrata.rank.spectra.result import CoreVector, Spectrum, open_spectrum
from webstrata.rank.spectra.settings import SpectrumSettings
from webstrata.rank.spectra.solve import spectrum

__all__ = ["CoreVector", "Spectrum", "SpectrumSettings", "open_spectrum", "spectrum"]
