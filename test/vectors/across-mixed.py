# Writes across-mixed.json: the optimum of the random intercept's likelihood to 30 digits, from dense matrices V, of the
# table of across.json, because optimisers such as lme4's stop at about 1e-7. theta = variance between sites / sigma^2.
# Run from this folder: python3 across-mixed.py > across-mixed.json (made with mpmath 1.2.1, Python 3.11).
import json
from mpmath import mp, mpf, matrix, log, pi, findroot, diff

mp.dps = 40
vectors = json.load(open("across.json"))
table = vectors["table"]
n = len(table["y"])
number = lambda v: mpf(repr(v))


def design(formula):
    right = formula.split("~")[1]
    columns = []
    if "- 1" not in right:
        columns.append([mpf(1)] * n)
    if "x" in right:
        columns.append([number(v) for v in table["x"]])
    if "z" in right:
        columns.append([number(v) for v in table["z"]])
    if "g" in right:
        levels = ["q", "c"] if "- 1" not in right else ["p", "q", "c"]
        columns += [[mpf(int(v == level)) for v in table["g"]] for level in levels]
    return columns


def deviance(formula, weighted, reml):
    x = design(formula)
    p = len(x)
    y = [number(v) for v in table[formula[0]]]
    w = [number(v) if weighted else mpf(1) for v in table["w"]]
    sites = sorted(set(table["site"]))
    rows = {s: [r for r in range(n) if table["site"][r] == s] for s in sites}
    z = x + [y]

    def of(theta, everything=False):
        m = matrix(p + 1, p + 1)
        logdet = mpf(0)
        for s in sites:
            r = rows[s]
            v = matrix(len(r), len(r))
            for i in range(len(r)):
                for j in range(len(r)):
                    v[i, j] = theta + (1 / w[r[i]] if i == j else 0)
            lower = mp.cholesky(v)
            logdet += 2 * sum(log(lower[i, i]) for i in range(len(r)))
            turned = []
            for column in z:  # L^-1 z
                out = []
                for i in range(len(r)):
                    out.append((column[r[i]] - sum(lower[i, j] * out[j] for j in range(i))) / lower[i, i])
                turned.append(out)
            for a in range(p + 1):
                for b in range(p + 1):
                    m[a, b] += sum(s * t for s, t in zip(turned[a], turned[b]))
        lower = mp.cholesky(m)
        rss = lower[p, p] ** 2
        count = n - p if reml else n
        value = logdet + count * (1 + log(2 * pi * rss / count))
        if reml:
            value += 2 * sum(log(lower[i, i]) for i in range(p))
        if not everything:
            return value
        beta = mp.lu_solve(m[:p, :p], m[:p, p])
        return value, beta, rss / count

    return of


out = []
for formula, weighted, reml, start in [("y ~ x + z + g", False, True, "5"), ("y ~ x + z + g", True, False, "4"),
                                       ("v ~ x", True, True, "0.004")]:
    mp.dps = 40
    of = deviance(formula, weighted, reml)
    # The derivative by central differences at 60 digits is good to 30.
    slope = lambda t: (of(t * (1 + mpf(10) ** -14)) - of(t * (1 - mpf(10) ** -14)))
    lme = next(m for m in vectors["models"] if m["formula"] == formula and m["weighted"] == weighted and m["reml"] == reml)
    guess = mpf(lme["variance"]) / mpf(lme["sigma"]) ** 2
    theta = findroot(slope, (guess * mpf("0.999"), guess * mpf("1.001")), solver="secant", tol=mpf(10) ** -60, maxsteps=6,
                     verify=False)
    value, beta, variance = of(theta, True)
    out.append({"formula": formula, "weighted": weighted, "reml": reml, "theta": float(theta), "logLik": float(-value / 2),
                "estimates": [float(b) for b in beta], "variance": float(theta * variance)})
print(json.dumps({"source": "test/vectors/across-mixed.py, mpmath", "models": out}, indent=1))
