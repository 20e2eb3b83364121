"""Largest leverages by the QR of the model matrix: the penguins, and a wide table of sines: python3 test/vectors/audit-leverage.py"""
import csv, json, pathlib
import numpy as np

here = pathlib.Path(__file__).parent
largest = {}
for site in ["biscoe", "dream", "torgersen"]:
    rows = list(csv.DictReader(open(here / f"../../examples/penguins/{site}.csv")))
    used = [r for r in rows if r["sex"] in ("male", "female") and r["body_mass"] not in ("", "NA")]
    x = np.array(
        [
            [1, float(r["bill_length"]), float(r["flipper_length"]), r["sex"] == "male",
             r["species"] == "Chinstrap", r["species"] == "Gentoo"]
            for r in used
        ],
        dtype=float,
    )
    x = x[:, x.any(axis=0)]
    q, _ = np.linalg.qr(x)
    largest[site] = {"rows": len(used), "leverage": float((q**2).sum(axis=1).max())}

ROWS, COLUMNS = 400, 270
i, j = np.arange(ROWS)[:, None], np.arange(COLUMNS)[None, :]
wide = np.column_stack([np.ones(ROWS), np.sin((i + 1) * (j + 1) * 0.7318 + 0.5 * j)])
q, _ = np.linalg.qr(wide)
sines = {"rows": ROWS, "columns": COLUMNS, "leverage": float((q**2).sum(axis=1).max())}
(here / "audit-leverage.json").write_text(
    json.dumps({"numpy": np.__version__, "penguins": largest, "sines": sines}, indent=2) + "\n"
)
