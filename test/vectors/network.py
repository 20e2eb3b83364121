"""Gradients, trajectories and Fisher information of small networks; writes network.json.

Gradients and trajectories come from torch (float32). Fisher information comes from numpy alone, in float64, one example and one
label at a time, by the definition: sum over the labels c of q_c * g_c g_c^T with g_c = d log q_c / d weights.
/usr/bin/python3 test/vectors/network.py   (Debian's python3-torch 1.13 and python3-numpy 1.24)
"""
import json
import os

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)


def wave(count, seed):
    """Numbers in (-0.5, 0.5) that the test makes, too."""
    k = np.arange(count, dtype=np.int64)
    return ((k * k * 31 + k * (17 + seed) + seed * 97) % 1009) / 1009 - 0.5


conv = lambda channels, size, padding=0: {"kind": "convolution", "channels": channels, "size": size, "padding": padding}
dense = lambda units: {"kind": "dense", "units": units}
pool = lambda size: {"kind": "max-pool", "size": size}
relu = {"kind": "relu"}

NETWORKS = {
    "dense": dict(input=[5, 1, 1], layers=[dense(7), relu], bias=True, outputs=3, rows=6, loss="classes"),
    "numbers": dict(input=[4, 1, 1], layers=[dense(6), relu], bias=True, outputs=2, rows=5, loss="numbers"),
    "convolution": dict(
        input=[2, 7, 6], layers=[conv(3, 3, 1), relu, pool(2), conv(5, 2), relu, dense(5), relu], bias=True, outputs=3,
        rows=5, loss="classes",
    ),
    "plain": dict(
        input=[1, 9, 8], layers=[relu, conv(2, 3, 2), pool(3), relu, dense(4), relu], bias=False, outputs=2, rows=4,
        loss="classes",
    ),
    "lenet": dict(
        input=[1, 28, 28], layers=[conv(6, 5), relu, pool(2), conv(16, 5), relu, pool(2), dense(120), relu, dense(84), relu],
        bias=False, outputs=10, rows=3, loss="classes",
    ),
}


def blocks(net):
    """Shapes of the layers with weights: (kind, outputs, inputs)."""
    c, h, w = net["input"]
    made = []
    for layer in net["layers"] + [dense(net["outputs"])]:
        if layer["kind"] == "convolution":
            made.append((layer["channels"], c * layer["size"] ** 2))
            c, h, w = layer["channels"], h + 2 * layer["padding"] - layer["size"] + 1, w + 2 * layer["padding"] - layer["size"] + 1
        elif layer["kind"] == "max-pool":
            h, w = h // layer["size"], w // layer["size"]
        elif layer["kind"] == "dense":
            made.append((layer["units"], c * h * w))
            c, h, w = layer["units"], 1, 1
    return made


def weights_of(net):
    """One matrix for each layer, the bias as its last column."""
    return [
        (wave(o * (i + net["bias"]), k + 1) * 3 / np.sqrt(i)).astype(np.float32).reshape(o, i + net["bias"])
        for k, (o, i) in enumerate(blocks(net))
    ]


def examples_of(net, rows=None):
    rows = rows or net["rows"]
    x = (2 * wave(rows * int(np.prod(net["input"])), 50)).astype(np.float32).reshape(rows, *net["input"])
    classes = np.arange(rows) * 5 % net["outputs"]
    numbers = (2 * wave(rows * net["outputs"], 60)).astype(np.float32).reshape(rows, -1)
    return x, classes, numbers


def torch_outputs(net, weights, x):
    k = 0
    for layer in net["layers"] + [dense(net["outputs"])]:
        if layer["kind"] == "relu":
            x = F.relu(x)
        elif layer["kind"] == "max-pool":
            x = F.max_pool2d(x, layer["size"])
        else:
            w = weights[k]
            k += 1
            bias = w[:, -1] if net["bias"] else None
            w = w[:, :-1] if net["bias"] else w
            if layer["kind"] == "dense":
                x = F.linear(x.flatten(1), w, bias)
            else:
                side = layer["size"]
                x = F.conv2d(x, w.reshape(w.shape[0], -1, side, side), bias, padding=layer["padding"])
    return x


def torch_loss(net, outputs, classes, numbers):
    if net["loss"] == "classes":
        return F.cross_entropy(outputs, torch.tensor(classes))
    return 0.5 * ((outputs - torch.tensor(numbers)) ** 2).sum(1).mean()


