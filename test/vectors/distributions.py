"""Adds `exact` and `exactLog` to distributions.json: python3 test/vectors/distributions.py (mpmath 1.3, 60 digits).

Independent of the library and of R: tails come from Lentz's continued fractions for the incomplete beta and
gamma functions (DLMF 8.17.22, 8.9.2) run in 60 digits; a sample of them is held against mpmath's own
betainc and gammainc, which are too slow for the largest degrees of freedom. Quantiles solve those tails.
"""

import json
import os

from mpmath import findroot, inf, log, loggamma, mp, mpf

mp.dps = 60
path = os.path.join(os.path.dirname(__file__), "distributions.json")


def lentz(b0, terms):
    value = c = b0
    d = mpf(0)
    for a, b in terms:
        d = 1 / (b + a * d)
        c = b + a / c
        value *= c * d
        if abs(c * d - 1) < mpf(10) ** -50:
            return value


def beta_terms(x, a, b):
    m = 0
    while True:
        yield (-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)), mpf(1))
        m += 1
        yield (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), mpf(1))


def beta_log(x, y, a, b):
    """ln I_x(a, b) with y = 1 - x."""
    if x > (a + 1) / (a + b + 2):
        return mp.log1p(-mp.exp(beta_log(y, x, b, a)))
    front = a * log(x) + b * log(y) - (loggamma(a) + loggamma(b) - loggamma(a + b)) - log(a)
    return front - log(lentz(mpf(1), beta_terms(x, a, b)))


def gamma_terms(a, x):
    n = 1
    while True:
        yield (n * (a - n), x - a + 1 + 2 * n)
        n += 1


def gamma_log(a, x):
    """ln Q(a, x)."""
    front = a * log(x) - x - loggamma(a)
    if x < a + 1:
        term = total = 1 / a
        n = 1
        while term > total * mpf(10) ** -50:
            term *= x / (a + n)
            total += term
            n += 1
        return mp.log1p(-mp.exp(front + log(total)))
    return front - log(lentz(x - a + 1, gamma_terms(a, x)))


def student(t, df):
    t, df = mpf(t), mpf(df)
    return beta_log(df / (df + t * t), t * t / (df + t * t), df / 2, mpf(1) / 2)


def f(value, df1, df2):
    value, df1, df2 = mpf(value), mpf(df1), mpf(df2)
    whole = df2 + df1 * value
    return beta_log(df2 / whole, df1 * value / whole, df2 / 2, df1 / 2)


def chi_square(x, df):
    return gamma_log(mpf(df) / 2, mpf(x) / 2)


def normal(z):
    return chi_square(mpf(z) ** 2, 1)


def quantile(p, tail, guess):
    """The t with P(T ≤ t) = p, refined from R's answer by the secant method."""
    two_sided = 2 * min(mpf(p), 1 - mpf(p))
    g = mpf(abs(guess))
    size = findroot(lambda u: mp.exp(tail(mp.exp(u))) / two_sided - 1, (log(g), log(g) + mpf(10) ** -8), tol=1e-60)
    return mp.sign(mpf(p) - 0.5) * mp.exp(size)


tails = {"student": student, "f": f, "chiSquare": chi_square, "normal": normal}

# The continued fractions against mpmath's own functions.
for x, a, b in [(0.3, 2.5, 0.5), (0.7, 40, 3.25), (0.99, 1000, 0.5), (1e-9, 0.5, 0.5)]:
    x = mpf(x)
    mine = mp.exp(beta_log(x, 1 - x, mpf(a), mpf(b)))
    assert abs(mine / mp.betainc(a, b, 0, x, regularized=True) - 1) < mpf(10) ** -40
for a, x in [(0.5, 0.02), (0.5, 30), (50, 40), (50, 90)]:
    mine = mp.exp(gamma_log(mpf(a), mpf(x)))
    assert abs(mine / mp.gammainc(a, x, inf, regularized=True) - 1) < mpf(10) ** -40

with open(path) as file:
    rows = json.load(file)
worst = {}
for row in rows:
    args = row["arguments"]
    if row["f"] == "normalQuantile":
        exact = quantile(args[0], normal, row["value"])
        row["exact"] = mp.nstr(exact, 20)
    elif row["f"] == "studentQuantile":
        exact = quantile(args[0], lambda t: student(t, args[1]), row["value"])
        row["exact"] = mp.nstr(exact, 20)
    elif row["f"] == "logGamma":
        exact = loggamma(mpf(args[0]))
        row["exact"] = mp.nstr(exact, 20)
    elif row["f"] == "logBeta":
        a, b = map(mpf, args)
        exact = loggamma(a) + loggamma(b) - loggamma(a + b)
        row["exact"] = mp.nstr(exact, 20)
    else:
        exact_log = tails[row["f"]](*args)
        exact = mp.exp(exact_log)
        row["exact"] = mp.nstr(exact, 20)
        row["exactLog"] = mp.nstr(exact_log, 20)
    if abs(exact) > 1e-300:
        gap = float(abs(mpf(row["value"]) / exact - 1))
        worst[row["f"]] = max(worst.get(row["f"], (0, None)), (gap, args))
with open(path, "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]\n")
for name, (gap, args) in worst.items():
    print(f"R is within {gap:.1e} of mpmath for {name}; worst at {args}")
