"""Algorithm 2 of IPOL 2023.440 as its authors would run it: numpy, scipy.stats and scikit-learn's Ridge at every node.
Written from the paper, with the corrections of its slips (λ = 1/√N, no intercept, weights that sum to 1)."""
import numpy as np
from scipy import stats
from scipy.special import gamma as gamma_function
from sklearn.linear_model import Ridge

GAMMAS = [g / 10 for g in range(2, 13)]


def law(name, mean):
    """The law of a node's size, of mean `mean`, in scipy's terms."""
    return {
        "lognormal-low": lambda: stats.lognorm(s=1, scale=mean * np.exp(-0.5)),
        "lognormal-high": lambda: stats.lognorm(s=2, scale=mean * np.exp(-2)),
        "poisson": lambda: stats.poisson(mu=mean),
        "gaussian-low": lambda: stats.norm(loc=mean, scale=0.1 * mean),
        "gaussian-medium": lambda: stats.norm(loc=mean, scale=0.5 * mean),
        "gaussian-high": lambda: stats.norm(loc=mean, scale=mean),
        "uniform-low": lambda: stats.uniform(loc=0.5 * mean, scale=mean),
        "uniform-high": lambda: stats.uniform(loc=0, scale=2 * mean),
        "laplace-low": lambda: stats.laplace(loc=mean, scale=0.1 * mean),
        "laplace-medium": lambda: stats.laplace(loc=mean, scale=0.5 * mean),
        "laplace-high": lambda: stats.laplace(loc=mean, scale=mean),
        "pareto": lambda: stats.pareto(b=2.5, scale=0.6 * mean),
        "weibull": lambda: stats.weibull_min(c=1.5, scale=mean / gamma_function(1 + 2 / 3)),
    }[name]()


def ridge(lam, x, y):
    return Ridge(alpha=lam, fit_intercept=False).fit(x, y).coef_


def fesc_weights(n):
    """Equations (9) and (10)."""
    order = np.argsort(-n, kind="stable")
    ordered = n[order]
    level = (2 + np.cumsum(1 / ordered)) / np.cumsum(ordered)
    k = np.nonzero(1 / ordered**2 <= level)[0].max()
    weights = np.zeros(len(n))
    weights[order[: k + 1]] = ordered[: k + 1] / 2 * level[k] - 1 / (2 * ordered[: k + 1])
    return weights


def errors(n, theta_star, xs, ys):
    """‖θ̂ − θ*‖² of the centralised, the plain federated and the FESC estimator."""
    lam = 1 / np.sqrt(n.sum())
    centralised = ridge(lam, np.vstack(xs), np.concatenate(ys))
    theta = np.array([ridge(lam, x, y) for x, y in zip(xs, ys)])
    plain = (n / n.sum()) @ theta
    fesc = fesc_weights(n) @ theta
    return [float(np.sum((estimate - theta_star) ** 2)) for estimate in (centralised, plain, fesc)]


def run(name, nodes, d, gamma, rng):
    """One pass of the loop over γ."""
    n = law(name, nodes**gamma).rvs(size=nodes, random_state=rng)
    n = np.maximum(1, np.floor(n + 0.5)).astype(int)
    theta_star = rng.uniform(size=d)
    xs = [rng.standard_normal((size, d)) for size in n]
    ys = [x @ theta_star + rng.standard_normal(len(x)) for x in xs]
    return errors(n, theta_star, xs, ys)
