"""python3 trials.py: single trials on the very rows that Suffice draws, fitted by scikit-learn → trials.json;
and the distribution functions of the laws by scipy.stats → laws.json

The streams are written once more here from their description: xoshiro128** filled by splitmix32, uniforms on multiples of
2⁻⁵³, the polar method. Logarithm and exponential are the platform's, so draws may differ in their last bits."""
import json
import math

import numpy as np
from algorithm2 import GAMMAS, errors, fesc_weights, law, ridge

MASK = 0xFFFFFFFF


def finalised(word):
    word = ((word ^ (word >> 16)) * 0x85EBCA6B) & MASK
    word = ((word ^ (word >> 13)) * 0xC2B2AE35) & MASK
    return word ^ (word >> 16)


def words(seed):
    state = [finalised((seed + k * 0x9E3779B9) & MASK) for k in range(1, 5)]
    rotate = lambda word, bits: ((word << bits) | (word >> (32 - bits))) & MASK
    while True:
        a, b, c, d = state
        yield (rotate((b * 5) & MASK, 7) * 9) & MASK
        c, d = c ^ a, d ^ b
        state = [a ^ d, b ^ c, c ^ ((b << 9) & MASK), rotate(d, 11)]


class Source:
    def __init__(self, seed):
        self.words, self.spare = words(seed), None

    def whole(self):
        return (next(self.words) >> 5) * 2**26 + (next(self.words) >> 6)

    def uniform(self):
        return (self.whole() + 1) / 2**53

    def exponential(self):
        return -math.log(self.uniform())

    def normal(self):
        if self.spare is not None:
            value, self.spare = self.spare, None
            return value
        while True:
            x, y = self.whole() / 2**52 - 1, self.whole() / 2**52 - 1
            square = x * x + y * y
            if 0 < square < 1:
                stretch = math.sqrt(-2 * math.log(square) / square)
                self.spare = y * stretch
                return x * stretch


def poisson(mean, s):
    count, time = 0, s.exponential()
    while time < mean:
        count, time = count + 1, time + s.exponential()
    return count


DRAWS = {
    "lognormal-low": lambda mean, s: mean * math.exp(s.normal() - 0.5),
    "lognormal-high": lambda mean, s: mean * math.exp(2 * s.normal() - 2),
    "poisson": poisson,
    "gaussian-low": lambda mean, s: mean + 0.1 * mean * s.normal(),
    "gaussian-medium": lambda mean, s: mean + 0.5 * mean * s.normal(),
    "gaussian-high": lambda mean, s: mean + mean * s.normal(),
    "uniform-low": lambda mean, s: 0.5 * mean + mean * s.uniform(),
    "uniform-high": lambda mean, s: 2 * mean * s.uniform(),
    "laplace-low": lambda mean, s: mean + 0.1 * mean * (s.exponential() - s.exponential()),
    "laplace-medium": lambda mean, s: mean + 0.5 * mean * (s.exponential() - s.exponential()),
    "laplace-high": lambda mean, s: mean + mean * (s.exponential() - s.exponential()),
    "pareto": lambda mean, s: 0.6 * mean * s.uniform() ** (-1 / 2.5),
    "weibull": lambda mean, s: mean / math.gamma(5 / 3) * s.exponential() ** (1 / 1.5),
}


def trial(name, nodes, d, seed, run, g):
    first = (finalised(seed) + 2 * (run * 11 + g)) & MASK
    design, rows = Source(first), Source((first + 1) & MASK)
    mean = nodes ** GAMMAS[g]
    n = np.array([max(1, math.floor(DRAWS[name](mean, design) + 0.5)) for _ in range(nodes)])
    theta_star = np.array([design.uniform() for _ in range(d)])
    xs, ys = [], []
    for size in n:
        table = np.array([[rows.normal() for _ in range(d + 1)] for _ in range(size)])
        xs.append(table[:, :d])
        ys.append(table[:, :d] @ theta_star + table[:, d])
    centralised, average, fesc = errors(n, theta_star, xs, ys)
    lam = 1 / np.sqrt(n.sum())
    return {
        "law": name, "nodes": nodes, "dimension": d, "seed": seed, "run": run, "gamma": g, "sizes": n.tolist(),
        "kept": int((fesc_weights(n) > 0).sum()), "centralised": centralised, "average": average, "fesc": fesc,
        "truth": theta_star.tolist(), "pooled": ridge(lam, np.vstack(xs), np.concatenate(ys)).tolist(),
        "thetas": [ridge(lam, x, y).tolist() for x, y in zip(xs[:12], ys[:12])],
    }


trials = [trial(name, 12, 4, 7 + k, k, k % 11) for k, name in enumerate(DRAWS)]
trials += [trial("lognormal-low", 100, 10, 1, 0, g) for g in (0, 5, 8)]
trials += [trial("pareto", 3, 1, 2**31 + 5, 9999, 10), trial("weibull", 9, 23, 0, 1, 4)]
json.dump(trials, open("trials.json", "w"))

# Where each law stands: its distribution function at 99 of its own quantiles.
means = {name: [2.5, 30, 940] if name == "poisson" else [30] for name in DRAWS}
points = [
    {"law": name, "mean": mean, "x": x.tolist(), "below": law(name, mean).cdf(x).tolist(),
     "scipyMean": float(law(name, mean).mean()), "sd": float(law(name, mean).std())}
    for name in DRAWS for mean in means[name] for x in [np.unique(law(name, mean).ppf(np.arange(1, 100) / 100))]
]
json.dump(points, open("laws.json", "w"))
