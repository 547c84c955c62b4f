#!/usr/bin/python3
"""Time numpy's dense eigendecomposition of the transition matrix that the
walk accountant works on: the baseline of BenchmarkSums2048 in privacy/walkpublished.

Usage: eigh.py [hypercube:DIM | geometric:N,R | grid:ROWSxCOLS] ...

Prints the numpy and the BLAS that were loaded and what OPENBLAS_CORETYPE says,
and for each graph one line as Go's benchmarks do: nanoseconds of wall and of
processor time, entries of the matrix, and the largest entry-wise error of the
reconstructed one. Needs python3 with numpy.
"""

import os
import sys
import time

import numpy as np


def hypercube(dimension):
    ids = np.arange(1 << dimension)
    edges = np.zeros((ids.size, ids.size), dtype=bool)
    for bit in range(dimension):
        edges[ids, ids ^ (1 << bit)] = True
    return edges


def geometric(n, radius):
    at = np.random.default_rng(1).random((n, 2))
    square = ((at[:, None, :] - at[None, :, :]) ** 2).sum(axis=2)
    edges = square < radius * radius
    np.fill_diagonal(edges, False)
    return edges


def grid(rows, cols):
    edges = np.zeros((rows * cols, rows * cols), dtype=bool)
    for i in range(rows * cols):
        if i % cols + 1 < cols:
            edges[i, i + 1] = edges[i + 1, i] = True
        if i + cols < rows * cols:
            edges[i, i + cols] = edges[i + cols, i] = True
    return edges


def parse(name):
    kind, _, rest = name.partition(":")
    if kind == "hypercube":
        return hypercube(int(rest))
    if kind == "geometric":
        n, radius = rest.split(",")
        return geometric(int(n), float(radius))
    if kind == "grid":
        rows, cols = rest.split("x")
        return grid(int(rows), int(cols))
    sys.exit(f"error: graph {name!r} is unknown")


def hamilton(edges):
    """1/(1 + larger degree) on edges, the rest on the diagonal."""
    degree = edges.sum(axis=1)
    w = np.where(edges, 1.0 / (1 + np.maximum.outer(degree, degree)), 0.0)
    np.fill_diagonal(w, 1 - w.sum(axis=1))
    return w


def blas():
    """The linear algebra library that this process has loaded."""
    try:
        with open("/proc/self/maps") as maps:
            paths = {line.split()[-1] for line in maps if "blas" in line or "mkl" in line}
    except OSError:
        return "unknown"
    return ",".join(sorted(os.path.basename(p) for p in paths)) or "unknown"


def main(names):
    print(f"numpy: {np.__version__}")
    print(f"blas: {blas()} with OPENBLAS_CORETYPE={os.environ.get('OPENBLAS_CORETYPE', 'unset')}")
    for name in names or ["hypercube:11", "geometric:2048,0.07", "grid:45x45"]:
        w = hamilton(parse(name))
        begin, used = time.perf_counter(), time.process_time()
        values, vectors = np.linalg.eigh(w)
        wall, processor = time.perf_counter() - begin, time.process_time() - used
        error = np.abs((vectors * values) @ vectors.T - w).max()
        print(f"BenchmarkEigh/{name} 1 {wall * 1e9:.0f} ns/op {processor * 1e9:.0f} cpu-ns/op {np.count_nonzero(w)} entries {error:.1e} error")


if __name__ == "__main__":
    main(sys.argv[1:])
