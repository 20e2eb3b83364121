"""Batches and gradients of small generators (batch norm, upsampling, padded convolutions, sigmoid); writes generator.json.

/usr/bin/python3 test/vectors/generator.py   (Debian's python3-torch 1.13 and python3-numpy 1.24)
"""
import json
import os

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)

GENERATORS = {
    "images": dict(input=[2, 8, 8], width=8, code=8, batch=5),
    "images of odd sizes": dict(input=[1, 7, 5], width=16, code=4, batch=3),
    "table": dict(input=[5, 1, 1], width=8, code=12, batch=7),
}


def wave(count, seed):
    """Numbers in (-0.5, 0.5) that the test makes, too."""
    k = np.arange(count, dtype=np.int64)
    return ((k * k * 31 + k * (17 + seed) + seed * 97) % 1009) / 1009 - 0.5


def fours(count):
    return (count + 3) // 4 * 4


def ranges(channels):
    return [(-0.5 - 0.25 * c, 1.5 + 0.5 * c) for c in range(channels)]


def batch_of(net, parameters):
    """The batch as [example][channel][row][column]; parameters are the weights layer by layer, the shifts, then the codes."""
    channels, height, wide = net["input"]
    width, code, batch = net["width"], net["code"], net["batch"]
    at = 0

    def take(*shape):
        nonlocal at
        at += int(np.prod(shape))
        return parameters[at - int(np.prod(shape)) : at].reshape(shape)

    codes = parameters[len(parameters) - batch * code :].reshape(batch, code)

    def norm(x, slope):
        own = take(2, x.shape[1])
        return F.leaky_relu(F.batch_norm(x, None, None, own[0], own[1], training=True), slope)

    def conv(x, outputs):
        w = take(3, 3, x.shape[1], outputs)
        return F.conv2d(x, w.permute(3, 2, 0, 1), padding=1)

    def larger(x, h, w):
        return F.interpolate(x, scale_factor=2)[:, :, :h, :w]

    if height * wide == 1:
        x = norm(codes @ take(code, width), 0.2)
        x = norm(x @ take(width, width), 0.2)
        x = (x @ take(width, fours(channels))).reshape(batch, -1, 1, 1)
    else:
        half = lambda side: (side + 1) // 2
        h, w = half(height), half(wide)
        x = (codes @ take(code, half(h) * half(w) * width)).reshape(batch, half(h), half(w), width).permute(0, 3, 1, 2)
        x = larger(norm(x, 1.0), h, w)
        x = larger(norm(conv(x, width), 0.2), height, wide)
        x = norm(conv(x, width // 2), 0.2)
        x = conv(x, fours(channels))
    shifts = take(fours(channels))
    assert at + batch * code == len(parameters)
    x = torch.sigmoid(x + shifts.reshape(1, -1, 1, 1))[:, :channels]
    low, high = (torch.tensor(side).reshape(1, -1, 1, 1) for side in zip(*ranges(channels)))
    return low + (high - low) * x


def count_of(net):
    channels, height, wide = net["input"]
    width, code, batch = net["width"], net["code"], net["batch"]
    end = fours(channels)
    if height * wide == 1:
        weights = code * width + 2 * width + width * width + 2 * width + width * end
    else:
        half = lambda side: (side + 1) // 2
        small = half(half(height)) * half(half(wide))
        weights = code * small * width + 2 * width + 9 * width * width + 2 * width
        weights += 9 * width * width // 2 + width + 9 * width // 2 * end
    return weights + end + batch * code


made = {}
for name, net in GENERATORS.items():
    parameters = torch.tensor((1.5 * wave(count_of(net), 7)).astype(np.float32), requires_grad=True)
    x = batch_of(net, parameters)
    (x * torch.tensor(wave(x.numel(), 8).astype(np.float32)).reshape(x.shape)).sum().backward()
    flat = parameters.grad.numpy().astype(float)
    step = max(1, len(flat) // 300)
    made[name] = dict(
        **net, ranges=ranges(net["input"][0]), parameters=len(flat), made=x.detach().numpy().astype(float).ravel().tolist(),
        step=step, gradient=flat[::step].tolist(), largest=float(np.abs(flat).max()), length=float(np.sqrt((flat**2).sum())),
    )


def short(value):
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, dict):
        return {key: short(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [short(entry) for entry in value]
    return value


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "generator.json"), "w") as file:
    json.dump(short(made), file, separators=(",", ":"))
    file.write("\n")
