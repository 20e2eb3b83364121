"""Writes projection.json: random projections drawn anew from their description, and numpy's ridge over them.

Run from this folder: python3 projection.py > projection.json (made with numpy 2.4.6).
The stream is written from docs/mathematics.md ("Random projection"), not from the TypeScript: SHA-256 gives the state of
xoshiro128**, the polar method the normals. math.log may differ from fdlibm's in the last bit, so R is compared to 1e-15.
`plain` is the paper's A·R, (RᵀAᵀAR + λI)⁻¹RᵀAᵀy; `units` has columns of several units, a category and an intercept.
"""
import hashlib
import json
import math

import numpy as np

MASK = 2**32 - 1


def words(seed, column):
    digest = hashlib.sha256(f"suffice projection {seed} {column}".encode()).digest()
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


def matrix(columns, dimension, seed):
    streams = [normals(words(seed, j)) for j in range(dimension)]
    drawn = [[next(stream) for _ in range(columns)] for stream in streams]
    return np.array(drawn).T / math.sqrt(dimension)


rng = np.random.default_rng(20)
rows = 120

# The paper's: centre 0 and SD 1 stated, no intercept.
d, m, ridge = 9, 5, 0.5
a = np.round(rng.normal(size=(rows, d)), 3)
y = np.round(a @ rng.normal(size=d) + 0.1 * rng.normal(size=rows), 3)
r = matrix(d, m, 7)
p = a @ r
w = np.linalg.solve(p.T @ p + ridge * np.eye(m), p.T @ y)
plain = {
    "table": {**{f"x{i + 1}": a[:, i].tolist() for i in range(d)}, "y": y.tolist()},
    "dimension": m,
    "seed": 7,
    "ridge": ridge,
    "matrix": r.tolist(),
    "coefficients": w.tolist(),
    "original": (r @ w).tolist(),
}

# Kilograms, years and a category: each column in its public unit.
kg = np.round(70 + 12 * rng.normal(size=rows).clip(-3, 3), 1)
year = rng.integers(1950, 2010, rows)
dose = np.round(0.002 * rng.random(rows), 6)
level = rng.integers(0, 3, rows)
z = np.round(0.1 * kg - 0.02 * year + 400 * dose + (level == 1) + 0.3 * rng.normal(size=rows), 4)
raw = np.column_stack([kg, year, dose, level == 1, level == 2]).astype(float)
centre = np.array([70, 1980, 0.001, 0.5, 0.5])
scale = np.array([12, 60 / 6, 0.002 / 6, 0.5, 0.5])
r = matrix(5, 3, 4294967295)
p = (raw - centre) / scale @ r
ridge = 2.0
mean = p.mean(axis=0)
pc = p - mean
w = np.linalg.solve(pc.T @ pc + ridge * np.eye(3), pc.T @ (z - z.mean()))
b0 = z.mean() - mean @ w
slopes = r @ w / scale
# Classical errors without a ridge: s²(PᵀP)⁻¹, carried over by the linear map.
full = np.column_stack([np.ones(rows), p])
free = np.linalg.lstsq(full, z, rcond=None)[0]
s2 = ((z - full @ free) ** 2).sum() / (rows - 4)
unfold = np.zeros((6, 4))
unfold[1:, 1:] = r / scale[:, None]
unfold[0] = [1, *(-(centre / scale) @ r)]
covariance = unfold @ (s2 * np.linalg.inv(full.T @ full)) @ unfold.T
units = {
    "table": {"kg": kg.tolist(), "year": year.tolist(), "dose": dose.tolist(), "g": level.tolist(), "z": z.tolist()},
    "dimension": 3,
    "seed": 4294967295,
    "ridge": ridge,
    "matrix": r.tolist(),
    "coefficients": [float(b0), *w.tolist()],
    "original": [float(b0 - slopes @ centre), *slopes.tolist()],
    "fitted": (b0 + p @ w).tolist(),
    "unpenalised": {
        "original": (unfold @ free).tolist(),
        "errors": np.sqrt(np.diag(covariance)).tolist(),
    },
}
print(json.dumps({"source": f"test/vectors/projection.py, numpy {np.__version__}", "plain": plain, "units": units}))
