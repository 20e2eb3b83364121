"""Writes ridge-statements.json: the statements of arXiv 2601.08216 that hold under no reading tried, in numpy, from the text alone.

Run from this folder: OPENBLAS_NUM_THREADS=1 python3 ridge-statements.py > ridge-statements.json   (a minute or two)

Own data, own seeds: numbers agree with `suffice paper ridge` as far as chance allows; those that are counted or calculated agree to
the last digits. Data are those of section V-A: w* of length 1, a client's mean at gamma u, features with a standard deviation of
their own at each client, uniform in [0.8, 1.2], errors of standard deviation 0.1, a fifth of the rows held out.

  proximal     Table III, "At maximum heterogeneity ... FedProx shows increased variance": gap and standard deviation of the MSE of
               FedProx-200 at gamma = 0 and 1, with the ridge shared out (2A'r/n_k + 2(ridge/n)w) and on the mean loss (A'r/n_k + ridge w)
  bytes        Table IV, "an 80x reduction": FedAvg-200 over One-Shot in numbers, by Theorem 4, upload and both ways
  cause        V-E, "the fundamental limitation of gradient-based optimization": what is left of the exact MSE by FedAvg with one local
               step (1500 rounds), by FedAvg with five and by SCAFFOLD with five (300 rounds)
  guarantee    Theorem 6: the epsilon of noise tau, and of tau/eps, on G and h together, rows and responses of at most 1; analytic
               Gaussian (Balle & Wang 2018, Theorem 8), a row added or removed
  manyClients  Table VI, "a 30% accuracy loss": gap of FedAvg-200 by number of clients: all in every round under both readings of the
               ridge, ten a round, a tenth a round
  projection   Table VII: MSE over that without projection, at m of d = 1000; the features vary alike, or their standard deviations
               fall like 1/j or 1/j^1.1. And the MSE of FedAvg-200
"""
import json
import math
import sys
import numpy as np

RIDGE, ETA, EPOCHS = 0.01, 0.01, 5


def unit(v):
    return v / np.linalg.norm(v)


def draw(rng, clients, rows, d, gamma, fall=0.0):
    scale = np.arange(1, d + 1) ** -fall
    scale = scale / np.sqrt(np.mean(scale**2))
    w = unit(rng.normal(size=d))
    train, test = [], []
    for _ in range(clients):
        mean = gamma * unit(rng.normal(size=d))
        a = mean + rng.normal(size=(rows, d)) * (scale * rng.uniform(0.8, 1.2, size=d))
        b = a @ w + 0.1 * rng.normal(size=rows)
        kept = rows - rows // 5
        train.append((a[:kept], b[:kept]))
        test.append((a[kept:], b[kept:]))
    return train, (np.vstack([a for a, _ in test]), np.concatenate([b for _, b in test]))


def exact(train):
    g = sum(a.T @ a for a, _ in train)
    return np.linalg.solve(g + RIDGE * np.eye(len(g)), sum(a.T @ b for a, b in train))


def mse(test, w):
    return float(np.mean((test[0] @ w - test[1]) ** 2))


def shared(n):
    return 2, 2 * RIDGE / n


def mean_loss(n):
    return 1, RIDGE


def average(train, rounds, reading, mu=0.0, epochs=EPOCHS, pick=None):
    """FedAvg, or FedProx with mu > 0; clients alike in size. `pick(round)` names the clients of a round."""
    d, n = train[0][0].shape[1], sum(len(b) for _, b in train)
    squares, shrink = reading(n)
    grams = np.stack([squares * a.T @ a / len(b) for a, b in train])
    moments = np.stack([squares * a.T @ b / len(b) for a, b in train])
    w = np.zeros(d)
    for r in range(rounds):
        some = slice(None) if pick is None else pick(r)
        g, h = grams[some], moments[some]
        v = np.tile(w, (len(h), 1))
        for _ in range(epochs):
            v = v - ETA * (np.einsum("kij,kj->ki", g, v) - h + shrink * v + mu * (v - w))
        w = v.mean(axis=0)
    return w


def scaffold(train, rounds):
    d, n = train[0][0].shape[1], sum(len(b) for _, b in train)
    g = np.stack([2 * a.T @ a / len(b) for a, b in train])
    h = np.stack([2 * a.T @ b / len(b) for a, b in train])
    w, own = np.zeros(d), np.zeros((len(train), d))
    for _ in range(rounds):
        c = own.mean(axis=0)
        v = np.tile(w, (len(train), 1))
        for _ in range(EPOCHS):
            v = v - ETA * (np.einsum("kij,kj->ki", g, v) - h + 2 * RIDGE / n * v - own + c)
        own = own - c + (w - v) / (EPOCHS * ETA)
        w = v.mean(axis=0)
    return w


def gap(train, test, w, best=None):
    """(MSE - exact)/exact without cancellation: (d'Gd + 2 d'(Gw - h))/n around the exact model."""
    best = exact(train) if best is None else best
    a, b = test
    away = w - best
    return float((np.sum((a @ away) ** 2) + 2 * away @ (a.T @ (a @ best - b))) / len(b) / mse(test, best))


