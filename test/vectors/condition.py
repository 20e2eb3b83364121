"""Condition numbers of designs with columns of unit length, by numpy's SVD: python3 condition.py > condition.json

Cell r of column j is draw number j·rows + r of x ↦ 1664525 x + 1013904223 mod 2³² from 1, as round(16 x/2³²)/8 − 1, plus the
offset. With `near`, column 1 is column 0 plus 2^−near times itself.
"""
import json
import numpy

CASES = [
    dict(rows=12, width=1),
    dict(rows=40, width=5),
    dict(rows=40, width=5, offset=100),
    dict(rows=40, width=5, offset=100, intercept=False),
    dict(rows=60, width=9, near=14),
    dict(rows=300, width=60),
    dict(rows=400, width=160, intercept=False),
    dict(rows=400, width=160, offset=3, near=12),
    dict(rows=1600, width=1002),
]


def design(rows, width, offset=0, near=None, intercept=True):
    state, cells = 1, []
    for _ in range(rows * width):
        state = (1664525 * state + 1013904223) % 2**32
        cells.append(numpy.floor(16 * state / 2**32 + 0.5) / 8 - 1)
    x = numpy.array(cells).reshape(width, rows).T
    if near is not None:
        x[:, 1] = x[:, 0] + x[:, 1] / 2**near
    x = x + offset
    return numpy.column_stack([numpy.ones(rows), x]) if intercept else x


answers = []
for case in CASES:
    x = design(**case)
    s = numpy.linalg.svd(x / numpy.linalg.norm(x, axis=0), compute_uv=False)
    answers.append(dict(case, condition=float(s[0] / s[-1])))
print(json.dumps(dict(numpy=numpy.__version__, cases=answers), indent=2))
