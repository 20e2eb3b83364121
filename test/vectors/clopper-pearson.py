"""One-sided lower limits of a probability at 99.99 % (Clopper & Pearson 1934): beta(1e-4; k, n - k + 1) by SciPy."""
import json
from pathlib import Path

import scipy
from scipy.stats import beta

cases = [(0, 50), (1, 50), (25, 50), (50, 50), (3, 4000), (400, 4000), (2213, 4000), (3999, 4000)]
limits = [
    {"times": k, "of": n, "lower": float(beta.ppf(1e-4, k, n - k + 1)) if k > 0 else 0.0}
    for k, n in cases
]
Path(__file__).with_suffix(".json").write_text(json.dumps(limits, indent=1) + "\n")
print("scipy", scipy.__version__)
