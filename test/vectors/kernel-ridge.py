"""Writes kernel-ridge.json: sklearn's kernel ridge regression and numpy's NTK regression on two real data sets.

Run from this folder: python3 kernel-ridge.py > kernel-ridge.json (made with scikit-learn 1.2.1, numpy 1.24.2).
`diabetes` (Efron et al. 2004) and `wine` (scikit-learn's copy of UCI 109: alcohol from the other twelve columns) are shuffled,
standardised and rounded to 4 digits; the first rows are fitted, the others predicted. There is no intercept: y is centred.
A bandwidth b is sklearn's gamma = 1/(2b^2) for rbf, 1/b for laplace, and Matern's length_scale. `kernel` holds the kernels of the
first rows with each other. NTK: two layers, ReLU, x extended by 1, norms as in tangent-map.ts:
theta = ((pi - t)/pi) x.z + |x||z| (sin t + (pi - t) cos t)/pi, t the angle between x and z.
"""
import json

import numpy as np
from sklearn.datasets import load_diabetes, load_wine
from sklearn.gaussian_process.kernels import Matern
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

TRAIN, TEST, FIRST = 100, 40, 16


def ntk(a, b):
    a, b = (np.column_stack([m, np.ones(len(m))]) for m in (a, b))
    length = np.outer(np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1))
    inner = a @ b.T
    angle = np.arccos(np.clip(inner / length, -1, 1))
    return (np.pi - angle) / np.pi * inner + length * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / np.pi


def arccosine(degree):
    def kernel(a, b):
        a, b = (np.column_stack([m, np.ones(len(m))]) for m in (a, b))
        length = np.outer(np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1))
        t = np.arccos(np.clip(a @ b.T / length, -1, 1))
        if degree == 0:
            return (np.pi - t) / np.pi
        if degree == 1:
            return length * (np.sin(t) + (np.pi - t) * np.cos(t)) / np.pi
        return length**2 * (3 * np.sin(t) * np.cos(t) + (np.pi - t) * (1 + 2 * np.cos(t) ** 2)) / np.pi

    return kernel


def sets():
    diabetes = load_diabetes(scaled=False)
    yield "diabetes", diabetes.data, diabetes.target
    wine = load_wine()
    yield "wine", np.delete(wine.data, 0, 1), wine.data[:, 0]


def kernels(columns):
    b = columns**0.5
    yield "rbf", b, lambda x, z: rbf_kernel(x, z, 1 / (2 * b * b))
    yield "laplace", 2.0 * columns, lambda x, z: laplacian_kernel(x, z, 1 / (2 * columns))
    for name, nu in (("matern-1/2", 0.5), ("matern-3/2", 1.5), ("matern-5/2", 2.5)):
        yield name, 1.5 * b, lambda x, z, nu=nu: Matern(1.5 * b, nu=nu)(x, z)
    yield "ntk", 1, ntk
    for degree in (0, 1, 2):
        yield f"arccosine-{degree}", 1, arccosine(degree)


answer = {"source": "test/vectors/kernel-ridge.py", "sets": []}
for name, x, y in sets():
    order = np.random.RandomState(7).permutation(len(y))[: TRAIN + TEST]
    x, y = x[order], y[order]
    x = ((x - x.mean(0)) / x.std(0)).round(4)
    y = ((y - y.mean()) / y.std()).round(4)
    seen, new = x[:TRAIN], x[TRAIN:]
    slopes = np.linalg.solve(seen.T @ seen + np.eye(x.shape[1]), seen.T @ y[:TRAIN])
    cases = []
    for kernel, bandwidth, function in kernels(x.shape[1]):
        # In the order of the kernels of rows with themselves, so that few columns already show the rate.
        ridge = {"ntk": 100.0, "arccosine-1": 50.0, "arccosine-2": 3000.0}.get(kernel, 2.0)
        model = KernelRidge(alpha=ridge, kernel="precomputed").fit(function(seen, seen), y[:TRAIN])
        cases.append(
            {
                "kernel": kernel,
                "bandwidth": bandwidth,
                "ridge": ridge,
                "predictions": model.predict(function(new, seen)).tolist(),
                "kernels": function(x[:FIRST], x[:FIRST]).tolist() if name == "wine" else [],
            }
        )
    answer["sets"].append(
        {"name": name, "train": TRAIN, "x": x.tolist(), "y": y.tolist(), "linear": (new @ slopes).tolist(), "cases": cases}
    )
print(json.dumps(answer))
