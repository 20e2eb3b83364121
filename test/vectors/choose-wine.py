"""Writes choose-wine.json: leave-one-site-out errors of ridges on raw wine-quality columns, in 50-digit arithmetic.

Run from this folder: python3 choose-wine.py > choose-wine.json (made with mpmath 1.2.1). Cross-products of the doubles
are exact integers; fits and losses are mpmath's. Raw columns differ in scale by 2e4, their squares by 4e8.
"""
import csv
import json
from fractions import Fraction

import mpmath as mp
import numpy as np

mp.mp.dps = 50
SHIFT = 2**80


def cross_products(site):
    with open(f"../../../shared/data/wine-quality/sites/{site}.csv") as file:
        rows = [[1] + [float(cell) for cell in row] for row in list(csv.reader(file))[1:]]
    whole = np.array([[int(Fraction(value) * SHIFT) for value in row] for row in rows], dtype=object)
    product = whole.T @ whole
    q = product.shape[0]
    scale = mp.mpf(SHIFT) ** 2
    return len(rows), mp.matrix(q, q) + mp.matrix([[mp.mpf(int(v)) / scale for v in line] for line in product])


sites = [cross_products(site) for site in ("red", "white")]
points = []
for ridge in (1e-4, 1e-2, 1.0, 100.0):
    loss = mp.mpf(0)
    for out in (0, 1):
        train, test = sites[1 - out][1], sites[out][1]
        p = train.rows - 1
        left = train[:p, :p].copy()
        for j in range(1, p):
            left[j, j] += mp.mpf(ridge)
        b = mp.lu_solve(left, train[:p, p])
        v = mp.matrix([*(-b[j] for j in range(p)), 1])
        loss += (v.T * test * v)[0]
    points.append({"ridge": ridge, "score": float(loss / sum(n for n, _ in sites))})
print(json.dumps({"source": f"test/vectors/choose-wine.py, mpmath {mp.__version__}", "points": points}, indent=1))
