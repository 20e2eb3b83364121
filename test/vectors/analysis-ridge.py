"""Writes analysis-ridge.json: covariance of ridge coefficients, by singular values, of the table in ridge.json.

Run from this folder: /usr/bin/python3 analysis-ridge.py > analysis-ridge.json

Rows are multiplied by sqrt(w); with an intercept the columns are centred at their weighted means. With X = U D V' of the
centred columns over their scales (1, or SDs with divisor sum w): b = V diag(d/(d^2+l)) U'y, Var(b) = s^2 V diag(d^2/(d^2+l)^2) V',
edf = sum d^2/(d^2+l) (+ 1), s^2 = RSS/(n - edf); the intercept is m_y - m'b and has variance s^2/sum w + m' Var(b) m.
"""
import json
import sys
import numpy as np

table = json.load(open("ridge.json"))["table"]
names = ["a", "b", "c", "d"]
n = len(table["y"])
cases = []
for ridge in [0.01, 3, 40, 1e6]:
    for standardize in [False, True]:
        for intercept in [True, False]:
            for weights in [None, "w"]:
                w = np.ones(n) if weights is None else np.array(table[weights], dtype=np.longdouble).astype(float)
                used = w > 0
                w = w[used]
                x = np.array([table[name] for name in names]).T[used]
                y = np.array(table["y"])[used]
                mean = (w @ x) / w.sum() if intercept else np.zeros(len(names))
                level = (w @ y) / w.sum() if intercept else 0.0
                root = np.sqrt(w)[:, None]
                xc = root * (x - mean)
                yc = root[:, 0] * (y - level)
                scales = np.sqrt((xc**2).sum(0) / w.sum()) if standardize else np.ones(len(names))
                u, d, vt = np.linalg.svd(xc / scales, full_matrices=False)
                v = vt.T
                b = v @ (d / (d**2 + ridge) * (u.T @ yc)) / scales
                edf = (d**2 / (d**2 + ridge)).sum() + intercept
                rss = ((yc - xc @ b) ** 2).sum()
                s2 = rss / (len(y) - edf)
                cov = s2 * (v * (d**2 / (d**2 + ridge) ** 2)) @ v.T / np.outer(scales, scales)
                if intercept:
                    cross = -cov @ mean
                    first = s2 / w.sum() + mean @ cov @ mean
                    cov = np.block([[np.array([[first]]), cross[None, :]], [cross[:, None], cov]])
                    b = np.concatenate([[level - mean @ b], b])
                cases.append({
                    "ridge": ridge, "standardize": standardize, "weights": weights,
                    "formula": "y ~ a + b + c + d" + ("" if intercept else " - 1"),
                    "edf": edf, "estimates": b.tolist(), "covariance": cov.tolist(),
                })
json.dump({"source": "test/vectors/analysis-ridge.py, numpy " + np.__version__, "cases": cases}, sys.stdout, indent=1)
print()
