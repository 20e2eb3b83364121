"""The peer: answers one JSON request a line with one JSON value; times are the best wall seconds."""
import json
import os
import sys
import time

import numpy as np

rng = np.random.default_rng(1)
held = {}


def best(work, seconds):
    least, calls, start = float("inf"), 0, time.perf_counter()
    while calls == 0 or time.perf_counter() - start < seconds:
        before = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - before)
        calls += 1
    return least


def blas(request):
    np.ones((300, 300)) @ np.ones((300, 300))
    with open("/proc/self/maps") as maps:
        files = {line.split()[-1] for line in maps if "/" in line}
    names = sorted({os.path.basename(os.path.realpath(f)) for f in files if "blas" in os.path.basename(f).lower()})
    return ", ".join(names) or "unknown"


def gram_data(request):
    held["a"] = rng.uniform(-1, 1, (request["n"], request["d"]))
    return 0


def gram(request):
    a = held["a"]
    return best(lambda: a.T @ a, request["seconds"])


def cholesky_data(request):
    d = request["d"]
    a = rng.uniform(-1, 1, (d, d))
    held["g"] = np.tril(a, -1) + np.tril(a, -1).T + d * np.eye(d)
    held["b"] = np.ones(d)
    return 0


def cholesky(request):
    from scipy.linalg import cho_factor, cho_solve

    g, b = held["g"], held["b"]
    return best(lambda: cho_solve(cho_factor(g, check_finite=False), b, check_finite=False), request["seconds"])


def forget(request):
    held.clear()
    return 0


answers = {f.__name__: f for f in (blas, gram_data, gram, cholesky_data, cholesky, forget)}
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(answers[request["do"]](request)), flush=True)
