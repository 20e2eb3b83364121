"""Writes classifiers.json: classifiers of sklearn's wine (178 rows, 13 columns, 3 classes) and of its first 300 digits
(64 columns, 10 classes, some pixels always 0), from rows with numpy; scores of the discriminant are checked against sklearn.

Run from this folder: /usr/bin/python3 classifiers.py > classifiers.json (numpy 1.24.2, scikit-learn 1.2.1).

- discriminant: normal classes with the covariance (1 - s) S + s diag(S), S pooled over n - K rows. sklearn's solver "lsqr"
  divides by n and shrinks towards the identity: on columns of unit SD within classes the two targets are the same.
- naive Bayes: the same with s = 1.
- ridge: regression on indicators of the classes (penalty on raw slopes, intercept free); then, with h = edf/n, fitted
  values of rows left out are (f - h y)/(1 - h), and a row's classes are normal in them, with one covariance.
- gcv: the s = ridge/(ridge + n - K) of the ridge, on slopes of columns of unit SD within classes, that minimises the sum over
  classes of GCV over variance, on a fine grid.
"""
import json
import numpy as np
from sklearn.datasets import load_digits, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis


def softmax(scores):
    shares = np.exp(scores - scores.max(1, keepdims=True))
    return shares / shares.sum(1, keepdims=True)


def pooled(x, y, k):
    means = np.array([x[y == c].mean(0) for c in range(k)])
    rest = x - means[y]
    return means, rest.T @ rest


def scores(x, y, k, shrinkage, freedom):
    means, scatter = pooled(x, y, k)
    s = scatter / freedom
    s = (1 - shrinkage) * s + shrinkage * np.diag(np.diag(s))
    slopes = np.linalg.solve(s, means.T)
    prior = np.log(np.bincount(y, minlength=k) / len(y))
    return x @ slopes + prior - 0.5 * (means.T * slopes).sum(0)


def check(x, y, k, shrinkage):
    unit = np.sqrt(np.diag(pooled(x, y, k)[1]) / len(y))
    truth = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(x / unit, y)
    mine = softmax(scores(x, y, k, shrinkage, len(y)))
    assert np.abs(mine - truth.predict_proba(x / unit)).max() < 1e-9


def ridge(x, y, k, penalty):
    n = len(y)
    centre, target = x.mean(0), np.eye(k)[y]
    z = x - centre
    gram = z.T @ z + penalty * np.eye(x.shape[1])
    slopes = np.linalg.solve(gram, z.T @ (target - target.mean(0)))
    fitted = target.mean(0) + z @ slopes
    h = (1 + np.trace(np.linalg.solve(gram, z.T @ z))) / n
    out = (fitted - h * target) / (1 - h)
    # The last indicator follows from the others.
    means, scatter = pooled(out[:, :-1], y, k)
    inverse = np.linalg.inv(scatter / (n - k))
    prior = np.log(np.bincount(y, minlength=k) / n)
    return fitted[:, :-1] @ inverse @ means.T + prior - 0.5 * np.einsum("ij,jk,ik->i", means, inverse, means)


def gcv(x, y, k):
    n = len(y)
    unit = np.sqrt(np.diag(pooled(x, y, k)[1]) / (n - k))
    z = (x - x.mean(0)) / unit
    target = np.eye(k)[y] - np.eye(k)[y].mean(0)
    values, vectors = np.linalg.eigh(z.T @ z)
    moments = vectors.T @ z.T @ target

    def score(log):
        penalty = np.exp(log)
        b = moments / (values + penalty)[:, None]
        rest = (target**2).sum(0) - 2 * (moments * b).sum(0) + (values[:, None] * b * b).sum(0)
        edf = 1 + (values / (values + penalty)).sum()
        return (n * rest / (n - edf) ** 2 / ((target**2).sum(0) / n)).sum()

    grid = np.linspace(-12, 12, 24001)
    best = np.exp(grid[np.argmin([score(t) for t in grid])])
    return best / (best + n - k)


wine, digits = load_wine(), load_digits()
sets = {
    "wine": (wine.data, wine.target, [f"x{j}" for j in range(13)]),
    "digits": (digits.data[:300], digits.target[:300], [f"p{j}" for j in range(64)]),
}
result = {}
for name, (x, y, columns) in sets.items():
    k = y.max() + 1
    varying = np.diag(pooled(x, y, k)[1]) > 1e-9
    v = x[:, varying]
    for s in [0, 0.25, 1] if name == "wine" else [0.25, 1]:
        check(v, y, k, s)
    chosen = gcv(v, y, k)
    cases = [
        {"fusion": {"kind": "discriminant", "shrinkage": s}, "posterior": softmax(scores(v, y, k, s, len(y) - k))}
        for s in ([0, 0.25] if name == "wine" else [0.25])
    ] + [
        {"fusion": {"kind": "naive-bayes"}, "posterior": softmax(scores(v, y, k, 1, len(y) - k))},
        {"fusion": {"kind": "ridge", "ridge": 3}, "posterior": softmax(ridge(x, y, k, 3.0))},
    ]
    rows = list(range(0, len(y), 6))
    result[name] = {
        "columns": columns,
        "x": x.tolist(),
        "y": y.tolist(),
        "constant": [column for column, keep in zip(columns, varying) if not keep],
        "gcv": chosen,
        "rows": rows,
        "cases": [{**case, "posterior": case["posterior"][rows].tolist()} for case in cases],
    }
print(json.dumps(result))
