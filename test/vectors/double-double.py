"""ddExp, ddLog, ddLog1p and ddSqrt to 40 digits: python3 test/vectors/double-double.py (mpmath 1.3).

Arguments are pairs hi + lo of doubles; answers are decimal strings, and the test turns both into rationals.
"""

import json
import os
import random

from mpmath import mp, mpf

mp.dps = 60
random.seed(20261)


def pair(hi):
    return [hi, random.uniform(-0.45, 0.45) * abs(hi) * 2.0**-53]


def exact(p):
    return mpf(p[0]) + mpf(p[1])


def case(f, args):
    return [{"argument": p, "value": mp.nstr(f(exact(p)), 40)} for p in args]


exponents = [pair(float(x)) for x in [-650.0, -300.5, -45.75, -1.1, -0.3466, -1e-3, 1e-20, 1e-9, 0.1, 0.5, 1, 2.5, 10, 88.7, 400.1, 708.5]]
exponents += [pair(random.uniform(-640, 700)) for _ in range(20)]
positives = [pair(float(x)) for x in [1e-200, 1e-5, 0.3, 0.5, 0.69, 0.75, 0.95, 1 - 2**-40, 1 + 2**-52, 1.0001, 1.05, 1.2, 1.45, 2, 3, 10, 1e10, 1e250, 1.7e308]]
positives += [pair(10 ** random.uniform(-250, 300)) for _ in range(20)]
small = [pair(float(x)) for x in [-0.9, -0.5, -0.09, -1e-8, -1e-100, 1e-250, 1e-17, 1e-4, 0.05, 0.0999, 0.11, 1, 1e6]]

vectors = {
    "ddExp": case(mp.exp, exponents),
    "ddLog": case(mp.log, positives),
    "ddLog1p": case(lambda x: mp.log1p(x), small),
    "ddSqrt": case(mp.sqrt, positives),
}
path = os.path.join(os.path.dirname(__file__), "double-double.json")
lines = [f'"{name}": [\n' + ",\n".join(json.dumps(c) for c in cases) + "\n]" for name, cases in vectors.items()]
with open(path, "w") as file:
    file.write("{\n" + ",\n".join(lines) + "\n}\n")
