"""Writes ridge-sklearn.json: sklearn's Ridge on the table of ridge.json.

Run from this folder, after ridge.R: python3 ridge.py > ridge-sklearn.json (made with sklearn 1.2.1).
`--ridge L` is Ridge(alpha=L) on raw columns; `--weights w` is sample_weight=w, not normalised;
two responses share the penalty and are otherwise apart; `- 1` is fit_intercept=False.
"""
import json

import numpy as np
import sklearn
from sklearn.linear_model import Ridge

table = json.load(open("ridge.json"))["table"]
x = np.column_stack([table[name] for name in "abcd"])
y = np.column_stack([table[name] for name in "yz"])
w = np.array(table["w"])


def fit(alpha, intercept, weights):
    model = Ridge(alpha=alpha, fit_intercept=intercept, solver="svd")
    model.fit(x, y, sample_weight=weights)
    return [
        ([float(model.intercept_[r])] if intercept else []) + model.coef_[r].tolist() for r in range(2)
    ]


cases = [
    {
        "formula": "cbind(y, z) ~ a + b + c + d" + ("" if intercept else " - 1"),
        "weights": name,
        "lambda": alpha,
        "coefficients": fit(alpha, intercept, weights),
    }
    for intercept in (True, False)
    for name, weights in ((None, None), ("w", w))
    for alpha in (0.01, 0.5, 3, 40, 1000)
]
print(json.dumps({"source": f"test/vectors/ridge.py, sklearn {sklearn.__version__}", "cases": cases}, indent=1))
