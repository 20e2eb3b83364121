"""Writes choose.json: rules that choose a ridge, computed from raw rows with numpy and scipy.

Run from this folder: python3 choose.py > choose.json (made with numpy 1.24.2, scipy 1.10.1).

Nothing here uses cross-products: a fold is fitted by augmented least squares (SVD) on its own rows, its loss is a
sum over rows, and a marginal likelihood is the multivariate normal density of the rows, by Cholesky of their n x n
covariance in 80-bit floats (scipy's own density, in 64 bits, is 2e-9 off at the smallest ridge, and is asserted to 1e-7).

  penalty          P = I on raw columns, or diag(SD^2) with the population SDs of all rows (root mean squares
                   without an intercept); weights w enter SDs and means as w / sum(w)
  score            sum of w (y - a - x b)^2 over the rows left out / sum of w; of several responses each is divided
                   by its population variance and they are added
  error            sqrt(sum_k W_k (m_k - score)^2 / sum W / (K - 1)), m_k the mean loss of fold k: cv.glmnet's cvsd
  k-fold           sites sorted by name, dealt in turn
  marginal         -log density of K'sqrt(w)y, K an orthonormal basis of what is orthogonal to sqrt(w) (with an
                   intercept), y ~ N(0, s^2 (I + X P^-1 X'/lambda)) at the s^2 that maximises it, - sum(log w) / 2
  edf              sum d^2 / (d^2 + lambda) + 1 by SVD; GCV n RSS / (n - edf)^2
"""
import json

import numpy as np
import scipy
from scipy.stats import multivariate_normal

rng = np.random.default_rng(20264)
n = 90
sites = ["delta", "alpha", "echo", "bravo", "foxtrot", "charlie", "golf"]
site = rng.choice(len(sites), n, p=[0.3, 0.2, 0.15, 0.12, 0.1, 0.08, 0.05])
a = np.round(rng.normal(5, 3, n) + 0.5 * site, 2)
b = np.round(rng.normal(100, 20, n), 1)
c = np.round(a + rng.normal(0, 0.2, n), 2)
d = np.round(rng.exponential(0.02, n), 4)
y = np.round(4 + 0.6 * a - 0.05 * b + 0.4 * c + 20 * d + 0.3 * site + rng.normal(0, 2, n), 2)
z = np.round(1 - c + rng.normal(0, 1, n), 2)
w = np.round(rng.gamma(3, 1, n) + 0.01, 2)
x = np.column_stack([a, b, c, d])
ridges = [1e-3, 0.1, 1, 10, 300, 1e5]


def deviations(x, w, intercept):
    centre = np.average(x, axis=0, weights=w) if intercept else np.zeros(x.shape[1])
    return np.sqrt(np.average((x - centre) ** 2, axis=0, weights=w))


def fit(x, y, w, ridge, penalty, intercept):
    """Augmented least squares on rows sqrt(w)(x, y) less their weighted means."""
    mx = np.average(x, axis=0, weights=w) if intercept else np.zeros(x.shape[1])
    my = np.average(y, weights=w) if intercept else 0.0
    root = np.sqrt(w)[:, None]
    size = np.sqrt(penalty)
    u, s, vt = np.linalg.svd(root * (x - mx) / size, full_matrices=False)
    slopes = vt.T @ (s / (s * s + ridge) * (u.T @ (root[:, 0] * (y - my)))) / size
    return my - mx @ slopes, slopes


def penalty_of(scale, w, intercept):
    return deviations(x, w, intercept) ** 2 if scale == "standardized" else np.ones(x.shape[1])


def left_out(groups, responses, w, scale, intercept):
    penalty = penalty_of(scale, w, intercept)
    points = []
    for ridge in ridges:
        losses, weights = [], []
        for group in groups:
            out = np.isin(site, group)
            loss = 0.0
            for v in responses:
                level, slopes = fit(x[~out], v[~out], w[~out], ridge, penalty, intercept)
                share = 1.0
                if len(responses) > 1:
                    centre = np.average(v, weights=w) if intercept else 0.0
                    share = np.average((v - centre) ** 2, weights=w)
                loss += np.sum(w[out] * (v[out] - level - x[out] @ slopes) ** 2) / share
            losses.append(loss / w[out].sum())
            weights.append(w[out].sum())
        score = np.average(losses, weights=weights)
        error = np.sqrt(np.average((np.array(losses) - score) ** 2, weights=weights) / (len(groups) - 1))
        points.append({"ridge": ridge, "score": float(score), "error": float(error)})
    return points


