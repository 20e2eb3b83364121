"""Parquet files as pandas users have them, with the same table as JSON: python3 test/vectors/parquet.py (pyarrow 25.0.1).

Version 1 pages with zstd and dictionaries, and version 2 pages with lz4 and none; small pages and two row groups.
"""

import datetime
import json
import os
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq

here = os.path.dirname(os.path.abspath(__file__))
n = 300
columns = {
    "double": pa.array([i / 7 - 20 for i in range(n)]),
    "holes": pa.array([None if i % 7 == 3 else i / 8 for i in range(n)]),
    "empty": pa.nulls(n, pa.float64()),
    "float": pa.array([i / 4 for i in range(n)], pa.float32()),
    "half": pa.array([i / 4 for i in range(n)], pa.float16()),
    "int8": pa.array([None if i % 5 == 0 else i % 100 - 50 for i in range(n)], pa.int8()),
    "int64": pa.array([3 * i - 5 for i in range(n)]),
    "uint32": pa.array([2**32 - 1 - i for i in range(n)], pa.uint32()),
    "uint64": pa.array([2**63 + 4096 * i for i in range(n)], pa.uint64()),
    "decimal": pa.array([Decimal(i - 50) / 100 for i in range(n)], pa.decimal128(10, 2)),
    "logical": pa.array([i % 3 == 0 for i in range(n)]),
    "text": pa.array(["abc"[i % 3] for i in range(n)]),
    "category": pa.array([None if i % 11 == 0 else "abc"[i % 3] for i in range(n)]).dictionary_encode(),
}
clocks = {
    "date": pa.array([datetime.date(2020, 1, 1)] * n),
    "timestamp": pa.array([datetime.datetime(2020, 1, 1)] * n),
    "time": pa.array([datetime.time(1, 2)] * n),
}
table = pa.table(columns | clocks)
for version, codec, dictionary in [("1.0", "zstd", True), ("2.0", "lz4", False)]:
    name = f"parquet-v{version[0]}-{codec}.parquet"
    options = {"compression": codec, "use_dictionary": dictionary, "data_page_version": version}
    pq.write_table(table, os.path.join(here, name), row_group_size=200, data_page_size=400, write_batch_size=50, **options)
with open(os.path.join(here, "parquet.json"), "w") as file:
    values = {k: [float(v) if isinstance(v, Decimal) else v for v in a.to_pylist()] for k, a in columns.items()}
    file.write("{\n" + ",\n".join(f'"{k}": {json.dumps(v)}' for k, v in values.items()) + "\n}\n")
