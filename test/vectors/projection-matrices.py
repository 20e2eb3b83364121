"""Writes projection-matrices.json: sparse and Hadamard matrices of a projection, drawn anew from their description.

Run from this folder: python3 projection-matrices.py > projection-matrices.json (made with numpy 2.4.6, scipy 1.17.1).
Written from docs/mathematics.md ("Random projection"), not from the TypeScript; the Hadamard matrix is scipy's.
"""
import hashlib
import json
import math

import numpy as np
import scipy
from scipy.linalg import hadamard

MASK = 2**32 - 1


def words(name):
    digest = hashlib.sha256(f"suffice {name}".encode()).digest()
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


def below(bound, source):
    bits = (bound - 1).bit_length() or 1
    while True:
        value = next(source) >> (32 - bits)
        if value < bound:
            return value


def exchange(order, k, source):
    other = k + below(len(order) - k, source)
    order[k], order[other] = order[other], order[k]
    return order[k]


def sign(source):
    return -1 if next(source) >= 2**31 else 1


def sparse(columns, dimension, seed):
    count = math.ceil(columns / max(3, math.sqrt(columns)))
    r = np.zeros((columns, dimension))
    for j in range(dimension):
        source = words(f"sparse projection {seed} {j}")
        order = list(range(columns))
        for k in range(count):
            at = exchange(order, k, source)
            r[at, j] = sign(source)
    return r * math.sqrt(columns / (count * dimension))


def subsampled(columns, dimension, seed):
    flips = words(f"hadamard projection {seed} signs")
    signs = np.array([sign(flips) for _ in range(columns)])
    source = words(f"hadamard projection {seed} columns")
    size = 2 ** math.ceil(math.log2(columns))
    order = list(range(size))
    chosen = [exchange(order, k, source) for k in range(dimension)]
    return signs[:, None] * hadamard(size)[:columns][:, chosen] / math.sqrt(dimension)


draws = {"sparse": sparse, "hadamard": subsampled}
sizes = [(5, 3, 7), (13, 6, 4294967295), (40, 16, 1)]
cases = [
    {"matrix": name, "columns": d, "dimension": m, "seed": s, "entries": draw(d, m, s).ravel().tolist()}
    for name, draw in draws.items()
    for d, m, s in sizes
]
source = f"test/vectors/projection-matrices.py, numpy {np.__version__}, scipy {scipy.__version__}"
print(json.dumps({"source": source, "cases": cases}))
