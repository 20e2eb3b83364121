"""Writes baselines.json: models of federated methods on three small clients, by rows, in numpy.

Run from this folder: /usr/bin/python3 baselines.py > baselines.json

Clients have different numbers of rows. The objective of client k is |A_k w - b_k|^2/n_k + (ridge/n)|w|^2, gradients are taken
row by row (not by the Gram), and every method starts at 0:
  FedAvg    McMahan et al. 2017, Algorithm 1, full batches, E steps of eta, mean by rows
  FedProx   Li et al. 2020: the same with mu (w - w_round) in the gradient
  SCAFFOLD  Karimireddy et al. 2020, Algorithm 1, option II, global rate 1, mean by rows
  CG        Hestenes & Stiefel 1952 on (A'A + ridge I) w = A'b; the first round collects A'b
  DP-FedAvg Abadi et al. 2016 as it is for rows of length 1: residuals clipped, so that a row moves a round's sum by `bound` at
            most; R rounds of mu/sqrt(R) are mu (Dong, Roth & Su 2022, Corollary 3.3). One full-batch step a round, the last half
            averaged. `normals` are read off in order.
  printed   FedAvg with noise tau/eps_0, eps_0 = eps/sqrt(R), on each client's sum, once a round for its E steps. NOT private
  readings  FedAvg and FedProx after 40 rounds where the gradient is squares A'(Aw - b)/n_k + shrink w: the ways in which the paper may
            have put its ridge into the clients' loss
  steps     the first of these on the mean loss, with new noise tau/eps_0 on each client's sum at each local step. NOT private
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


normals = rng.normal(size=40)


def dp_fedavg(rounds, clip, step, mu, noises):
    a = np.vstack([a for a, _ in clients])
    b = np.concatenate([b for _, b in clients])
    length = np.linalg.norm(a, axis=1)
    a, b = a / length[:, None], b / length
    bound = clip * 2.5 / np.sqrt(d)
    moved = max(np.linalg.norm(row * bound) for row in a)
    sd = moved / (mu / np.sqrt(rounds)) * np.sqrt(noises)
    w, kept, z = np.zeros(d), [], iter(normals)
    for _ in range(rounds):
        g = np.zeros(d)
        for row, value in zip(a, b):
            g += row * np.clip(value - row @ w, -bound, bound)
        g += sd * np.array([next(z) for _ in range(d)])
        w = w + step * d / total * g
        kept.append(w)
    return np.mean(kept[rounds // 2:], axis=0)


def dp_printed(rounds, deviation):
    w, z = np.zeros(d), iter(normals)
    for _ in range(rounds):
        local = []
        for k in range(len(clients)):
            v = w.copy()
            for _ in range(epochs):
                v = v - eta * gradient(k, v)
            local.append(v)
        # What is on the sum comes E times into the model, by 2 eta/n_k; the clients' are independent.
        own = [2 * eta / n * epochs * deviation * np.sqrt(rounds) for n in counts]
        sd = np.sqrt(sum((s * v) ** 2 for s, v in zip(share, own)))
        w = sum(s * v for s, v in zip(share, local)) + sd * np.array([next(z) for _ in range(d)])
    return w


readings = {
    "same": (2, 2 * ridge / total),
    "halved": (1, ridge / total),
    "meanLoss": (1, ridge),
    "doubledMeanLoss": (2, 2 * ridge),
    "heavierMeanLoss": (1, 2 * ridge),
}


def reading(squares, shrink, mu, rounds=40):
    w = np.zeros(d)
    for _ in range(rounds):
        local = []
        for a, b in clients:
            v = w.copy()
            for _ in range(epochs):
                v = v - eta * (squares * a.T @ (a @ v - b) / len(b) + shrink * v + mu * (v - w))
            local.append(v)
        w = sum(s * v for s, v in zip(share, local))
    return w


step_normals = np.random.default_rng(20260112).normal(size=2 * len(counts) * epochs * d)


def dp_steps(rounds, deviation):
    w, z = np.zeros(d), iter(step_normals)
    for _ in range(rounds):
        local = []
        for a, b in clients:
            v = w.copy()
            for _ in range(epochs):
                noise = deviation * np.sqrt(rounds) * np.array([next(z) for _ in range(d)])
                v = v - eta * ((a.T @ (a @ v - b) + noise) / len(b) + ridge * v)
            local.append(v)
        w = sum(s * v for s, v in zip(share, local))
    return w


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
    "normals": normals.tolist(),
    "dpFedAvg": dp_fedavg(rounds=4, clip=0.25, step=0.5, mu=0.7, noises=1).tolist(),
    "dpFedAvgLocal": dp_fedavg(rounds=8, clip=0.125, step=0.25, mu=2.0, noises=3).tolist(),
    "dpFedAvgPrinted": dp_printed(rounds=3, deviation=1.5).tolist(),
    "readings": {name: {"fedAvg": reading(*r, 0.0).tolist(), "fedProx": reading(*r, mu).tolist()}
                 for name, r in readings.items()},
    "stepNormals": step_normals.tolist(),
    "dpFedAvgSteps": dp_steps(rounds=2, deviation=1.5).tolist(),
    "mse": float(np.mean((test_a @ exact - test_b) ** 2)),
}, sys.stdout, indent=1)
