"""Writes network-fusion.json: every fusion of networks, by numpy and scipy, on a small network with a convolution and biases.

Run from this folder: python3 network-fusion.py > network-fusion.json (made with numpy 2.4.6 and scipy 1.17.1).
The inputs come from a linear congruential stream that test/network-sites.ts draws too, so only results are stored here.
Written from the papers' formulas: Kronecker products are formed, systems are solved by LAPACK, descents are run step by step.
"""
import json

import numpy as np
from scipy.optimize import linear_sum_assignment

ROWS = [30, 50, 20]
BLOCKS = [(2, 10), (4, 19), (3, 5)]  # convolution 3×3 of one channel; 2 channels of 3×3 pixels to 4 units; 4 units to 3 classes
SPANS = [None, 9, 1]  # columns of one unit of the layer before
SIZES = [r * c for r, c in BLOCKS]
STARTS = np.concatenate([[0], np.cumsum(SIZES)])
D = int(STARTS[-1])
COUNTS = np.array([[10, 20, 0], [50, 0, 0], [5, 15, 0]])
DAMPING = 0.3
MASK = 2**32 - 1


def stream(seed, count):
    state, values = seed, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) & MASK
        values.append(state / 2**31 - 1)
    return np.array(values)


def gram(seed, rows, width, dead=None):
    x = stream(seed, rows * width).reshape(rows, width)
    if dead is not None:
        x[:, dead] = 0
    return x.T @ x / rows


def diagonal(seed):
    f = stream(seed, D) ** 2
    f[::17] = 0
    f[1::17] *= 1e-8
    return f


BASE = stream(900, D)  # what the sites of PFNM have in common
W = [stream(1000 + i, D) for i in range(3)]
FD = [diagonal(2000 + i) for i in range(3)]
FF = [gram(3000 + i, 40, D) for i in range(3)]
A = [[gram(4000 + 10 * i + l, c + 2, c, 3 if l == 1 else None) for l, (_, c) in enumerate(BLOCKS)] for i in range(3)]
G = [[gram(5000 + 10 * i + l, r + 2, r) for l, (r, _) in enumerate(BLOCKS)] for i in range(3)]
p = np.array(ROWS) / sum(ROWS)
mean = sum(pi * w for pi, w in zip(p, W))
out = {"source": f"test/vectors/network-fusion.py, numpy {np.__version__}", "average": mean}


def block(w, l):
    return w[STARTS[l] : STARTS[l + 1]].reshape(BLOCKS[l])


def blocks(w):
    return [block(w, l) for l in range(3)]


def flat(parts):
    return np.concatenate([part.ravel() for part in parts])


# Diagonal.
F = sum(pi * f for pi, f in zip(p, FD))
FW = sum(pi * f * w for pi, f, w in zip(p, FD, W))
tau = flat([np.full(BLOCKS[l], block(F, l).mean()) for l in range(3)])
out["dampedDiagonal"] = np.where(F > 0, (FW + DAMPING * tau * mean) / (F + DAMPING * tau), mean)
safe = np.where(F < 1e-6, 1, F)
out["fisherMerge"] = np.where(F < 1e-6, mean, FW / safe)


def paper(gradient, change, score=None):
    w, m, v = mean.copy(), np.zeros(D), np.zeros(D)
    best, top = None, -np.inf
    for k in range(2000):
        g = gradient(w)
        m = g + 0.9 * m
        v = g * g + 0.99 * v
        w = w - 0.01 * change(m, v)
        if score is not None and k % 100 == 0 and score(w) > top:
            best, top = w.copy(), score(w)
    return w if score is None else best


def score(w):
    return -abs(np.sum((w - mean) ** 2) - 0.6)


slope = lambda w: F * w - FW
outside = lambda m, v: m / (np.sqrt(v) + 0.01)
out["paperDiagonal"] = paper(slope, outside)
out["paperDiagonalValidated"] = paper(slope, outside, score)
w = mean.copy()
for _ in range(50):
    w = w - slope(w) / F.max()
out["descendDiagonal"] = w

# K-FAC, with the Kronecker products written out (row-major vec: G ⊗ A).
damped, curvature, H, HW = [], [], [], []
for l, (r, c) in enumerate(BLOCKS):
    K = [np.kron(G[i][l], A[i][l]) for i in range(3)]
    h = sum(pi * k for pi, k in zip(p, K))
    hw = sum(pi * k @ block(w, l).ravel() for pi, k, w in zip(p, K, W))
    L = DAMPING * sum(pi * np.trace(A[i][l]) * np.trace(G[i][l]) for i, pi in enumerate(p)) / (r * c)
    damped.append(np.linalg.solve(h + L * np.eye(r * c), hw + L * block(mean, l).ravel()))
    curvature.append(np.linalg.eigvalsh(h)[-1])
    H.append(h)
    HW.append(hw)
