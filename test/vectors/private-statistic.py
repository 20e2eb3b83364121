"""Writes private-statistic.json: sums of scaled, truncated rows, and coefficients of the weighted least squares they stand for.

Run from this folder: /usr/bin/python3 private-statistic.py > private-statistic.json (made with numpy 1.24.2, Python 3.11.2).

Columns in public units, x = (v - middle of range) / sd, sd a sixth of the range unless given; indicators (v - 1/2) / (1/2);
without intercept (v - 0) / sqrt(middle^2 + sd^2) and indicators as they are. Rows a = (1, x...) are divided by their length, the
response by the same, which is clipped at +-2.5/sqrt(d); times 2^16, truncated towards 0, and summed as whole numbers.
A gradient has the residual b - a.w in place of the response, clipped at +-max(2.5/sqrt(d) 2^-t, 2.5/sqrt(d)/8).
Coefficients are those of the rows before truncation, unclipped, by numpy's lstsq.
"""
import json
import math
import sys
import numpy as np

STEPS = 65536
RANGES = {"y": (0.0, 50.0), "u": (-10.0, 30.0), "v": (100.0, 220.0)}
SD = {"y": 6.0, "v": 10.0}


def table(n, seed):
    """The table of the test: a multiplicative generator, so that both sides make the same doubles."""
    state = seed

    def uniform():
        nonlocal state
        state = state * 48271 % 2147483647
        return state / 2147483647

    rows = []
    for _ in range(n):
        u = -10 + 40 * uniform()
        v = 100 + 120 * uniform()
        g = int(3 * uniform())
        noise = uniform() - 0.5
        y = min(50.0, max(0.0, 10 + 0.3 * u + 0.1 * (v - 100) + 2 * g + 4 * noise))
        rows.append((y, u, v, g))
    return rows


def unit(name, intercept):
    low, high = RANGES[name]
    middle, sd = low / 2 + high / 2, SD.get(name, (high / 2 - low / 2) / 3)
    if intercept:
        return middle, sd
    larger, smaller = max(abs(middle), sd), min(abs(middle), sd)
    return 0.0, larger * math.sqrt(1 + (smaller / larger) * (smaller / larger))


def in_units(row, intercept):
    y, u, v, g = row
    x = lambda name, value: (value - unit(name, intercept)[0]) / unit(name, intercept)[1]
    levels = [g == 1, g == 2] if intercept else [g == 0, g == 1, g == 2]
    flags = [(float(f) - 0.5) / 0.5 if intercept else float(f) for f in levels]
    return ([1.0] if intercept else []) + [x("u", u), x("v", v)] + flags, x("y", y)


def clip(value, bound):
    return max(-bound, min(bound, value))


def scaled(row, intercept):
    a, b = in_units(row, intercept)
    squares = 0.0
    for value in a:
        squares += value * value
    return a, b, STEPS / math.sqrt(squares)


def products(rows, intercept):
    d = 5
    bound = math.floor(2.5 / math.sqrt(d) * STEPS)
    width = d + 1 + (0 if intercept else 1)
    total = [[0] * width for _ in range(width)]
    for row in rows:
        a, b, s = scaled(row, intercept)
        z = ([] if intercept else [0]) + [math.trunc(value * s) for value in a]
        z.append(clip(math.trunc(b * s), bound))
        for i in range(width):
            for j in range(i, width):
                total[i][j] += z[i] * z[j]
    packed = [total[i][j] for i in range(width) for j in range(i, width)]
    return [str(entry) for entry in packed + [len(rows) * STEPS * STEPS]]


def gradient(rows, intercept, at, step):
    d = 5
    cut = 2.5 / math.sqrt(d)
    bound = math.floor(max(cut * 2**-step, cut / 8) * STEPS)
    weights = at if intercept else at[1:]
    total = [0] * d
    for row in rows:
        a, b, s = scaled(row, intercept)
        for value, weight in zip(a, weights):
            b -= value * weight
        residual = clip(math.trunc(b * s), bound)
        for j, value in enumerate(a):
            total[j] += math.trunc(value * s) * residual
    return [str(entry) for entry in ([] if intercept else [0]) + total]


def coefficients(rows, intercept):
    made = [in_units(row, intercept) for row in rows]
    a = np.array([row for row, _ in made])
    b = np.array([y for _, y in made])
    s = 1 / np.sqrt((a * a).sum(axis=1))
    return list(np.linalg.lstsq(a * s[:, None], b * s, rcond=None)[0])


AT = [0.1, 0.5, -0.25, 0.2, 0.3]
cases = []
for intercept in [True, False]:
    rows = table(40, 7)
    at = AT if intercept else [9.0] + AT
    cases.append({
        "formula": "y ~ u + v + g" if intercept else "y ~ u + v + g - 1",
        "rows": 40,
        "seed": 7,
        "products": products(rows, intercept),
        "at": at,
        "round": 2,
        "gradient": gradient(rows, intercept, at, 2),
        "many": {"rows": 5000, "seed": 11, "coefficients": coefficients(table(5000, 11), intercept)},
    })
json.dump({"columns": {"ranges": RANGES, "sd": SD}, "cases": cases}, sys.stdout, indent=1)
print()
