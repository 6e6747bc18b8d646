"""Plans and estimates in plain Python, by other methods than the package's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize, minimize_scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt


def freshness(rate: float, frequency: float) -> float:
    return frequency / rate * -math.expm1(-rate / frequency) if frequency > 0 else 0.0


def azar(rates: Sequence[float], weights: Sequence[float], budget: float) -> list[float]:
    """Azar et al. 2018: pages leave the plan in order of importance per change, until the rest fits."""
    kept = sorted(range(len(rates)), key=lambda i: weights[i] / rates[i], reverse=True)
    while True:
        roots = sum(math.sqrt(weights[i] * rates[i]) for i in kept)
        scale = (budget + sum(rates[i] for i in kept)) / roots
        if math.sqrt(weights[kept[-1]] * rates[kept[-1]]) * scale > rates[kept[-1]]:
            break
        kept.pop()
    found = [0.0] * len(rates)
    for i in kept:
        found[i] = math.sqrt(weights[i] * rates[i]) * scale - rates[i]
    return found


def numerical_optimum(
    rates: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    budget: float,
    hosts: npt.NDArray[np.int64],
    limits: npt.NDArray[np.float64],
) -> float:
    """The greatest Σ μF under limits per host, by a general optimizer."""
    constraints = [{"type": "eq", "fun": lambda f: f.sum() - budget}]
    for host, limit in enumerate(limits):
        inside = hosts == host
        constraints.append({"type": "ineq", "fun": lambda f, i=inside, most=limit: most - f[i].sum()})
    start = np.minimum(budget / len(rates), limits[hosts] / np.bincount(hosts)[hosts])
    found = minimize(
        lambda f: -sum(w * freshness(r, max(x, 1e-12)) for r, w, x in zip(rates, weights, f, strict=True)),
        start,
        method="SLSQP",
        bounds=[(0, None)] * len(rates),
        constraints=constraints,
        options={"maxiter": 500, "ftol": 1e-12},
    )
    return -float(found.fun)


def most_likely_rate(visits: Sequence[tuple[float, bool]], prior: float) -> float:
    """The λ with the greatest likelihood of visits, by a general optimizer."""
    length = math.log(2) / prior
    every = [*visits, (length, True), (length, False)]

    def cost(log_rate: float) -> float:
        rate = math.exp(log_rate)
        return -sum(math.log(-math.expm1(-rate * t)) if changed else -rate * t for t, changed in every)

    found = minimize_scalar(
        cost, bounds=(math.log(5e-4), math.log(100)), method="bounded", options={"xatol": 1e-10}
    )
    return math.exp(found.x)
