"""Writes cosine.json: cos x, sin x and e^-x as hi + lo, from 60 digits of mpmath.

Run from this folder: python3 cosine.py > cosine.json (made with mpmath 1.2.1). Angles near multiples of pi/2 and up to 2^26
are where a reduction in too few digits fails; the exponents end at the smallest normal number.
"""
import json
import random

import mpmath

mpmath.mp.dps = 60
random.seed(5)


def split(value):
    hi = float(value)
    return [hi, float(value - mpmath.mpf(hi))]


quarters = [1, 2, 3, 4, 5, 7, 101, 355, 710, 10**6 + 1, 2**25 - 1, 42722829]
angles = [0.0, 5e-324, 1e-300, 1e-9, 0.5, 0.7853981633974483, 0.7853981633974484, 1.0, 3.0, 2.0**26]
angles += [float(k * mpmath.pi / 2) for k in quarters]
angles += [random.uniform(-10, 10) for _ in range(60)]
angles += [random.choice([-1, 1]) * 2 ** random.uniform(3, 26) for _ in range(60)]
exponents = [0.0, 5e-324, 1e-9, 0.34657359027997264, 0.5, 1.0, 36.7, 700.0, 708.0]
exponents += [2 ** random.uniform(-20, 9.4) for _ in range(60)]
print(
    json.dumps(
        {
            "source": "test/vectors/cosine.py",
            "angles": [[x, *split(mpmath.cos(x)), *split(mpmath.sin(x))] for x in angles],
            "exponents": [[x, *split(mpmath.exp(-mpmath.mpf(x)))] for x in exponents],
        }
    )
)
