"""Prints the table of docs/kernels.md: held-out errors of kernel features beside the linear fit and the exact kernel ridge.

Run after npm run build: python3 bench/kernels.py ../shared/data (scikit-learn 1.2.1). Wine: 6,497 wines, quality from eleven
measurements. Bikes: 17,379 hours, the count of rides from season, hour, day, weather; 6,000 of them are fitted. A fifth, or
2,000 hours, are held out. Bandwidth and ridge of the features are chosen by GCV from the sums; those of sklearn by three-fold
cross-validation over the rows, with columns in the same public units (middle and a sixth of the range).
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV

data = pathlib.Path(sys.argv[1])
SUFFICE = ["node", "dist/command/main.js"]
BANDWIDTHS = [1, 2, 4]
MAPS = [
    [],
    ["--fourier", "600"],
    ["--fourier", "200,bandwidth=1/2/4"],
    ["--fourier", "600,bandwidth=1/2/4"],
    ["--fourier", "600,kernel=laplace,bandwidth=4/8/16"],
    ["--nystrom", "300"],
    ["--arccosine", "600"],
    ["--tangent", "600"],
]


def table(folder, columns):
    rows = []
    for path in sorted((data / folder / "sites").glob("*.csv")):
        header, *lines = path.read_text().split("\n")
        places = [header.split(",").index(name) for name in columns]
        rows += [[line.split(",")[place] for place in places] for line in lines if line]
    return np.array(rows, dtype=float)


def errors(name, columns, values, train, test):
    order = np.random.RandomState(1).permutation(len(values))
    fitted, held = values[order[:train]], values[order[train : train + test]]
    y = held[:, -1]
    rmse = lambda p: float(np.sqrt(np.mean((np.asarray(p, dtype=float) - y) ** 2)))
    with tempfile.TemporaryDirectory() as folder:
        write = lambda path, rows: path.write_text(
            "\n".join([",".join(columns), *(",".join(f"{v:g}" for v in row) for row in rows)]) + "\n"
        )
        folder = pathlib.Path(folder)
        sites = [folder / f"site{k}.csv" for k in range(3)]
        for k, path in enumerate(sites):
            write(path, fitted[k::3])
        write(folder / "held.csv", held)
        for flags in MAPS:
            model = folder / "model.json"
            start = time.time()
            ridge = ["--ridge", "gcv"] if flags else []
            report = subprocess.run(
                [*SUFFICE, "fit", f"{columns[-1]} ~ .", *map(str, sites), *flags, *ridge, "--json", "--save-model", str(model)],
                check=True, capture_output=True, text=True,
            ).stdout
            seconds = time.time() - start
            out = subprocess.run(
                [*SUFFICE, "predict", str(model), str(folder / "held.csv"), "--extrapolate"],
                check=True, capture_output=True, text=True,
            ).stdout.strip().split("\n")
            place = out[0].split(",").index(".fitted")
            kept = json.loads(report).get("alternative", {}).get("kept", "")
            print(name, " ".join(flags) or "linear", kept, f"{rmse([line.split(',')[place] for line in out[1:]]):.4f}", f"{seconds:.1f} s", flush=True)
    low, high = fitted[:, :-1].min(0), fitted[:, :-1].max(0)
    unit = lambda rows: (rows[:, :-1] - (low + high) / 2) / ((high - low) / 6)
    mean = fitted[:, -1].mean()
    for kernel, gammas in (
        ("rbf", [1 / (2 * b * b) for b in BANDWIDTHS]),
        ("laplacian", [1 / b for b in (4, 8, 16)]),
    ):
        grid = {"gamma": gammas, "alpha": [0.01, 0.1, 1]}
        search = GridSearchCV(KernelRidge(kernel=kernel), grid, cv=3).fit(unit(fitted), fitted[:, -1] - mean)
        print(name, "sklearn", kernel, search.best_params_, f"{rmse(search.predict(unit(held)) + mean):.4f}", flush=True)


wine = "fixed_acidity,volatile_acidity,citric_acid,residual_sugar,chlorides,free_sulfur_dioxide,total_sulfur_dioxide,density,pH,sulphates,alcohol,quality".split(",")
errors("wine", wine, table("wine-quality", wine), 5197, 1300)
bikes = "season,yr,mnth,hr,holiday,weekday,workingday,weathersit,temp,hum,windspeed,cnt".split(",")
errors("bikes", bikes, table("bike-sharing", bikes), 6000, 2000)
