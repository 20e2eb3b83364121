"""Writes natural-log.json: ln x as hi + lo, from 60 digits of Python's decimal.

Run from this folder: python3 natural-log.py > natural-log.json. The values are those where e_log takes each of its paths.
"""
import json
import math
import random
from decimal import Decimal, getcontext

getcontext().prec = 60
random.seed(3)
values = [1, 2, 0.5, math.e, 10, 1e-300, 1e300, 5e-324, 2.0**-1022, 1.7976931348623157e308]
values += [1 + 2.0**-k for k in (5, 19, 20, 21, 30, 52)] + [1 - 2.0**-k for k in (5, 19, 20, 21, 30, 53)]
values += [1.414213562373095, 1.4142135623730951, 0.7071067811865475, 0.7071067811865476]
values += [random.random() for _ in range(60)] + [math.exp(random.uniform(-700, 700)) for _ in range(60)]


def ln(x):
    exact = Decimal(x).ln()
    hi = float(exact)
    return [x, hi, float(exact - Decimal(hi))]


print(json.dumps({"source": "test/vectors/natural-log.py", "cases": [ln(float(x)) for x in values]}))
