"""MAT-files as SVHN has them, written by scipy: test/vectors/svhn.mat, svhn-plain.mat and svhn.json.

/usr/bin/python3 test/vectors/svhn.py
"""

import json
import pathlib

import numpy as np
import scipy
from scipy.io import loadmat, savemat

here = pathlib.Path(__file__).parent
random = np.random.default_rng(21)
images = random.integers(0, 256, (7, 5, 4, 3), dtype=np.uint8)  # n, height, width, channels
images[:, :2] //= 64  # some values repeat, so that compression has something to do
labels = np.array([10, 1, 9, 10, 3, 4, 2], dtype=np.uint8)
arrays = {"note": "not an image", "X": images.transpose(1, 2, 3, 0), "y": labels[:, None]}
savemat(here / "svhn.mat", arrays, do_compression=True)
savemat(here / "svhn-plain.mat", {"X": arrays["X"], "y": arrays["y"]})
assert (loadmat(here / "svhn.mat")["X"] == arrays["X"]).all()

vector = {
    "made": f"scipy {scipy.__version__}, numpy {np.__version__}",
    "shape": list(images.shape[1:]),
    "labels": [int(label) % 10 for label in labels],
    "images": [image.ravel().tolist() for image in images],
}
(here / "svhn.json").write_text(json.dumps(vector) + "\n")
