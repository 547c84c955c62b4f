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


def flow(case, n, edges, u, v, contributions, lipschitz, final):
    """One pair of gossip with gradients: the least energy of a flow that v must not see, and what linear losses leak.

    edges is one list, or one a round; noise and steps are 1.
    """
    rounds = len(contributions)
    lists = edges if edges and isinstance(edges[0], list) else [edges] * rounds
    weights = [hamilton(n, e) for e in lists]
    seen = [set(range(n)) if final and t == rounds - 1 else {v} | {x for e in lists[t] if v in e for x in e} for t in range(rounds)]
    optimum = flow_optimum(n, weights, u, seen, contributions, lipschitz)
    linear = flow_linear(n, weights, u, v, seen, contributions) if lipschitz == 1 else None
    return {
        "case": case, "n": n, "edges": edges, "rounds": rounds, "u": u, "v": v, "contributions": contributions, "lipschitz": lipschitz,
        "release": "final" if final else "none", "optimum": float(optimum), "linear": linear, "local": float(sum(s * s for s in contributions)),
    }


def flow_optimum(n, weights, u, seen, contributions, lipschitz):
    """Newton's method on a logarithmic barrier, dense and in 60 digits.

    The unknowns are what every node keeps back unseen: k > 0, and less than what it has,
    c = L W k + s e_u of the round before. It absorbs c - k, the seen all they have.
    """
    rounds = len(weights)
    have = [mp.matrix(n, 1) for _ in range(rounds)]
    unknown, start = {}, []
    for t in range(rounds):  # a half of everything is strictly inside
        have[t][u] += contributions[t]
        if t == rounds - 1:
            break
        for j in range(n):
            if have[t][j] > 0 and j not in seen[t]:
                unknown[t, j] = len(start)
                start.append(have[t][j] / 2)
                for i in range(n):
                    have[t + 1][i] += mpf(lipschitz) * mpf(weights[t][i][j].numerator) / weights[t][i][j].denominator * start[-1]

    def row(t, j):
        """c_t[j] as a constant and coefficients."""
        constant, coefficients = mpf(contributions[t] if j == u else 0), {}
        if t:
            for i in range(n):
                w = weights[t - 1][j][i]
                if w and (t - 1, i) in unknown:
                    coefficients[unknown[t - 1, i]] = mpf(lipschitz) * w.numerator / w.denominator
        return constant, coefficients

    absorbed, inside = [], []
    for t in range(rounds):
        for j in range(n):
            constant, coefficients = row(t, j)
            if (t, j) in unknown:
                coefficients[unknown[t, j]] = mpf(-1)
                inside.append((constant, coefficients))
                inside.append((mpf(0), {unknown[t, j]: mpf(1)}))
            elif j not in seen[t]:
                continue  # nobody sees it any more
            absorbed.append((constant, coefficients))

    def at(line, x):
        return line[0] + mp.fsum(c * x[i] for i, c in line[1].items())

    def energy(x):
        return mp.fsum(at(a, x) ** 2 for a in absorbed)

    x, barrier = mp.matrix(start) if start else mp.matrix(0, 1), mpf(1)
    while start and barrier > mpf("1e-16"):
        barrier /= 8
        for _ in range(50):
            slope, curve = mp.matrix(len(start), 1), mp.matrix(len(start), len(start))
            terms = [(line[1], 2 * at(line, x), mpf(2)) for line in absorbed]
            terms += [(line[1], -barrier / at(line, x), barrier / at(line, x) ** 2) for line in inside]
            for coefficients, first, second in terms:
                for i, ci in coefficients.items():
                    slope[i] += ci * first
                    for j, cj in coefficients.items():
                        curve[i, j] += ci * cj * second
            step = mp.lu_solve(curve, -slope)
            size = mpf(1)
            while any(at(line, x + size * step) <= 0 for line in inside):
                size /= 2
            x += size * step
            if size == 1 and -(slope.T * step)[0] < barrier / 100:
                break
    return energy(x)


