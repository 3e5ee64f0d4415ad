#!/usr/bin/env python3
"""Recomputes the expected values of tests/library/stats.rs by independent methods.

    scripts/check_statistics.py

Constrained likelihoods: the program iterates one-parameter problems; this script finds two Lagrange
multipliers by Newton's method inside a search over the standard deviation. Ratings: the program
uses Newton's method; this script solves the score equations by damped coordinate-wise bisection and
takes the covariance from numerical second derivatives. Needs only the standard library.
"""

from math import erf, exp, inf, log, sqrt

SCORES = [0, 0.25, 0.5, 0.75, 1]
ELO = 400 / log(10)
# Normalised Elo equals Elo if no game is drawn and the players are nearly equal.
NORMALIZED = 800 / log(10)


# ---- pairs ----


def shares_of(pairs):
    counts = [count or 1e-3 for count in pairs]
    total = sum(counts)
    return total, [count / total for count in counts]


def moments(shares):
    mean = sum(p * s for p, s in zip(shares, SCORES))
    return mean, sum(p * (s - mean) ** 2 for p, s in zip(shares, SCORES))


def elo_of(score):
    return -400 * log(1 / score - 1) / log(10)


def describe(pairs):
    total, shares = shares_of(pairs)
    mean, variance = moments(shares)
    error = sqrt(variance / total)
    low, high = mean - 1.959963984540054 * error, mean + 1.959963984540054 * error
    t = (mean - 0.5) / sqrt(variance)
    return {
        "score": mean,
        "variance": variance,
        "elo": elo_of(mean),
        "elo low": elo_of(low),
        "elo high": elo_of(high),
        "normalized elo": t / sqrt(2) * NORMALIZED,
        "los": (1 + erf((mean - 0.5) / error / sqrt(2))) / 2,
    }


def bisect(function, low, high):
    """The zero of a decreasing function."""
    for _ in range(60):
        middle = (low + high) / 2
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def with_mean(shares, mean):
    values = [s - mean for s in SCORES]
    falling = lambda x: sum(p * v / (1 + x * v) for p, v in zip(shares, values))
    edge = 1e-13
    x = bisect(falling, -1 / max(values) + edge, -1 / min(values) - edge)
    return [p / (1 + x * v) for p, v in zip(shares, values)]


def with_two_moments(shares, mean, variance):
    """The most likely distribution with this mean and variance: p / (1 + x u + y v)."""
    us = [s - mean for s in SCORES]
    vs = [u * u - variance for u in us]
    x = y = 0.0

    def objective(x, y):
        inside = [1 + x * u + y * v for u, v in zip(us, vs)]
        return -inf if min(inside) <= 0 else sum(p * log(i) for p, i in zip(shares, inside))

    for _ in range(300):
        inside = [1 + x * u + y * v for u, v in zip(us, vs)]
        gx = sum(p * u / i for p, u, i in zip(shares, us, inside))
        gy = sum(p * v / i for p, v, i in zip(shares, vs, inside))
        hxx = sum(p * u * u / i**2 for p, u, i in zip(shares, us, inside))
        hxy = sum(p * u * v / i**2 for p, u, v, i in zip(shares, us, vs, inside))
        hyy = sum(p * v * v / i**2 for p, v, i in zip(shares, vs, inside))
        det = hxx * hyy - hxy * hxy
        if not 1e-200 < det < 1e200:
            break
        dx, dy = (hyy * gx - hxy * gy) / det, (hxx * gy - hxy * gx) / det
        size = 1.0
        while objective(x + size * dx, y + size * dy) < objective(x, y) and size > 1e-4:
            size /= 2
        x, y = x + size * dx, y + size * dy
        if abs(dx) + abs(dy) < 1e-11:
            break
    return [p / (1 + x * u + y * v) for p, u, v in zip(shares, us, vs)]


def with_t_value(shares, t):
    """The most likely distribution with this t value: a scan, then a golden section search over the
    standard deviation."""

    def fit(deviation):
        mean, variance = 0.5 + t * deviation, deviation**2
        found = with_two_moments(shares, mean, variance)
        reached, spread = moments(found)
        if abs(reached - mean) + abs(spread - variance) > 1e-8:
            return -inf, found
        return sum(p * log(q) for p, q in zip(shares, found)), found

    scan = [0.02 * i for i in range(2, 26)]
    best = max(scan, key=lambda deviation: fit(deviation)[0])
    ratio = (sqrt(5) - 1) / 2
    low, high = best - 0.02, best + 0.02
    for _ in range(50):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        if fit(a)[0] > fit(b)[0]:
            high = b
        else:
            low = a
    return fit((low + high) / 2)[1]


