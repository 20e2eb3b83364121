"""Writes convolution.json: random convolution features of two images, in float64, from their description.

Run from this folder: python3 convolution.py > convolution.json (made with numpy 2.4.6).
Written from docs/mathematics.md ("Random convolution"), not from the TypeScript, which computes in float32.
"""
import hashlib
import json
import math

import numpy as np

MASK = 2**32 - 1


def words(seed, filter):
    digest = hashlib.sha256(f"suffice convolution {seed} {filter}".encode()).digest()
    a, b, c, d = (int.from_bytes(digest[4 * k : 4 * k + 4], "little") for k in range(4))
    turned = lambda word, bits: ((word << bits) | (word >> (32 - bits))) & MASK
    while True:
        yield turned(b * 5 & MASK, 7) * 9 & MASK
        shifted = b << 9 & MASK
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = turned(d, 11)


def normals(source):
    signed = lambda: ((next(source) >> 5) * 2**26 + (next(source) >> 6)) / 2**52 - 1
    while True:
        x, y = signed(), signed()
        square = x * x + y * y
        if square >= 1 or square == 0:
            continue
        stretch = math.sqrt(-2 * math.log(square) / square)
        yield x * stretch
        yield y * stretch


def smoothed(w):
    for axis in (1, 0):
        moved = np.moveaxis(w, axis, 0)
        padded = np.concatenate([np.zeros_like(moved[:1]), moved, np.zeros_like(moved[:1])])
        w = np.moveaxis(0.5 * moved + 0.25 * (padded[:-2] + padded[2:]), 0, axis)
    return w


def drawn(seed, filter, size, channels):
    source = words(seed, filter)
    threshold = 0.9 * next(source) / 2**32
    stream = normals(source)
    w = np.array([next(stream) for _ in range(channels * size * size)]).reshape(channels, size, size)
    if channels == 1:
        w = smoothed(w[0])[None]
    w = w - w.mean()
    return w / math.sqrt((w * w).sum()), threshold


MEAN, DEVIATION = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])


def features(image, filters, size, pooling, seed):
    """image: height × width × channels, 0 to 255."""
    height, width, channels = image.shape
    x = image / 255 if channels == 1 else (image / 255 - MEAN) / DEVIATION
    tall, wide = height - size + 1, width - size + 1
    maps, thresholds = [], []
    for filter in range(filters):
        w, threshold = drawn(seed, filter, size, channels)
        thresholds.append(threshold)
        maps.append([[(w * x[i : i + size, j : j + size].transpose(2, 0, 1)).sum() for j in range(wide)] for i in range(tall)])
    c = np.array(maps)
    c /= np.abs(c).mean() + 2**-10
    cut = lambda length: [(k * length // pooling, -(-(k + 1) * length // pooling)) for k in range(pooling)]
    return [
        min(8.0, float(np.maximum(sign * one - threshold, 0)[top:bottom, left:right].mean()))
        for one, threshold in zip(c, thresholds)
        for sign in (1, -1)
        for top, bottom in cut(tall)
        for left, right in cut(wide)
    ]


def case(height, width, channels, **terms):
    y, x, k = np.indices((height, width, channels))
    image = (37 * y * y + 11 * x * (k + 1) + 5 * x * y + 60 * k) % 256
    return {"height": height, "width": width, "channels": channels, "terms": terms,
            "pixels": image.reshape(-1).tolist(), "features": features(image, **terms)}


print(json.dumps({"source": f"test/vectors/convolution.py, numpy {np.__version__}",
                  "cases": [case(9, 11, 1, filters=3, size=4, pooling=2, seed=7),
                            case(8, 7, 3, filters=2, size=3, pooling=3, seed=2**32 - 1)]}))