def flow_linear(n, weights, u, v, seen, contributions):
    """mu^2 of the joint Gaussian of all that v sees, where states only add up: v knows its own noise."""
    rounds = len(weights)
    state, shift = [{} for _ in range(n)], [mpf(0)] * n
    views = []
    for t in range(rounds):
        for j in range(n):
            if j != v:
                state[j] = {**state[j], (t, j): mpf(1)}
        shift[u] += contributions[t]
        views += [(state[j], shift[j]) for j in sorted(seen[t]) if j != v]
        mixed = [{} for _ in range(n)]
        moved = [mpf(0)] * n
        for i in range(n):
            for j in range(n):
                w = mpf(weights[t][i][j].numerator) / weights[t][i][j].denominator
                moved[i] += w * shift[j]
                for z, x in state[j].items():
                    mixed[i][z] = mixed[i].get(z, 0) + w * x
        state, shift = mixed, moved
    if not views:
        return 0.0
    gram = mp.matrix(len(views), len(views))
    for i, (a, _) in enumerate(views):
        for j, (b, _) in enumerate(views):
            gram[i, j] = mp.fsum(x * b[z] for z, x in a.items() if z in b)
    moves = mp.matrix([m for _, m in views])
    return float((moves.T * mp.lu_solve(gram, moves))[0])


def flows():
    """Near and far pairs of our graphs, with all options, and matchings that change."""
    cases = []
    pairs = {"house": [(5, 0), (2, 5)], "bridge": [(0, 6), (3, 4)], "wheel": [(1, 4)], "caterpillar": [(4, 7), (0, 2)]}
    for name, (n, edges) in graphs().items():
        for u, v in pairs[name]:
            cases.append(flow(name, n, edges, u, v, [1.0] * 6, 1.0, False))
            cases.append(flow(name, n, edges, u, v, [1.0] * 4, 0.9, False))
            cases.append(flow(name, n, edges, u, v, [1.0, 0.0, 1.0, 0.0, 0.0], 1.0, False))
            cases.append(flow(name, n, edges, u, v, [1.0] * 3, 1.0, True))
    matchings = [[(0, 1), (2, 3), (4, 5)], [(1, 2), (3, 4), (5, 0)], [(0, 3), (1, 4), (2, 5)]]
    for u, v in ((0, 5), (2, 4)):
        cases.append(flow("matchings", 6, matchings + matchings[::-1], u, v, [1.0] * 6, 1.0, False))
    return {"cases": cases}


def pairwise(case, n, edges, coalition, own, pair):
    """The diagonal of the inverse of own^2 I + pair^2 L on the nodes outside the coalition, by elimination in fractions."""
    honest = [u for u in range(n) if u not in coalition]
    own2, pair2, energy = F(own) ** 2, F(pair) ** 2, {}
    matrix = [[F(0)] * len(honest) for _ in honest]
    for i, u in enumerate(honest):
        for j, w in enumerate(honest):
            if (u, w) in edges or (w, u) in edges:
                matrix[i][j] -= pair2
                matrix[i][i] += pair2
        matrix[i][i] += own2
    for i, u in enumerate(honest):
        rows = [r + [F(int(k == i))] for k, r in enumerate(matrix)]
        for k in range(len(rows)):
            for m in range(k + 1, len(rows)):
                by = rows[m][k] / rows[k][k]
                rows[m] = [x - by * y for x, y in zip(rows[m], rows[k])]
        x = [F(0)] * len(rows)
        for k in reversed(range(len(rows))):
            x[k] = (rows[k][-1] - sum(rows[k][m] * x[m] for m in range(k + 1, len(rows)))) / rows[k][k]
        energy[str(u)] = float(x[i])
    return {"case": case, "n": n, "edges": edges, "coalition": coalition, "own": own, "pair": pair, "energy": energy}


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
    write("flow.json", flows())
    write("pairwise.json", {"cases": [pairwise(name, *g, coalition, own, pair) for name, g in graphs().items()
                                      for coalition in ([], [1], [0, 5]) for own, pair in ((1.0, 0.0), (0.5, 2.0), (2.0, 64.0))]})
    write("gamma.json", [gamma(*c) for c in itertools.product((1.5,), (2.0, 4.5), (0.25, 1.0, 3.0), (0.2, 1.5))])


if __name__ == "__main__":
    main()
