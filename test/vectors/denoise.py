"""The eigenvalue cleaner, straight from its formula in numpy's complex arithmetic, for two cases larger than `rie`.

`rie` are the cases of the research notes (their own script); `larger` are made here. Run: python3 denoise.py, which writes denoise.json anew
"""

import json
import os

import numpy as np

here = os.path.dirname(os.path.abspath(__file__))


def cleaner(G, h, sd_g, sd_h, n, ridge, alpha):
    d = len(h)
    g, V = np.linalg.eigh(G)
    s2 = d * sd_g**2 / 2
    m = max(n, 1) / d
    eta = np.sqrt(s2) * min(0.3, 2 / np.sqrt(d))
    z = g - 1j * eta
    S = np.mean(1 / (z[:, None] - g[None, :]), axis=1)
    Z = z - s2 * S
    xi = np.maximum((Z * S).imag / S.imag, 1e-3 * m)
    xi2 = np.maximum((Z**2 * S - Z).imag / S.imag, xi**2)
    m2 = max(np.mean(g**2) - s2 * (1 + 1 / d), m**2)
    hh = max(h @ h - d * sd_h**2, 0.05 * d * sd_h**2)
    w2 = hh / m2
    phi = xi / (xi2 + (ridge + alpha * np.sqrt(s2)) * xi + d * sd_h**2 / w2)
    return g, phi, V @ (phi * (V.T @ h))


def case(seed, n, d, sd_g, sd_h, ridge, alpha):
    rng = np.random.default_rng(seed)
    scales = np.geomspace(1, 0.2, d)
    A = rng.standard_normal((n, d)) * scales
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    b = A @ rng.standard_normal(d)
    E = np.triu(rng.standard_normal((d, d)) * sd_g / np.sqrt(2), 1)
    E = E + E.T + np.diag(rng.standard_normal(d) * sd_g)
    G = np.round(A.T @ A + E, 3)
    h = np.round(A.T @ b + sd_h * rng.standard_normal(d), 3)
    g, phi, w = cleaner(G, h, sd_g, sd_h, n, ridge, alpha)
    return {
        "G": G.tolist(), "h": h.tolist(), "sdG": sd_g, "sdh": sd_h, "n": n, "ridge": ridge, "alpha": alpha,
        "eig": g.tolist(), "phi": phi.tolist(), "w": w.tolist(),
    }


keys = ["G", "h", "sdG", "sdh", "n", "ridge", "alpha", "eig", "phi", "w"]
with open(os.path.join(here, "denoise.json")) as file:
    rie = [{key: one[key] for key in keys} for one in json.load(file)["rie"]]
larger = [case(1, 900, 12, 6.5, 4.25, 0.01, 0.1), case(2, 5000, 30, 40.0, 11.0, 0.0, 0.25)]
with open(os.path.join(here, "denoise.json"), "w") as file:
    json.dump({"rie": rie, "larger": larger}, file)
    file.write("\n")
