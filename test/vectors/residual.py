"""Writes residual.json: residual layers over three contacts, drawn anew from their description, with numpy's ridge.

Run from this folder: python3 residual.py > residual.json (made with numpy 2.4.6).
Written from docs/mathematics.md ("Residual layers"), not from the TypeScript. Eigenvectors have no sign, so of a layer the
product of its factors is compared. `units` has one number as response, columns of several units and a category;
`classes` has three classes over a random projection.
"""
import hashlib
import json
import math

import numpy as np

MASK = 2**32 - 1


def words(text):
    digest = hashlib.sha256(text.encode()).digest()
    a, b, c, d = (int.from_bytes(digest[4 * k : 4 * k + 4], "little") for k in range(4))
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


def normals(source):
    signed = lambda: ((next(source) >> 5) * 2**26 + (next(source) >> 6)) / 2**52 - 1
    while True:
        x, y = signed(), signed()
        square = x * x + y * y
        if square >= 1 or square == 0:
            continue
        stretch = math.sqrt(-2 * math.log(square) / square)
        yield x * stretch
        yield y * stretch


def projection(columns, dimension, seed):
    streams = [normals(words(f"suffice projection {seed} {j}")) for j in range(dimension)]
    return np.array([[next(s) for _ in range(columns)] for s in streams]).T / math.sqrt(dimension)


def hidden_layer(columns, dimension, seed, contact):
    streams = [normals(words(f"suffice residual {contact} {seed} {j}")) for j in range(dimension)]
    drawn = np.array([[next(s) for _ in range(1 + columns)] for s in streams]).T
    return drawn[1:] / math.sqrt(columns), drawn[0] / 2


def ridge_fit(z, y, ridge):
    mean, level = z.mean(axis=0), y.mean(axis=0)
    zc, yc = z - mean, y - level
    w = np.linalg.solve(zc.T @ zc + ridge * np.eye(z.shape[1]), zc.T @ yc)
    return w, level - mean @ w


def gcv_share(z, y, w, constant, ridge):
    n = len(z)
    zc = z - z.mean(axis=0)
    gram = zc.T @ zc
    edf = 1 + np.trace(np.linalg.solve(gram + ridge * np.eye(z.shape[1]), gram))
    rss = ((y - constant - z @ w) ** 2).sum(axis=0)
    tss = ((y - y.mean(axis=0)) ** 2).sum(axis=0)
    return float(np.mean(rss / tss) * (n / (n - edf)) ** 2)


def contacts(x, y, unit, dimension, seed, ridge, count):
    """x: the first X; unit: (centre, scale) of the responses in public units."""
    centre, size = unit
    scale = np.ones(x.shape[1])
    made = []
    for t in range(count):
        r, b = hidden_layer(x.shape[1], dimension, seed, t)
        f = np.maximum(0, x / scale @ r + b)
        z = np.hstack([x, f])
        w, constant = ridge_fit(z, y, ridge)
        wx, wf = w[: x.shape[1]] / size, np.vstack([constant - centre, w[x.shape[1] :]]) / size
        pseudo = np.linalg.pinv(wx.T @ wx, rcond=1e-12, hermitian=True)
        d = wf @ pseudo @ wx.T
        made.append(
            {
                "first": z[0].tolist(),
                "slopes": w.T.tolist(),
                "constant": constant.tolist(),
                "layer": d.tolist(),
                "score": gcv_share(z, y, w, constant, ridge),
                "fitted": (constant + z @ w)[:5].tolist(),
            }
        )
        x = x + np.hstack([np.ones((len(x), 1)), f]) @ d
        # Σₖ outputₖⱼ², whatever the signs of the factors: output = Λ⁻¹EᵀWᵀ has the Gram W(WᵀW)⁺²Wᵀ.
        scale = np.sqrt(scale**2 + np.diag(wx @ pseudo @ pseudo @ wx.T))
    return made


rng = np.random.default_rng(21)
rows = 150

kg = np.round(70 + 12 * rng.normal(size=rows).clip(-3, 3), 1)
year = rng.integers(1950, 2010, rows)
level = rng.integers(0, 3, rows)
z = np.round(0.1 * kg + 0.002 * (kg - 70) * (year - 1980) + (level == 1) + 0.3 * rng.normal(size=rows), 4)
raw = np.column_stack([kg, year, level == 1, level == 2]).astype(float)
x = (raw - np.array([70, 1980, 0.5, 0.5])) / np.array([12, 10, 0.5, 0.5])
units = {
    "table": {"kg": kg.tolist(), "year": year.tolist(), "g": level.tolist(), "z": z.tolist()},
    "dimension": 6,
    "seed": 4294967295,
    "ridge": 2.0,
    # z has a range of [-20, 40] and no centre: its unit is the middle and a quarter of the width.
    "contacts": contacts(x, z[:, None], (10, 15), 6, 4294967295, 2.0, 3),
}

a = np.round(rng.normal(size=(rows, 6)).clip(-4, 4), 3)
score = np.column_stack([a[:, 0] * a[:, 1], np.abs(a[:, 2]) - 0.8, 0.4 * a[:, 3]])
kind = (score + 0.3 * rng.normal(size=score.shape)).argmax(axis=1)
r = projection(6, 5, 3)
# A column with unit ±1 projects to √Σr² in public units.
x = a @ r / np.sqrt((r**2).sum(axis=0))
classes = {
    "table": {**{f"x{i + 1}": a[:, i].tolist() for i in range(6)}, "kind": kind.tolist()},
    "projection": {"dimension": 5, "seed": 3},
    "dimension": 20,
    "seed": 11,
    "ridge": 0.7,
    "contacts": contacts(x, np.eye(3)[kind], (0.5, 0.5), 20, 11, 0.7, 3),
}
print(json.dumps({"source": f"test/vectors/residual.py, numpy {np.__version__}", "units": units, "classes": classes}))
