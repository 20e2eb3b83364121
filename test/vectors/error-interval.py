"""95 % intervals for the error of a sample, by scipy's noncentral chi-square: python3 error-interval.py > error-interval.json"""
import json

from scipy.optimize import brentq
from scipy.stats import chi2, ncx2


def interval(error, left, rows):
    x = rows * error + left

    def end(share):
        def away(noncentrality):
            below = ncx2.cdf(x, left, noncentrality) if noncentrality > 0 else chi2.cdf(x, left)
            return below - share

        return 0 if away(0) <= 0 else brentq(away, 0, 5 * x + 100) / rows

    return [end(0.975), end(0.025)]


CASES = [
    (0.0103, 3, 405),
    (0.0029, 3, 405),
    (0.288, 8, 1624),
    (0.0463, 8, 1624),
    (0, 1, 100),
    (0, 12, 460),
    (1.38, 41, 3476),
    (0.5, 4, 30),
    (0.02, 200, 5000),
]
print(json.dumps([{"error": e, "left": k, "rows": n, "interval": interval(e, k, n)} for e, k, n in CASES], indent=2))
