import json
from fractions import Fraction

SIZES = {22: 12, 44: 16, 66: 24, 88: 32}  # bytes of an entry, by grid


def whole(v, center, scale, bits):
    u = (v - center) * (2**bits / scale) if bits <= 44 else (Fraction(v) - Fraction(center)) * Fraction(2**bits / scale)
    if abs(round(u)) > 2**bits:
        raise ValueError("a value lies outside its scale")
    return round(u)  # exact, ties to even


def statistic(rows, layout):
    bits, frames = layout["grid"], [(float(r["center"]), float(r["scale"])) for r in layout["references"]]
    u = [[whole(v, center, scale, bits) for v, (center, scale) in zip(z, frames)] for z in rows]
    size, q = SIZES[bits], len(frames)
    sums = (sum(row[i] * row[j] for row in u) for i in range(q) for j in range(i, q))
    return b"".join((total % 256**size).to_bytes(size, "little") for total in sums)


def envelope(data, layout, study, site, dropped=0, sequence=1, mode="add", seal=None):
    size = SIZES[layout["grid"]]
    dtype, words = ("U64", size // 8) if size % 8 == 0 else ("U32", size // 4)
    tensor = {"dtype": dtype, "shape": [len(data) // size, words], "data_offsets": [0, len(data)]}
    about = {"schema": "suffice/contribution@1", "study": study, "site": site, "sequence": str(sequence), "mode": mode}
    about.update(dropped=str(dropped), arithmetic="exact", grid=str(layout["grid"]), **(seal or {}))
    text = json.dumps({"__metadata__": about, "statistic": tensor}, ensure_ascii=False, separators=(",", ":"))
    header = text.encode() + b" " * (-len(text.encode()) % 8)
    return len(header).to_bytes(8, "little") + header + data