def gradients(net):
    x, classes, numbers = examples_of(net)
    weights = [torch.tensor(w, requires_grad=True) for w in weights_of(net)]
    outputs = torch_outputs(net, weights, torch.tensor(x))
    loss = torch_loss(net, outputs, classes, numbers)
    loss.backward()
    flat = np.concatenate([w.grad.numpy().ravel() for w in weights]).astype(float)
    step = max(1, len(flat) // 300)
    return dict(
        outputs=outputs.detach().numpy().astype(float).ravel().tolist(), loss=loss.item(), weights=len(flat), step=step,
        gradient=flat[::step].tolist(), largest=float(np.abs(flat).max()), length=float(np.sqrt((flat**2).sum())),
    )


def trajectory(net, name):
    """Weights after 4 epochs over 10 rows in their order, batches of 4, 4 and 2."""
    x, classes, numbers = examples_of(net, 10)
    weights = [torch.tensor(w, requires_grad=True) for w in weights_of(net)]
    if name == "momentum":
        optimiser = torch.optim.SGD(weights, lr=0.05, momentum=0.9)
    else:
        optimiser = torch.optim.Adam(weights, lr=0.01)
    for _ in range(4):
        for at in (slice(0, 4), slice(4, 8), slice(8, 10)):
            optimiser.zero_grad()
            torch_loss(net, torch_outputs(net, weights, torch.tensor(x[at])), classes[at], numbers[at]).backward()
            optimiser.step()
    return np.concatenate([w.detach().numpy().ravel() for w in weights]).astype(float).tolist()


def numpy_forward(net, weights, x):
    """Outputs of one example, and what each layer needs to go back: a list of (kind, facts)."""
    tape, k = [], 0
    for layer in net["layers"] + [dense(net["outputs"])]:
        if layer["kind"] == "relu":
            tape.append(("relu", x > 0))
            x = np.maximum(x, 0)
        elif layer["kind"] == "max-pool":
            s = layer["size"]
            c, h, w = x.shape[0], x.shape[1] // s, x.shape[2] // s
            out, where = np.zeros((c, h, w)), {}
            for i in range(c):
                for y in range(h):
                    for z in range(w):
                        window = x[i, y * s : y * s + s, z * s : z * s + s]
                        a, b = np.unravel_index(window.argmax(), window.shape)
                        out[i, y, z] = window[a, b]
                        where[i, y, z] = (i, y * s + a, z * s + b)
            tape.append(("max-pool", x.shape, where))
            x = out
        elif layer["kind"] == "dense":
            u = x.reshape(1, -1)
            if net["bias"]:
                u = np.append(u, [[1.0]], 1)
            tape.append(("weights", k, u, x.shape, None))
            x = (u @ weights[k].T).reshape(-1, 1, 1)
            k += 1
        else:
            s, p = layer["size"], layer["padding"]
            padded = np.pad(x, ((0, 0), (p, p), (p, p)))
            h, w = padded.shape[1] - s + 1, padded.shape[2] - s + 1
            u = np.array([padded[:, y : y + s, z : z + s].ravel() for y in range(h) for z in range(w)])
            if net["bias"]:
                u = np.append(u, np.ones((h * w, 1)), 1)
            tape.append(("weights", k, u, x.shape, (s, p, h, w)))
            x = (u @ weights[k].T).T.reshape(-1, h, w)
            k += 1
    return x.ravel(), tape


def numpy_backward(net, weights, tape, gradient):
    """For each layer with weights: its inputs (a row for each position) and the gradient by what it makes."""
    found, g = {}, gradient
    for entry in reversed(tape):
        if entry[0] == "relu":
            g = g.reshape(entry[1].shape) * entry[1]
        elif entry[0] == "max-pool":
            _, shape, where = entry
            down = g.reshape([max(key[i] for key in where) + 1 for i in range(3)])
            g = np.zeros(shape)
            for key, place in where.items():
                g[place] += down[key]
        else:
            _, k, u, shape, windows = entry
            s = g.reshape(weights[k].shape[0], -1).T
            found[k] = (u, s)
            w = weights[k][:, :-1] if net["bias"] else weights[k]
            du = s @ w
            if windows is None:
                g = du.reshape(shape)
            else:
                side, p, h, wide = windows
                padded = np.zeros((shape[0], shape[1] + 2 * p, shape[2] + 2 * p))
                for t in range(h * wide):
                    y, z = divmod(t, wide)
                    padded[:, y : y + side, z : z + side] += du[t].reshape(shape[0], side, side)
                g = padded[:, p : p + shape[1], p : p + shape[2]]
    return found


def fisher(net):
    x, _, _ = examples_of(net)
    weights = [w.astype(float) for w in weights_of(net)]
    count = sum(w.size for w in weights)
    full = np.zeros((count, count)) if count < 400 else None
    diagonal = np.zeros(count)
    inputs = [np.zeros((w.shape[1],) * 2) for w in weights]
    made = [np.zeros((w.shape[0],) * 2) for w in weights]
    n = len(x)
    for row in x.astype(float):
        outputs, tape = numpy_forward(net, weights, row)
        q = np.exp(outputs - outputs.max())
        q /= q.sum()
        for label in range(net["outputs"]):
            one = np.eye(net["outputs"])[label]
            weight, seed = (q[label], one - q) if net["loss"] == "classes" else (1.0, one)
            found = numpy_backward(net, weights, tape, seed)
            flat = np.concatenate([(s.T @ u).ravel() for u, s in (found[k] for k in range(len(weights)))])
            diagonal += weight * flat**2 / n
            if full is not None:
                full += weight * np.outer(flat, flat) / n
            for k, (u, s) in found.items():
                made[k] += weight * s.T @ s / len(u) / n
                if label == 0:
                    inputs[k] += u.T @ u / n

    def some(values):
        flat = np.asarray(values, dtype=float).ravel()
        step = max(1, len(flat) // 200)
        return dict(length=len(flat), step=step, values=flat[::step].tolist(), largest=float(np.abs(flat).max()))

    answer = dict(diagonal=some(diagonal), inputs=[some(a) for a in inputs], outputs=[some(g) for g in made])
    if full is not None:
        answer["full"] = some(full[np.triu_indices(count)])
    return answer


made = {}
for name, net in NETWORKS.items():
    made[name] = dict(network=net, gradients=gradients(net), fisher=fisher(net))
made["convolution"]["trajectories"] = {name: trajectory(NETWORKS["convolution"], name) for name in ("momentum", "adam")}


def short(value):
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: short(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [short(entry) for entry in value]
    return value


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "network.json"), "w") as file:
    json.dump(short(made), file, separators=(",", ":"))
    file.write("\n")
