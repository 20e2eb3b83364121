"""Writes lasso-sklearn.json: sklearn's Lasso and ElasticNet on the table of lasso.json, and left-out sites from raw rows.

Run from this folder, after lasso.R: python3 lasso.py > lasso-sklearn.json (made with sklearn 1.2.1).
`lambda` is sklearn's alpha and `mix` its l1_ratio on columns divided by their population SDs (weights as w / sum(w));
without an intercept by their root mean squares. sample_weight is normalised by sklearn itself. Row r belongs to
site s(r % 4) with r % 5 == 0 moved to s0; a fold keeps the SDs of all rows and is fitted with its own intercept.
"""
import json

import numpy as np
import sklearn
from sklearn.linear_model import ElasticNet

table = json.load(open("lasso.json"))["table"]
x = np.column_stack([table[name] for name in "abcdef"])
columns = {name: np.array(table[name]) for name in "yz"}
w = np.array(table["w"])
ones = np.ones(len(w))
site = np.array([0 if r % 5 == 0 else r % 4 for r in range(len(w))])


def deviations(weights, intercept):
    centre = np.average(x, axis=0, weights=weights) if intercept else 0
    return np.sqrt(np.average((x - centre) ** 2, axis=0, weights=weights))


def solve(rows, y, weights, size, lam, mix, intercept):
    model = ElasticNet(alpha=lam, l1_ratio=mix, fit_intercept=False, tol=1e-16, max_iter=10**7)
    # centred here, so that sklearn does not lose digits on it
    mx = np.average(x[rows], axis=0, weights=weights[rows]) if intercept else np.zeros(x.shape[1])
    my = np.average(y[rows], weights=weights[rows]) if intercept else 0.0
    root = np.sqrt(weights[rows] / weights[rows].mean())
    model.fit(root[:, None] * (x[rows] - mx) / size, root * (y[rows] - my))
    slopes = model.coef_ / size
    return my - mx @ slopes, slopes


cases = []
for weighted in (False, True):
    for intercept in (True, False):
        for mix in (1.0, 0.6):
            for lam in (1.0, 0.2, 0.03, 0.004):
                weights = w if weighted else ones
                size = deviations(weights, intercept)
                found = []
                for name in "yz":
                    level, slopes = solve(ones > 0, columns[name], weights, size, lam, mix, intercept)
                    found.append(([float(level)] if intercept else []) + slopes.tolist())
                cases.append({
                    "formula": "cbind(y, z) ~ a + b + c + d + e + f" + ("" if intercept else " - 1"),
                    "weights": "w" if weighted else None,
                    "lambda": lam,
                    "mix": mix,
                    "coefficients": found,
                })

left_out = []
for weighted in (False, True):
    weights = w if weighted else ones
    size = deviations(weights, True)
    for mix in (1.0, 0.6):
        points = []
        for lam in (1.0, 0.2, 0.03, 0.004):
            means, sums = [], []
            for k in range(4):
                out = site == k
                level, slopes = solve(~out, columns["y"], weights, size, lam, mix, True)
                sums.append(weights[out].sum())
                means.append(np.sum(weights[out] * (columns["y"][out] - level - x[out] @ slopes) ** 2) / sums[-1])
            score = np.average(means, weights=sums)
            error = np.sqrt(np.average((np.array(means) - score) ** 2, weights=sums) / 3)
            points.append({"lambda": lam, "score": float(score), "error": float(error)})
        left_out.append({"weights": "w" if weighted else None, "mix": mix, "points": points})

print(json.dumps({"source": f"test/vectors/lasso.py, sklearn {sklearn.__version__}",
                  "sites": [f"s{k}" for k in site], "cases": cases, "left_out": left_out}, indent=1))
