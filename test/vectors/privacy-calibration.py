"""Writes privacy-calibration.json: python3 test/vectors/privacy-calibration.py (mpmath 1.3, 60 digits).

The Gaussian trade-off delta(mu, eps) = Phi(-eps/mu + mu/2) - exp(eps) Phi(-eps/mu - mu/2) straight from its formula, its
two inverses by bisection, and the probabilities of discrete Gaussians by summation, all in 60 digits; nothing is shared
with the library, which works with Mills' ratio and double-double numbers.
"""

import json
import os

from mpmath import erfc, exp, mp, mpf, sqrt

mp.dps = 60


def upper(x):
    return erfc(x / sqrt(mpf(2))) / 2


def delta(mu, eps):
    return upper(eps / mu - mu / 2) - exp(eps) * upper(eps / mu + mu / 2)


def bisect(increasing, low, high):
    while high - low > mpf(10) ** -25 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if increasing(middle) > 0 else (middle, high)
    return low


def mu_of(eps, target):
    return bisect(lambda mu: delta(mu, eps) - target, mpf(10) ** -12, mpf(200))


def eps_of(mu, target):
    return bisect(lambda eps: target - delta(mu, eps), mpf(0), mpf(20000))


def pmf(variance):
    weights = [exp(-mpf(k * k) / (2 * variance)) for k in range(400)]
    whole = 2 * sum(weights) - 1
    return [float(w / whole) for w in weights[:60]]


mus = [
    {"epsilon": eps, "delta": d, "mu": float(mu_of(mpf(eps), mpf(d)))}
    for eps in [1e-4, 0.003, 0.1, 1.0, 3.7, 25.0, 100.0, 1000.0]
    for d in [1e-30, 1e-12, 1e-5, 0.1, 0.7]
]
epsilons = [
    {"mu": mu, "delta": d, "epsilon": float(eps_of(mpf(mu), mpf(d)))}
    for mu in [1e-3, 0.05, 0.7, 3.0, 17.0, 60.0]
    for d in [1e-30, 1e-12, 1e-5, 0.1]
    if delta(mpf(mu), mpf(0)) > d
]
deltas = [
    {"mu": mu, "epsilon": eps, "delta": float(delta(mpf(mu), mpf(eps)))}
    for mu in [1e-6, 1e-3, 0.05, 0.7, 3.0, 17.0, 60.0]
    for eps in [0.0, 1e-4, 0.1, 1.0, 10.0, 100.0]
    if delta(mpf(mu), mpf(eps)) > mpf(10) ** -290
]
path = os.path.join(os.path.dirname(__file__), "privacy-calibration.json")
with open(path, "w") as file:
    json.dump(
        {
            "mus": mus,
            "epsilons": epsilons,
            "deltas": deltas,
            "pmf": {str(v): pmf(v) for v in [1, 3, 9, 31, 100]},
        },
        file,
        indent=1,
    )
    file.write("\n")
