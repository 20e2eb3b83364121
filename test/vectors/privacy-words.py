"""Writes privacy-words.json: python3 test/vectors/privacy-words.py.

xoshiro128** as published (Blackman & Vigna, https://prng.di.unimi.it/xoshiro128starstar.c), its state filled by four
draws of splitmix32 (golden-ratio steps, MurmurHash3's finaliser) from the seed. And draws of discrete Gaussians from
those words (Canonne, Kamath & Steinke 2020, Algorithms 1 to 3) with every comparison made in fractions: a double only
says where to split e^-gamma, which is free to choose.
"""

import json
import os
from fractions import Fraction
from math import isqrt

MASK = 0xFFFFFFFF


def rotl(x, k):
    return ((x << k) | (x >> (32 - k))) & MASK


def splitmix32(seed):
    while True:
        seed = (seed + 0x9E3779B9) & MASK
        z = ((seed ^ (seed >> 16)) * 0x85EBCA6B) & MASK
        z = ((z ^ (z >> 13)) * 0xC2B2AE35) & MASK
        yield z ^ (z >> 16)


def stream(seed):
    filling = splitmix32(seed)
    s = [next(filling) for _ in range(4)]
    while True:
        yield (rotl((s[1] * 5) & MASK, 7) * 9) & MASK
        t = (s[1] << 9) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 11)


def words(seed, count):
    source = stream(seed)
    return [next(source) for _ in range(count)]


def below(chance, source):
    """Whether a uniform number is below the chance."""
    low, width = Fraction(0), Fraction(1)
    while low < chance < low + width or width == 1:
        width /= 2**32
        low += next(source) * width
    return low + width <= chance


def ends_even(gamma, source):
    k = 1
    while below(gamma / k, source):
        k += 1
    return k % 2 == 1


def exp_bernoulli(gamma, near, source):
    while near > 0.75:
        if not ends_even(Fraction(1, 2), source):
            return False
        gamma -= Fraction(1, 2)
        near -= 0.5
    return ends_even(gamma, source)


def uniform(bound, source):
    bits = (bound - 1).bit_length()
    length = -(-bits // 32)
    while True:
        value = next(source) >> (32 * length - bits)
        for _ in range(length - 1):
            value = value << 32 | next(source)
        if value < bound:
            return value


def gaussian(variance, source):
    scale = isqrt(variance) + 1
    while True:
        rest = uniform(scale, source)
        if not exp_bernoulli(Fraction(rest, scale), rest / scale, source):
            continue
        size = rest
        while exp_bernoulli(Fraction(1), 1.0, source):
            size += scale
        negative = next(source) >= 2**31
        if negative and size == 0:
            continue
        gamma = (size - Fraction(variance, scale)) ** 2 / (2 * variance)
        distance = float(size) - float(variance) / float(scale)
        if exp_bernoulli(gamma, distance * distance / (2 * float(variance)), source):
            return -size if negative else size


def draws(variance, seed):
    source = stream(seed)
    return [str(gaussian(variance, source)) for _ in range(200)]


path = os.path.join(os.path.dirname(__file__), "privacy-words.json")
with open(path, "w") as file:
    variances = [3, 9, 31, 10**6 + 3, 13 * 2**66 // 10, 2**80 + 7, 2**160]
    json.dump(
        {
            "streams": [{"seed": seed, "words": words(seed, 40)} for seed in [0, 1, 20260101]],
            "gaussians": [
                {"variance": str(v), "seed": 40 + k, "draws": draws(v, 40 + k)}
                for k, v in enumerate(variances)
            ],
        },
        file,
        indent=1,
    )
    file.write("\n")