def llr(pairs, bounds, normalized):
    total, shares = shares_of(pairs)
    if normalized:
        h0, h1 = (with_t_value(shares, bound / NORMALIZED * sqrt(2)) for bound in bounds)
    else:
        h0, h1 = (with_mean(shares, 1 / (1 + 10 ** (-bound / 400))) for bound in bounds)
    return total * sum(p * log(b / a) for p, a, b in zip(shares, h0, h1))


# ---- ratings ----


def log_posterior(parameters, games, played, prior):
    *strengths, advantage, drawing = parameters
    total = -(advantage**2 + drawing**2) / 18
    for first, second, results in games:
        d = strengths[first] - strengths[second]
        weights = [exp((d + advantage) / 2), exp(drawing), exp(-(d + advantage) / 2)]
        total += sum(n * log(w / sum(weights)) for n, w in zip(results, weights))
        count = sum(results)
        virtual = prior * (count / played[first] + count / played[second])
        total -= virtual * (log(1 + exp(d)) + log(1 + exp(-d))) / 2
    return total


def rate(players, games, prior=0.5):
    """Elo of each player (the first has 0) and its deviations, first-move advantage in Elo, and nu."""
    played = [sum(sum(r) for a, b, r in games if p in (a, b)) for p in range(players)]
    point = [0.0] * (players + 2)
    value = lambda changes: log_posterior(
        [at + changes.get(i, 0) for i, at in enumerate(point)], games, played, prior
    )
    free = range(1, players + 2)
    for _ in range(100):
        for index in free:
            slope = lambda by: value({index: by + 1e-5}) - value({index: by - 1e-5})
            point[index] += bisect(slope, -3, 3)
    step = 1e-3
    curvature = [
        [
            -(
                value(merged(i, step, j, step))
                - value(merged(i, step, j, -step))
                - value(merged(i, -step, j, step))
                + value(merged(i, -step, j, -step))
            )
            / (4 * step * step)
            for j in free
        ]
        for i in free
    ]
    deviations = [sqrt(row[i]) for i, row in enumerate(inverse(curvature))]
    ratings = [strength * ELO for strength in point[:players]]
    return {
        "ratings": ratings,
        "deviations": [deviation * ELO for deviation in deviations[:-1]],
        "advantage": point[-2] * ELO,
        "nu": exp(point[-1]),
    }


def merged(i, by, j, more):
    changes = {i: by}
    changes[j] = changes.get(j, 0) + more
    return changes


def inverse(matrix):
    """The inverse by Gauss-Jordan elimination."""
    size = len(matrix)
    rows = [row[:] + [float(i == j) for j in range(size)] for i, row in enumerate(matrix)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [cell / rows[i][i] for cell in rows[i]]
        for r in range(size):
            if r != i:
                rows[r] = [cell - rows[r][i] * other for cell, other in zip(rows[r], rows[i])]
    return [row[size:] for row in rows]


def main():
    matches = [[13, 37, 50, 25, 3], [4, 21, 60, 38, 9], [0, 1, 5, 20, 74], [2, 0, 7, 0, 3]]
    for pairs in matches:
        print(pairs)
        for name, number in describe(pairs).items():
            print(f"  {name:<16}{number:.9f}")
        print(f"  llr logistic 0 5    {llr(pairs, (0, 5), False):.9f}")
        print(f"  llr normalized 0 4  {llr(pairs, (0, 4), True):.9f}")
        print(f"  llr normalized -20 50  {llr(pairs, (-20, 50), True):.9f}")
    pools = [
        (2, [(0, 1, [0, 0, 10]), (1, 0, [10, 0, 0])]),
        (3, [(0, 1, [10, 5, 5]), (1, 0, [7, 6, 7]), (1, 2, [12, 2, 6]), (2, 0, [3, 4, 13])]),
    ]
    for players, games in pools:
        print(games)
        for name, found in rate(players, games).items():
            print(f"  {name:<12}", found)


if __name__ == "__main__":
    main()