def dealt(folds):
    order = sorted(range(len(sites)), key=lambda k: sites[k])
    return [order[g::folds] for g in range(folds)]


def density(shape, rest):
    """Logarithm of the density of rest ~ N(0, s^2 shape) at the best s^2, and that s^2."""
    size = len(rest)
    lower = shape.copy()
    v = rest.copy()
    log_det = np.longdouble(0)
    for k in range(size):
        pivot = np.sqrt(lower[k, k])
        log_det += 2 * np.log(pivot)
        v[k] /= pivot
        column = lower[k + 1:, k] / pivot
        v[k + 1:] -= column * v[k]
        lower[k + 1:, k + 1:] -= np.outer(column, column)
    variance = np.sum(v * v) / size
    return -(size * (1 + np.log(2 * np.longdouble(np.pi) * variance)) + log_det) / 2, variance


def marginal(responses, w, scale, intercept):
    penalty = penalty_of(scale, w, intercept)
    root = np.sqrt(w.astype(np.longdouble))

    def contrasts(v):
        """The rows of a Householder reflection that sends sqrt(w) to the first axis, but for the first."""
        if not intercept:
            return v
        axis = root.copy()
        axis[0] += np.sqrt(np.sum(root * root))
        return (v - np.outer(axis, axis @ v) * (2 / np.sum(axis * axis)))[1:]

    design = contrasts(root[:, None] * x.astype(np.longdouble))
    points = []
    for ridge in ridges:
        shape = np.eye(len(design), dtype=np.longdouble) + (design / penalty) @ design.T / np.longdouble(ridge)
        total = np.longdouble(0)
        for v in responses:
            rest = contrasts((root * v.astype(np.longdouble))[:, None])[:, 0]
            log_density, variance = density(shape, rest)
            known = multivariate_normal(np.zeros(len(rest)), (variance * shape).astype(float)).logpdf(rest.astype(float))
            assert abs(known - log_density) < 1e-7 * abs(known), (known, log_density)
            total -= log_density + np.sum(np.log(w)) / 2
        points.append({"ridge": ridge, "score": float(total)})
    return points


def edf(scale):
    penalty = penalty_of(scale, np.ones(n), True)
    u, s, _ = np.linalg.svd((x - x.mean(axis=0)) / np.sqrt(penalty), full_matrices=False)
    v = y - y.mean()
    points = []
    for ridge in ridges:
        shrink = s * s / (s * s + ridge)
        freedom = 1 + shrink.sum()
        rss = np.sum((v - u @ (shrink * (u.T @ v))) ** 2)
        points.append({"ridge": ridge, "edf": float(freedom), "gcv": float(n * rss / (n - freedom) ** 2),
                       "r.squared": float(1 - rss / (v @ v))})
    return points


cases = []
ones = np.ones(n)
for scale in ("raw", "standardized"):
    for weights in (None, "w"):
        for intercept in (True, False):
            for names in (["y"], ["y", "z"]):
                responses = [{"y": y, "z": z}[name] for name in names]
                v = ones if weights is None else w
                left = names[0] if len(names) == 1 else "cbind(y, z)"
                cases.append({
                    "formula": f"{left} ~ a + b + c + d" + ("" if intercept else " - 1"),
                    "weights": weights,
                    "scale": scale,
                    "leave-one-site-out": left_out(dealt(7), responses, v, scale, intercept),
                    "k-fold": left_out(dealt(3), responses, v, scale, intercept),
                    "marginal-likelihood": marginal(responses, v, scale, intercept),
                })

print(json.dumps({
    "source": f"test/vectors/choose.py, numpy {np.__version__}, scipy {scipy.__version__}",
    "sites": [sites[k] for k in site],
    "table": {"a": a.tolist(), "b": b.tolist(), "c": c.tolist(), "d": d.tolist(),
              "y": y.tolist(), "z": z.tolist(), "w": w.tolist()},
    "cases": cases,
    "path": {"raw": edf("raw"), "standardized": edf("standardized")},
}, indent=1))
