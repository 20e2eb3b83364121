"""Writes frequent-directions.json: a matrix, numpy's squared singular values of it, and a sketch by Liberty's algorithm in numpy.

Run from this folder: python3 frequent-directions.py > frequent-directions.json (made with numpy 2.4.6).
The sketch reads `most` rows at a time, and shortens all squared singular values by the one after the `most`-th.
"""
import json

import numpy as np

rng = np.random.default_rng(3)
n, d, most = 60, 9, 4
a = np.round(rng.normal(size=(n, d)) * np.arange(1, d + 1) ** -0.7, 4)
b = np.zeros((0, d))
for first in range(0, n, most):
    both = np.vstack([b, a[first : first + most]])
    if len(both) > most:
        _, s, vt = np.linalg.svd(both, full_matrices=False)
        cut = s[most] ** 2 if len(s) > most else 0.0
        b = (np.sqrt(np.maximum(s**2 - cut, 0))[:, None] * vt)[:most]
    else:
        b = both
print(
    json.dumps(
        {
            "source": f"test/vectors/frequent-directions.py, numpy {np.__version__}",
            "rows": a.tolist(),
            "most": most,
            "squares": (np.linalg.svd(a, compute_uv=False) ** 2).tolist(),
            "gram": (b.T @ b).ravel().tolist(),
            "error": float(np.linalg.norm(a.T @ a - b.T @ b, 2)),
        }
    )
)