def proximal(seeds=20):
    out = {}
    for name, reading in (("shared", shared), ("meanLoss", mean_loss)):
        gaps, errors = {}, {}
        for gamma in (0.0, 1.0):
            gaps[gamma], errors[gamma] = [], []
            for seed in range(seeds):
                train, test = draw(np.random.default_rng([1, seed]), 20, 500, 100, gamma)
                w = average(train, 200, reading, mu=0.01)
                gaps[gamma].append(gap(train, test, w))
                errors[gamma].append(mse(test, w))
        out[name] = {
            "gap": [float(np.mean(gaps[g])) for g in (0.0, 1.0)],
            "deviation": [float(np.std(errors[g], ddof=1)) for g in (0.0, 1.0)],
        }
    return out


def bytes_by_dimension(rounds=200):
    up = {d: rounds * d / (d * (d + 1) / 2 + d) for d in (50, 100, 200, 400)}
    both = {d: 2 * rounds * d / (d * (d + 1) / 2 + 2 * d) for d in (50, 100, 200, 400)}
    return {"dimensions": list(up), "up": list(up.values()), "bothWays": list(both.values())}


def cause(seeds=3):
    left = {"oneStep": [], "fiveSteps": [], "scaffold": []}
    for seed in range(seeds):
        train, test = draw(np.random.default_rng([2, seed]), 20, 500, 100, 0.5)
        best = exact(train)
        left["oneStep"].append(abs(gap(train, test, average(train, 1500, shared, epochs=1), best)))
        left["fiveSteps"].append(abs(gap(train, test, average(train, 300, shared), best)))
        left["scaffold"].append(abs(gap(train, test, scaffold(train, 300), best)))
    return {name: float(np.mean(values)) for name, values in left.items()}


def phi(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def epsilon_of(mu, delta=1e-5):
    """Smallest epsilon for which N(mu, 1) and N(0, 1) are (epsilon, delta)-close."""
    def spent(eps):
        return phi(mu / 2 - eps / mu) - math.exp(eps) * phi(-mu / 2 - eps / mu)
    low, high = 0.0, 700.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if spent(middle) > delta else (low, middle)
    return high


def guarantee():
    tau = math.sqrt(2 * math.log(1.25e5))
    asked = [0.1, 0.5, 1, 2, 5, 10]
    return {
        "asked": asked,
        "asPrinted": epsilon_of(math.sqrt(2) / tau),
        "overEpsilon": [epsilon_of(math.sqrt(2) * eps / tau) for eps in asked],
    }


def many_clients(seeds=2):
    counts = [10, 20, 50, 100, 200, 500]
    out = {"counts": counts, "all": [], "meanLoss": [], "ten": [], "tenth": []}
    for k in counts:
        found = {name: [] for name in ("all", "meanLoss", "ten", "tenth")}
        for seed in range(seeds):
            rng = np.random.default_rng([3, seed, k])
            train, test = draw(rng, k, 200, 100, 0.5)
            best = exact(train)
            some = {"all": (shared, None), "meanLoss": (mean_loss, None),
                    "ten": (shared, lambda r: rng.choice(k, 10, replace=False)),
                    "tenth": (shared, lambda r: rng.choice(k, max(1, k // 10), replace=False))}
            for name, (reading, pick) in some.items():
                found[name].append(gap(train, test, average(train, 200, reading, pick=pick), best))
        for name, values in found.items():
            out[name].append(float(np.mean(values)))
    return out


def projection():
    dimensions = [50, 100, 200, 400, 600, 800]
    out = {"dimensions": dimensions}
    for name, fall in (("alike", 0.0), ("fallingOne", 1.0), ("fallingMore", 1.1)):
        rng = np.random.default_rng([4, int(10 * fall)])
        train, test = draw(rng, 20, 500, 1000, 0.5, fall)
        a, b = np.vstack([a for a, _ in train]), np.concatenate([b for _, b in train])
        whole = mse(test, np.linalg.solve(a.T @ a + RIDGE * np.eye(1000), a.T @ b))
        above = []
        for m in dimensions:
            r = rng.normal(size=(1000, m)) / math.sqrt(m)
            p = a @ r
            w = r @ np.linalg.solve(p.T @ p + RIDGE * np.eye(m), p.T @ b)
            above.append(mse(test, w) / whole - 1)
        out[name] = {"exact": whole, "above": above}
        if fall == 0.0:
            w, n = np.zeros(1000), len(b)
            for _ in range(200):
                local = []
                for x, y in train:
                    v = w.copy()
                    for _ in range(EPOCHS):
                        v = v - ETA * (2 * x.T @ (x @ v - y) / len(y) + 2 * RIDGE / n * v)
                    local.append(v)
                w = np.mean(local, axis=0)
            out["fedAvg"] = mse(test, w)
    return out


json.dump({
    "proximal": proximal(),
    "bytes": bytes_by_dimension(),
    "cause": cause(),
    "guarantee": guarantee(),
    "manyClients": many_clients(),
    "projection": projection(),
}, sys.stdout, indent=1)
print()
