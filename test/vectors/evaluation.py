"""Writes evaluation.json: how sklearn and statsmodels judge predicted probabilities that were put into bins.
Run from this folder: /usr/bin/python3 evaluation.py > evaluation.json (made with sklearn 1.2, statsmodels 0.13)."""
import json

import numpy as np
import statsmodels.api as sm
from sklearn.metrics import (accuracy_score, brier_score_loss, confusion_matrix, precision_score,
                             recall_score, roc_auc_score)

rng = np.random.default_rng(20264)


def judged(is_level, p, bins):
    bin_of = np.minimum(bins - 1, np.floor(p * bins))
    middle = (bin_of + 0.5) / bins
    logit = np.log(middle / (1 - middle))
    platt = sm.Logit(is_level, sm.add_constant(logit)).fit(disp=0, method="newton", tol=1e-14, maxiter=200)
    reliability = [
        {"predicted": (b + 0.5) / bins, "observed": float(is_level[bin_of == b].mean()), "n": int((bin_of == b).sum())}
        for b in range(bins) if (bin_of == b).any()
    ]
    return {
        "auc": roc_auc_score(is_level, middle),
        "unbinned": roc_auc_score(is_level, p),
        "brier": brier_score_loss(is_level, middle),
        "intercept": platt.params[0],
        "slope": platt.params[1],
        "reliability": reliability,
    }


def rates(actual, predicted, levels):
    return {
        "confusion": confusion_matrix(actual, predicted, labels=levels).tolist(),
        "accuracy": accuracy_score(actual, predicted),
        "precision": precision_score(actual, predicted, labels=levels, average=None).tolist(),
        "recall": recall_score(actual, predicted, labels=levels, average=None).tolist(),
    }


n = 400
link = np.round(rng.normal(-0.4, 1.6, n), 4)
y = (rng.random(n) < 1 / (1 + np.exp(-(0.3 + 0.7 * link)))).astype(int)
p = 1 / (1 + np.exp(-link))
two = {"link": link.tolist(), "y": y.tolist(), "bins": 20, **rates(y, (p > 0.5).astype(int), [0, 1]), "curves": [judged(y, p, 20)]}

m = 300
scores = np.round(rng.normal(0, 1.2, (m, 3)), 4)
shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
kind = np.array([rng.choice(3, p=row) for row in 0.7 * shares + 0.1])
three = {
    "scores": scores.T.tolist(),
    "kind": kind.tolist(),
    "bins": 10,
    **rates(kind, shares.argmax(axis=1), [0, 1, 2]),
    "curves": [judged((kind == k).astype(int), shares[:, k], 10) for k in range(3)],
}
print(json.dumps({"source": "test/vectors/evaluation.py", "two": two, "three": three}))
