#!/usr/bin/env python3
"""Writes the reference files of this folder: python3 make.py (needs mpmath).

A second implementation of what the accountants compute, in fractions and in 60
digits, by definition and enumeration: slow, and with nothing in common with the
Go code but the formulas.
"""
import itertools
import json
import pathlib
from fractions import Fraction as F

from mpmath import mp, mpf

mp.dps = 60
HERE = pathlib.Path(__file__).parent


def hamilton(n, edges):
    """W_uv = 1/(1 + max(d_u, d_v)), the rest on the diagonal."""
    degree = [sum(u in e for e in edges) for u in range(n)]
    w = [[F(0)] * n for _ in range(n)]
    for u, v in edges:
        w[u][v] = w[v][u] = F(1, 1 + max(degree[u], degree[v]))
    for u in range(n):
        w[u][u] = 1 - sum(w[u])
    return w


def times(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, c) if x and y) for c in columns] for row in a]


def identity(n):
    return [[F(int(i == j)) for j in range(n)] for i in range(n)]


def graphs():
    """Graphs of our own: a house with a chimney, two triangles on a bridge, a wheel, a caterpillar."""
    wheel = [(0, k) for k in range(1, 7)] + [(k, k % 6 + 1) for k in range(1, 7)]
    return {
        "house": (6, [(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (1, 4), (4, 5)]),
        "bridge": (7, [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 6), (6, 4)]),
        "wheel": (7, wheel),
        "caterpillar": (8, [(0, 1), (1, 2), (2, 3), (0, 4), (1, 5), (2, 6), (2, 7)]),
    }


def walk_published(n, edges, runs):
    """Sums of W^t/t over t = 1..T; minus the logarithm of I - W + 11'/n; the spectral gap."""
    w = mp.matrix([[mpf(x.numerator) / x.denominator for x in row] for row in hamilton(n, edges)])
    values, vectors = mp.eigsy(w)  # ascending; the last is 1

    def of(f):
        return vectors * mp.diag([f(x) for x in values]) * vectors.T

    def table(m):
        return [[round(float(m[i, j]), 15) for j in range(n)] for i in range(n)]

    ones = len(values) - 1
    log = table(of(lambda x: mpf(0) if x is values[ones] else -mp.log(1 - x)))
    gap = 1 - max(abs(values[k]) for k in range(ones))
    return {
        "n": n, "edges": edges, "weights": "hamilton", "spectral_gap_seeds": float(gap), "minus_log_I_minus_W_plus_J": log,
        "runs": [{"T": t, "sum_Wt_over_t": table(of(lambda x: mp.fsum(x**s / s for s in range(1, t + 1))))} for t in runs],
    }


def orthogonal(rows, n):
    """Rows made orthogonal, exactly; those that depend on others are left out."""
    basis = []
    for row in rows:
        for b, square in basis:
            c = sum(x * y for x, y in zip(row, b)) / square
            if c:
                row = [x - c * y for x, y in zip(row, b)]
        square = sum(x * x for x in row)
        if square:
            basis.append((row, square))
    return basis


def gossip(n, edges, runs):
    """What v hears in T rounds: W^t e_w of every neighbour w for t < T, and its own value."""
    w = hamilton(n, edges)
    powers = [identity(n)]
    while len(powers) < max(runs):
        powers.append(times(powers[-1], w))
    near = [[u for u in range(n) if (u, v) in edges or (v, u) in edges] for v in range(n)]
    result = []
    for t in runs:
        leakage, published = [[0.0] * n for _ in range(n)], [[0.0] * n for _ in range(n)]
        rank, known = [], []
        for v in range(n):
            rows = [powers[s][u] for s in range(t) for u in near[v]]
            basis = orthogonal(rows + [identity(n)[v]], n)
            rank.append(len(basis))
            share = [sum(b[u] * b[u] / square for b, square in basis) for u in range(n)]
            known.append([u for u in range(n) if u != v and share[u] == 1])
            for u in range(n):
                leakage[u][v] = float(share[u])
                published[u][v] = float(sum(r[u] * r[u] / sum(x * x for x in r) for r in rows))
        result.append({"T": t, "leakage": leakage, "published_sum": published, "rank": rank, "reconstructed": known})
    return {"n": n, "edges": edges, "weights": "hamilton", "runs": result}


def attack(n, edges, runs, attackers):
    """Who is computed by attackers that pool what they hear; they themselves are listed too."""
    w = hamilton(n, edges)
    heard = sorted({u for v in attackers for u in range(n) if (u, v) in edges or (v, u) in edges})
    cases = []
    for t in runs:
        rows, power = [identity(n)[v] for v in attackers], identity(n)
        for _ in range(t):
            rows += [power[u] for u in heard]
            power = times(power, w)
        basis = orthogonal(rows, n)
        known = [u for u in range(n) if sum(b[u] * b[u] / square for b, square in basis) == 1]
        cases.append({"n": n, "edges": edges, "attackers": attackers, "T": t, "reconstructed": known, "rank": len(basis)})
    return cases


