#!/usr/bin/python3
"""Time the private random walk of the Houses experiment written plainly in
numpy: the baseline of BenchmarkWalkHouses in sim/.

2048 nodes on a hypercube with 8 unit rows of 8 features each, logistic
regression with an intercept, every example clipped before the noise. Prints
hops per second, as Go's benchmarks do. Needs python3 with numpy.

Usage: walk.py [HOPS]
"""

import sys
import time

import numpy as np

NODES, ROWS, FEATURES, BITS = 2048, 8, 8, 11
CLIP, SIGMA, STEP, CAP = 0.3, 8.0, 0.003, 12


def main(hops):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(NODES, ROWS, FEATURES))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    y = np.sign(x[:, :, 0])
    x = np.concatenate([x, np.ones((NODES, ROWS, 1))], axis=2)
    norms = np.linalg.norm(x, axis=2)
    theta, used, at = np.zeros(FEATURES + 1), np.zeros(NODES, dtype=int), 0
    began = time.perf_counter()
    for _ in range(hops):
        gradient = 0.0
        if used[at] < CAP:
            used[at] += 1
            slope = -y[at] / (1 + np.exp(y[at] * (x[at] @ theta)))
            limit = CLIP / norms[at]
            gradient = np.clip(slope, -limit, limit) @ x[at] / ROWS
        theta -= STEP * (gradient + rng.normal(scale=2 * CLIP * SIGMA, size=FEATURES + 1))
        bit = rng.integers(BITS + 1)
        if bit < BITS:
            at ^= 1 << bit
    took = time.perf_counter() - began
    print(f"numpy: {np.__version__}")
    print(f"BenchmarkNumpyWalk {hops} {took / hops * 1e9:.0f} ns/op {hops / took:.0f} hops/s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20000)