out["dampedKfac"] = flat(damped)
slope = lambda w: flat([h @ block(w, l).ravel() - hw for l, (h, hw) in enumerate(zip(H, HW))])
inside = lambda m, v: m / np.sqrt(v + 0.01)
out["paperKfac"] = paper(slope, inside)
out["paperKfacValidated"] = paper(slope, inside, score)
out["kfacRate"] = 0.9 / max(curvature)
w = mean.copy()
for _ in range(40):
    w = w - out["kfacRate"] * slope(w)
out["descendKfac"] = w
out["kfacCurvature"] = max(curvature)

# Full.
F = sum(pi * f for pi, f in zip(p, FF))
FW = sum(pi * f @ w for pi, f, w in zip(p, FF, W))
tau = flat([np.full(BLOCKS[l], block(np.diag(F), l).mean()) for l in range(3)])
out["dampedFull"] = np.linalg.solve(F + DAMPING * np.diag(tau), FW + DAMPING * tau * mean)
out["fullRate"] = 0.8 / np.linalg.eigvalsh(F)[-1]
w = mean.copy()
for _ in range(1001):
    w = w - out["fullRate"] * (F @ w - FW)
out["descendFull"] = w
# The Jacobian of site i has as many rows as the site.
J = [stream(6000 + i, n * D).reshape(n, D) for i, n in enumerate(ROWS)]
F = sum(pi * j.T @ j / n for pi, j, n in zip(p, J, ROWS))
FW = sum(pi * j.T @ (j @ w) / n for pi, j, n, w in zip(p, J, ROWS, W))
w = mean.copy()
out["jacobianRate"] = 0.7 / np.linalg.eigvalsh(F)[-1]
for _ in range(300):
    w = w - out["jacobianRate"] * (F @ w - FW)
out["descendJacobians"] = w

# RegMean.
for name, a in [("regMean", 0.9), ("regMeanWhole", 1.0)]:
    parts = []
    for l, (r, c) in enumerate(BLOCKS):
        shrink = np.where(np.eye(c) == 1, 1, a)
        left = sum(pi * shrink * A[i][l] for i, pi in enumerate(p))
        right = sum(pi * (shrink * A[i][l]) @ block(W[i], l).T for i, pi in enumerate(p))
        alive = np.diag(left) > 0
        part = block(mean, l).copy()
        part[:, alive] = np.linalg.solve(left[np.ix_(alive, alive)], right[alive]).T
        parts.append(part)
    out[name] = flat(parts)

# Class-weighted last layer; no site has the last class.
head = block(mean, 2).copy()
for c in range(2):
    head[c] = sum(COUNTS[i, c] * block(W[i], 2)[c] for i in range(3)) / COUNTS[:, c].sum()
out["classWeighted"] = flat([block(mean, 0), block(mean, 1), head])


# OTFusion: the site with most rows gives the order.
def moved(matrix, places, units, span):
    width = units * span
    result = np.zeros((matrix.shape[0], width + 1))
    for u, place in enumerate(places):
        result[:, place * span : (place + 1) * span] = matrix[:, u * span : (u + 1) * span]
    result[:, width] = matrix[:, -1]
    return result


aligned = []
for i in range(3):
    parts, places = [], None
    for l in range(3):
        own = block(W[i], l)
        if places is not None:
            own = moved(own, places, len(places), SPANS[l])
        if l < 2:
            cost = ((own[:, None, :] - block(W[1], l)[None, :, :]) ** 2).sum(axis=2)
            places = linear_sum_assignment(cost)[1]
            result = np.empty_like(own)
            result[places] = own
            own = result
        parts.append(own)
    aligned.append(flat(parts))
out["otFusion"] = sum(pi * w for pi, w in zip(p, aligned))


# PFNM.
def words(seed):
    filling = seed

    def fill():
        nonlocal filling
        filling = (filling + 0x9E3779B9) & MASK
        word = (filling ^ (filling >> 16)) * 0x85EBCA6B & MASK
        word = (word ^ (word >> 13)) * 0xC2B2AE35 & MASK
        return word ^ (word >> 16)

    a, b, c, d = fill(), fill(), fill(), fill()
    turned = lambda word, bits: ((word << bits) | (word >> (32 - bits))) & MASK
    while True:
        yield turned(b * 5 & MASK, 7) * 9 & MASK
        shifted = b << 9 & MASK
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = turned(d, 11)