def random_graphs():
    """Random trees with chords, by a generator of our own: connected, no two alike."""
    state = 12345
    for k in range(6):
        n, edges = 9 + k, set()
        for u in range(1, n):
            state = (1103515245 * state + 12345) % 2**31
            edges.add((state // 65536 % u, u))
        for _ in range(k):
            state = (1103515245 * state + 12345) % 2**31
            a, b = state // 65536 % n, state // 7 % n
            if a != b:
                edges.add((min(a, b), max(a, b)))
        yield n, sorted(edges), [[0], [n - 1], [1, n - 2]][k % 3]


def phi(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def gaussian_delta(mu, eps):
    mu, eps = mpf(mu), mpf(eps)
    if mu == 0:
        return mpf(0)
    return phi(mu / 2 - eps / mu) - mp.exp(eps) * phi(-mu / 2 - eps / mu)


def conversions():
    rdp = []
    for alpha, loss, delta in itertools.product((1.25, 3.0, 17.0), (0.02, 0.7, 5.0), (1e-4, 1e-9)):
        a, log = mpf(alpha), mp.log(1 / mpf(delta))
        rdp.append({
            "alpha": alpha, "rdp": loss, "delta": delta, "mironov": float(loss + log / (a - 1)),
            "cks": float(loss + (log - mp.log(a)) / (a - 1) + mp.log(1 - 1 / a)),
        })
    delta = [{"mu": mu, "eps": eps, "delta": mp.nstr(gaussian_delta(mu, eps), 20)}
             for mu, eps in itertools.product((0.03, 0.4, 1.7, 6.0), (0.0, 0.25, 1.5, 12.0))]
    return {"rdp_to_dp": rdp, "gaussian_delta": delta}


def energy(contributed):
    """Squared slopes of the convex minorant of the counts: pools of adjacent violators."""
    pools = []
    for c in contributed:
        pools.append([F(c), 1])
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] >= pools[-1][0] * pools[-2][1]:
            total, count = pools.pop()
            pools[-1][0] += total
            pools[-1][1] += count
    return sum(total * total / count for total, count in pools)


def walk_path(name, n, edges, u, v, start, turns, cap, sigma2):
    """Every path of the walk, its energy and its probability."""
    w, law = hamilton(n, edges), {}

    def extend(path, p):
        if len(path) == turns:
            e, made, open_ = F(0), 0, []
            for x in path:
                if x == v:
                    e, open_ = e + energy(open_), []
                    continue
                open_.append(int(x == u and made < cap))
                made += open_[-1]
            law[e] = law.get(e, 0) + p
            return
        for x in range(n):
            if w[path[-1]][x]:
                extend(path + [x], p * w[path[-1]][x])

    for x in range(n) if start is None else [start]:
        extend([x], F(1, n) if start is None else F(1))
    exact = [(mpf(e.numerator) / e.denominator, mpf(p.numerator) / p.denominator) for e, p in sorted(law.items())]
    return {
        "name": name, "n": n, "edges": edges, "weights": "hamilton", "u": u, "v": v, "start": start, "T": turns, "cap": cap,
        "sigma2": sigma2, "mean_V": float(sum(p * e for e, p in exact)),
        "rdp": {str(a): float(mp.log(sum(p * mp.exp(mpf(a) * (a - 1) * e / (2 * sigma2)) for e, p in exact)) / (a - 1))
                for a in (1.25, 3.0, 5.0)},
        "delta": {str(x): float(sum(p * gaussian_delta(mp.sqrt(e / sigma2), x) for e, p in exact)) for x in (0.1, 0.7, 1.5)},
        "law_V": [[float(e), float(p)] for e, p in exact],
    }


def gamma(least, most, theta, eps):
    """The two laws of shapes least/theta and most/theta, and where their likelihoods cross."""
    low, high, e = mpf(least) / theta, mpf(most) / theta, mpf(eps)

    def crossing(x):
        return mp.exp((x + mp.loggamma(high) - mp.loggamma(low)) / (high - low))

    def above(shape, at):
        return mp.gammainc(shape, at, mp.inf, regularized=True)

    up, down = crossing(e), crossing(-e)
    tail = max(above(high, up), 1 - above(low, down))
    exact = max(mpf(0), above(high, up) - mp.exp(e) * above(low, up), (1 - above(low, down)) - mp.exp(e) * (1 - above(high, down)))
    return {"inf_L": least, "sup_L": most, "theta": theta, "eps": eps, "delta_tail": mp.nstr(tail, 15), "delta_exact": mp.nstr(exact, 15)}


def write(name, value):
    (HERE / name).write_text(json.dumps(value, separators=(",", ":")) + "\n")


def main():
    write("walk_published.json", {k: walk_published(*g, (7, 150)) for k, g in graphs().items()})
    write("gossip.json", {k: gossip(*g, (1, 2, 4, 9)) for k, g in graphs().items()})
    write("attack.json", {f"chords{k}": attack(n, e, (2, 4, 8), a) for k, (n, e, a) in enumerate(random_graphs())})
    write("conversions.json", conversions())
    triangle = (4, [(0, 1), (1, 2), (2, 0), (2, 3)])
    write("walk_path.json", [
        walk_path("triangle with a tail", *triangle, 0, 3, 0, 8, 8, 1.0),
        walk_path("triangle with a tail, capped", *triangle, 1, 2, 1, 7, 2, 0.5),
        walk_path("square", 4, [(0, 1), (1, 2), (2, 3), (3, 0)], 0, 2, None, 6, 6, 2.0),
    ])
    write("gamma.json", [gamma(*c) for c in itertools.product((1.5,), (2.0, 4.5), (0.25, 1.0, 3.0), (0.2, 1.5))])


if __name__ == "__main__":
    main()
