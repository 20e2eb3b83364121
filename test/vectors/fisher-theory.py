# The synthetic experiment of FedFisher, Appendix D.1, on a small case: plain matrices, and Lemma 1's gradient descent
# step by step. Run: python3 fisher-theory.py > fisher-theory.json
import json
import numpy as np

ETA, SERVER_ETA = 0.1, 0.001


def client(rs, n):
    w, b = rs.randn() + rs.randn(2), rs.randn() + rs.randn(2)
    x = b + rs.randn(n, 2) * np.sqrt([1, 2**-1.2])
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return x, x @ w


def outputs(w, a, x):
    return np.maximum(x @ w.T, 0) @ a


def descend(w, a, x, y, steps):
    for _ in range(steps):
        z = x @ w.T
        r = np.maximum(z, 0) @ a - y
        w = w - ETA / len(x) * ((z > 0) * a * r[:, None]).T @ x
    return w


def case(seed, n, m, steps, server_steps):
    rs = np.random.RandomState(seed)
    data = [client(rs, n) for _ in range(2)]
    a = rs.choice([-1, 1], m) / np.sqrt(m)
    w0 = rs.randn(m, 2) * np.sqrt(0.5)
    loss = lambda w: float(np.mean([np.mean((outputs(w, a, x) - y) ** 2) / 2 for x, y in data]))
    local = [descend(w0, a, x, y, steps) for x, y in data]
    mean = np.mean(local, 0)
    fishers = []
    for w, (x, _) in zip(local, data):
        j = (((x @ w.T > 0) * a)[:, :, None] * x[:, None, :]).reshape(n, -1)
        fishers.append(j.T @ j / n)
    w = mean.ravel().copy()
    right = sum(f @ l.ravel() for f, l in zip(fishers, local))
    fused, done = {}, 0
    for t in server_steps:
        for _ in range(t - done):
            w = w - SERVER_ETA * (sum(fishers) @ w - right)
        done = t
        fused[str(round(t * SERVER_ETA))] = loss(w.reshape(m, 2))
    x, y = (np.concatenate([d[k] for d in data]) for k in (0, 1))
    return {
        "seed": seed, "steps": steps,
        "clients": [{"x": x.tolist(), "y": y.tolist()} for x, y in data],
        "signs": a.tolist(), "weights": w0.ravel().tolist(),
        "fedAvg": loss(mean), "fedFisher": fused, "central": loss(descend(w0, a, x, y, steps)),
    }


print(json.dumps({
    "numpy": np.__version__,
    "cases": [case(1, 12, 8, 40, (10_000, 100_000)), case(2, 9, 24, 200, (10_000, 100_000))],
}))