def match(v, atoms, prior, sites, gamma, variance, prior_variance):
    """Atoms are lists of rows; the place of every row of v, the new ones last."""
    gains = np.zeros((len(v), len(atoms) + len(v)))
    for i, rows in enumerate(atoms):
        num = prior / prior_variance + sum(rows) / variance
        den = 1 / prior_variance + len(rows) / variance
        c = min(len(rows), 10)
        for u, row in enumerate(v):
            gains[u, i] = ((row / variance + num) ** 2 / (den + 1 / variance)).sum() - (num**2 / den).sum() + np.log(c / (sites - c))
    for u, row in enumerate(v):
        new = ((row / variance + prior / prior_variance) ** 2 / (1 / prior_variance + 1 / variance)).sum()
        new -= ((prior / prior_variance) ** 2 * prior_variance).sum()
        for k in range(len(v)):
            gains[u, len(atoms) + k] = new - 2 * np.log(k + 1) + 2 * np.log(gamma / sites)
    places = linear_sum_assignment(-gains)[1]
    fresh = len(atoms)
    for u in range(len(v)):
        if places[u] >= len(atoms):
            places[u] = fresh
            fresh += 1
    return places


def pfnm(gamma, variance, prior_variance, own_part):
    random = words(5)
    order = [1, 0, 2]  # most rows first
    places, result, units = None, [], []
    for l in range(3):
        own = [2 * block(BASE, l) + own_part * block(W[i], l) for i in order]
        if l > 0:
            own = [moved(v, at, units[-1], SPANS[l]) for v, at in zip(own, places)]
        if l == 2:
            head = np.zeros(own[0].shape)
            for c in range(3):
                counts = COUNTS[order, c]
                share = counts / counts.sum() if counts.sum() > 0 else p[order]
                head[c] = sum(s * v[c] for s, v in zip(share, own))
            result.append(head)
            break
        prior = np.zeros(own[0].shape[1])
        prior[-1] = 0.1
        places = [np.arange(len(own[0])), None, None]

        def again(j):
            places[j] = None
            used = sorted(set(np.concatenate([at for at in places if at is not None])))
            for at in places:
                if at is not None:
                    at[:] = [used.index(place) for place in at]
            atoms = [[] for _ in used]
            for v, at in zip(own, places):
                if at is not None:
                    for row, place in zip(v, at):
                        atoms[place].append(row)
            places[j] = match(own[j], atoms, prior, 3, gamma, variance, prior_variance)

        again(1)
        again(2)
        for _ in range(5):
            drawn = [0, 1, 2]
            for k in (2, 1):
                other = next(random) % (k + 1)
                drawn[k], drawn[other] = drawn[other], drawn[k]
            for j in drawn:
                again(j)
        count = max(at.max() for at in places) + 1
        units.append(int(count))
        matrix = np.zeros((count, own[0].shape[1]))
        for k in range(count):
            rows = [v[u] for v, at in zip(own, places) for u in range(len(v)) if at[u] == k]
            matrix[k] = (prior / prior_variance + sum(rows) / variance) / (1 / prior_variance + len(rows) / variance)
        result.append(matrix)
    return {"units": units, "weights": flat(result)}


out["pfnm"] = pfnm(7, 1, 1, 1.4)
out["pfnmOther"] = pfnm(3, 0.5, 2, 0.9)

# Quantiser and truncation.
for name, rounding in [("upward", np.ceil), ("nearest", np.rint)]:

    def quantise(x, bits, rounding=rounding):
        levels = 2 ** (bits - 1) - 1
        largest = float(np.float32(abs(x).max()))
        whole = np.minimum(levels, rounding(levels * (abs(x) / largest)))
        return largest * np.sign(x) * whole / levels

    out[f"{name}16"] = flat([quantise(part, 16) for part in blocks(W[0])])
    out[f"{name}5"] = flat([quantise(part, 5) for part in blocks(W[0])])
    if name == "nearest":
        values, vectors = np.linalg.eigh(A[0][1])
        # The sign of an eigenvector does not change its levels.
        u, s = quantise(vectors[:, ::-1][:, :6], 9), quantise(values[::-1][:6], 9)
        out["truncated"] = (u * s @ u.T)[np.triu_indices(19)]

print(json.dumps(out, default=lambda x: x.tolist() if hasattr(x, "tolist") else x))
