#!/usr/bin/python3
"""Time gossip and its published losses written plainly in numpy, with dense
matrices: the baselines of the benchmarks in papers/.

Usage: gossip.py [gd:NODES | dropout | loss:STEPS] ...

gd: an iteration of Muffliato-GD with a random graph of degree 1.5 ln n, the
losses towards one node included. dropout: a step of averaging 1000 nodes over
a graph redrawn among the 90 % who are there, the losses of one node included.
loss: the published losses of one node on the hypercube of 2048 nodes. Prints
one line each as Go's benchmarks do. Needs python3 with numpy.
"""

import math
import sys
import time

import numpy as np

RNG = np.random.default_rng(1)


def hamilton(edges):
    """1/(1 + larger degree) on edges, the rest on the diagonal."""
    degree = edges.sum(axis=1)
    w = np.where(edges, 1.0 / (1 + np.maximum.outer(degree, degree)), 0.0)
    np.fill_diagonal(w, 1 - w.sum(axis=1))
    return w


def random_graph(n, p):
    edges = np.triu(RNG.random((n, n)) < p, 1)
    return edges | edges.T


def charge(rows, edges, u):
    """What u loses to everybody by one round of messages."""
    share = rows[:, u] ** 2 / (rows**2).sum(axis=1)
    return edges @ share


def gd(n):
    features, per_node, steps = 9, 4, math.ceil(math.log(n) / 0.3)
    x, theta = RNG.normal(size=(n, per_node, features)), np.zeros((n, features))
    y = np.sign(x[:, :, 0])
    edges = random_graph(n, 1.5 * math.log(n) / n)
    w = hamilton(edges)
    slope = -y / (1 + np.exp(y * np.einsum("nrf,nf->nr", x, theta)))
    theta -= 0.01 * (np.einsum("nr,nrf->nf", slope, x) / per_node + RNG.normal(scale=4.8, size=theta.shape))
    heard, sums = np.eye(n)[:, edges[0]], np.zeros(n)
    for _ in range(steps):
        sums += (heard**2 / (heard**2).sum(axis=0)).sum(axis=1)
        heard, theta = w @ heard, w @ theta
    return f"iteration of {steps} steps"


def dropout(n=1000):
    rows, x, losses = np.eye(n), RNG.normal(size=n), np.zeros(n)
    steps = 20
    for _ in range(steps):
        here = RNG.random(n) < 0.9
        edges = random_graph(n, 0.002) & here & here[:, None]
        w = hamilton(edges)
        losses += charge(rows, edges, 0)
        rows, x = w @ rows, w @ x
    return f"{steps} steps"


def loss(steps, bits=11):
    ids = np.arange(1 << bits)
    edges = np.zeros((ids.size, ids.size), dtype=bool)
    for bit in range(bits):
        edges[ids, ids ^ (1 << bit)] = True
    w, rows, losses = hamilton(edges), np.eye(ids.size), np.zeros(ids.size)
    for _ in range(steps):
        losses += charge(rows, edges, 0)
        rows = w @ rows
    return f"{steps} rounds"


def main(names):
    print(f"numpy: {np.__version__}")
    for name in names or ["gd:2000", "gd:4000", "dropout", "loss:20"]:
        kind, _, value = name.partition(":")
        run = {"gd": gd, "dropout": dropout, "loss": loss}.get(kind)
        if run is None:
            sys.exit(f"error: benchmark {name!r} is unknown")
        wall, used = time.perf_counter(), time.process_time()
        what = run(int(value)) if value else run()
        wall, used = time.perf_counter() - wall, time.process_time() - used
        print(f"# {name}: {what}\nBenchmarkNumpyGossip/{name} 1 {wall * 1e9:.0f} ns/op {used * 1e9:.0f} cpu-ns/op {wall:.3f} s/op")


if __name__ == "__main__":
    main(sys.argv[1:])
