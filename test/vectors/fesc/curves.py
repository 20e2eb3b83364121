"""python3 curves.py: means and standard errors of the default experiment by γ, with numpy's own random numbers → curves.json"""
import json
import sys

import numpy as np
import sklearn
from algorithm2 import GAMMAS, run

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 400
rng = np.random.default_rng(2023440)
table = np.array([[run("lognormal-low", 100, 10, gamma, rng) for gamma in GAMMAS] for _ in range(RUNS)])
mean, error = table.mean(axis=0), table.std(axis=0, ddof=1) / np.sqrt(RUNS)
json.dump(
    {
        "versions": {"numpy": np.__version__, "sklearn": sklearn.__version__},
        "law": "lognormal-low", "nodes": 100, "dimension": 10, "runs": RUNS,
        "curves": [
            {"gamma": gamma, "mean": dict(zip(("centralised", "average", "fesc"), mean[g].tolist())),
             "standardError": dict(zip(("centralised", "average", "fesc"), error[g].tolist()))}
            for g, gamma in enumerate(GAMMAS)
        ],
    },
    open("curves.json", "w"), indent=1,
)
