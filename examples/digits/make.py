"""Makes the IDX files of this folder from the 1,797 digits of scikit-learn (Debian: python3-sklearn).

Three sites know different digits, and every fifth digit is held out:
    north: 0 to 3    middle: 4 to 6    south: 7 to 9    held-out: all
A pixel is a number from 0 to 16 there and from 0 to 255 here.
"""

import struct
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

FOLDER = Path(__file__).parent
SITES = {"north": range(0, 4), "middle": range(4, 7), "south": range(7, 10)}

digits = load_digits()
pixels = np.rint(digits.images * (255 / 16)).astype(np.uint8)
labels = digits.target.astype(np.uint8)


def write(name, chosen):
    images = pixels[chosen]
    header = struct.pack(">IIII", 0x803, *images.shape)
    (FOLDER / f"{name}-images.idx3-ubyte").write_bytes(header + images.tobytes())
    header = struct.pack(">II", 0x801, len(images))
    (FOLDER / f"{name}-labels.idx1-ubyte").write_bytes(header + labels[chosen].tobytes())
    print(name, len(images), np.bincount(labels[chosen], minlength=10))


held_out = np.arange(len(labels)) % 5 == 4
for site, known in SITES.items():
    write(site, ~held_out & np.isin(labels, known))
write("held-out", held_out)
