"""The spectrum of the Google matrix at α = 1: invariant subspaces, and the core by Arnoldi's method."""

from webstrata.rank.spectrum.result import CoreVector, Spectrum, open_spectrum
from webstrata.rank.spectrum.settings import SpectrumSettings
from webstrata.rank.spectrum.solve import spectrum

__all__ = ["CoreVector", "Spectrum", "SpectrumSettings", "open_spectrum", "spectrum"]
