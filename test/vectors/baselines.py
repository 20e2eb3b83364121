"""Writes baselines.json: models of federated methods on three small clients, by rows, in numpy.

Run from this folder: /usr/bin/python3 baselines.py > baselines.json

Clients have different numbers of rows. The objective of client k is |A_k w - b_k|^2/n_k + (ridge/n)|w|^2, gradients are taken
row by row (not by the Gram), and every method starts at 0:
  FedAvg    McMahan et al. 2017, Algorithm 1, full batches, E steps of eta, mean by rows
  FedProx   Li et al. 2020: the same with mu (w - w_round) in the gradient
  SCAFFOLD  Karimireddy et al. 2020, Algorithm 1, option II, global rate 1, mean by rows
  CG        Hestenes & Stiefel 1952 on (A'A + ridge I) w = A'b; the first round collects A'b
  ridge     numpy.linalg.solve;  averaged: mean by rows of each client's own
"""
import json
import sys
import numpy as np

rng = np.random.default_rng(20260111)
d, counts, ridge, eta, epochs, mu = 5, [9, 14, 20], 0.3, 0.01, 5, 0.01
truth = rng.normal(size=d)
clients = []
for n in counts:
    a = rng.normal(size=(n, d)) * rng.uniform(0.5, 1.5, size=d) + rng.normal(size=d) * 0.5
    clients.append((a, a @ truth + 0.1 * rng.normal(size=n)))
test_a = rng.normal(size=(11, d))
test_b = test_a @ truth + 0.1 * rng.normal(size=11)
total = sum(counts)
share = np.array(counts) / total
kept = [1, 2, 5, 40]


def gradient(k, w):
    a, b = clients[k]
    g = np.zeros(d)
    for row, value in zip(a, b):
        g += 2 * (row @ w - value) * row / len(b)
    return g + 2 * ridge / total * w


def fedprox(mu):
    w = np.zeros(d)
    for r in range(1, max(kept) + 1):
        local = []
        for k in range(len(clients)):
            v = w.copy()
            for _ in range(epochs):
                v = v - eta * (gradient(k, v) + mu * (v - w))
            local.append(v)
        w = sum(s * v for s, v in zip(share, local))
        if r in kept:
            yield w


def scaffold():
    w, c = np.zeros(d), np.zeros(d)
    own = [np.zeros(d) for _ in clients]
    for r in range(1, max(kept) + 1):
        local = []
        for k in range(len(clients)):
            v = w.copy()
            for _ in range(epochs):
                v = v - eta * (gradient(k, v) - own[k] + c)
            local.append(v)
        own = [own[k] - c + (w - local[k]) / (epochs * eta) for k in range(len(clients))]
        w = sum(s * v for s, v in zip(share, local))
        c = sum(s * v for s, v in zip(share, own))
        if r in kept:
            yield w


def cg():
    a = np.vstack([a for a, _ in clients])
    b = np.concatenate([b for _, b in clients])
    x = np.zeros(d)
    yield x.copy()
    r = a.T @ b
    p = r.copy()
    for _ in range(3):
        q = a.T @ (a @ p) + ridge * p
        alpha = (r @ r) / (p @ q)
        x = x + alpha * p
        new = r - alpha * q
        p = new + (new @ new) / (r @ r) * p
        r = new
        yield x.copy()


def solve(a, b):
    return np.linalg.solve(a.T @ a + ridge * np.eye(d), a.T @ b)


exact = solve(np.vstack([a for a, _ in clients]), np.concatenate([b for _, b in clients]))
json.dump({
    "ridge": ridge,
    "clients": [{"rows": a.tolist(), "response": b.tolist()} for a, b in clients],
    "test": {"rows": test_a.tolist(), "response": test_b.tolist()},
    "rounds": kept,
    "fedAvg": [w.tolist() for w in fedprox(0.0)],
    "fedProx": [w.tolist() for w in fedprox(mu)],
    "scaffold": [w.tolist() for w in scaffold()],
    "conjugateGradient": [w.tolist() for w in cg()],
    "exact": exact.tolist(),
    "averaged": sum(s * solve(a, b) for s, (a, b) in zip(share, clients)).tolist(),
    "mse": float(np.mean((test_a @ exact - test_b) ** 2)),
}, sys.stdout, indent=1)
