"""The collinear matrix that dbt_linreg tests with (seed and distributions of its scripts.py), its ordinary least squares in
rational numbers, rounded once, and as numpy has it. Writes the rows to a file; prints JSON."""
import json
import sys
from fractions import Fraction

import numpy as np

random = np.random.RandomState(382479347)
rows = 10_000
x1 = 2 + random.normal(0, 1, rows)
x2 = 1 - x1 + random.normal(0, 3, rows)
x3 = 3 + 2 * x2 + random.normal(0, 1, rows)
x4 = -3 + 0.5 * (x1 * x3) + random.normal(0, 1, rows)
x5 = 4 + 0.5 * np.sin(3 * x2) + random.normal(0, 1, rows)
noise = random.normal(0, 4, rows)
x = np.column_stack([np.ones(rows), x1, x2, x3, x4, x5])
y = x @ np.array([20.0, 5, 7, 9, 11, 13]) + (x3 + np.sin(x1)) ** 2 + noise

with open(sys.argv[1], "w") as out:
    out.write("y,x1,x2,x3,x4,x5\n")
    for response, cells in zip(y, x[:, 1:]):
        out.write(",".join(repr(float(cell)) for cell in (response, *cells)) + "\n")

# Every float64 is a whole number over 2^70 here; sums of their products are exact.
UNIT = 2**70
whole = [[int(Fraction(float(cell)) * UNIT) for cell in row] for row in np.column_stack([x, y])]
assert all(Fraction(value, UNIT) == Fraction(float(cell)) for row, cells in zip(whole, np.column_stack([x, y])) for value, cell in zip(row, cells))
k = 6
system = [[Fraction(sum(row[i] * row[j] for row in whole)) for j in range(k + 1)] for i in range(k)]
for i in range(k):
    pivot = next(r for r in range(i, k) if system[r][i] != 0)
    system[i], system[pivot] = system[pivot], system[i]
    for r in range(k):
        if r != i:
            factor = system[r][i] / system[i][i]
            system[r] = [a - factor * b for a, b in zip(system[r], system[i])]
exact = [float(system[i][k] / system[i][i]) for i in range(k)]
print(json.dumps({"first": [float(y[0]), *map(float, x[0, 1:])], "exact": exact, "numpy": np.linalg.lstsq(x, y, rcond=None)[0].tolist()}))
