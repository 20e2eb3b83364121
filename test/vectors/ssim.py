"""The structural similarity of two images by its definition (Wang et al. 2004), uniform windows of 7 x 7: ssim.json.

/usr/bin/python3 test/vectors/ssim.py
"""

import json
import pathlib

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

k = np.arange(784)
wave = lambda step: ((k * step) % 29) / 29
images = [wave(7), 0.5 * wave(7) + 0.5 * wave(11)]
a, b = (
    sliding_window_view(image.reshape(28, 28).astype(np.float32).astype(float), (7, 7)).reshape(22, 22, 49)
    for image in images
)
ma, mb = a.mean(2), b.mean(2)
va, vb = a.var(2, ddof=1), b.var(2, ddof=1)
vab = ((a - ma[..., None]) * (b - mb[..., None])).sum(2) / 48
ssim = ((2 * ma * mb + 0.01**2) * (2 * vab + 0.03**2)) / ((ma**2 + mb**2 + 0.01**2) * (va + vb + 0.03**2))
vector = {"made": f"numpy {np.__version__}", "ssim": ssim.mean()}
(pathlib.Path(__file__).parent / "ssim.json").write_text(json.dumps(vector) + "\n")
