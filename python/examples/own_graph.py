# %% [markdown]
# A graph and a table of one's own: what does privacy cost, and what would node 7 learn about node 12?
#
# Run it as a script (`python3 python/examples/own_graph.py`), or cell by cell: editors and `jupytext` know the marks.

# %% The graph: who talks to whom, an edge a line. Here 24 clinics on a ring, each with a friend across.
from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

import hearsay

here = Path(sys.argv[1] if len(sys.argv) > 1 else "out/own_graph")
here.mkdir(parents=True, exist_ok=True)
edges = {(k, (k + 1) % 24) for k in range(24)} | {(k, k + 12) for k in range(12)}
(here / "friends.edges").write_text("".join(f"{a} {b}\n" for a, b in sorted(edges)))

# %% The table: a header, a line a patient, texts and gaps too.
rng = random.Random(1)
with open(here / "patients.csv", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["age", "smokes", "pressure", "ill"])
    for _ in range(24 * 20):
        age, smokes = rng.randint(30, 80), rng.choice(["yes", "no", ""])
        pressure = round(rng.gauss(100 + age / 2 + 10 * (smokes == "yes"), 8), 1)
        out.writerow([age, smokes, pressure, "ill" if pressure + rng.gauss(0, 5) > 132 else "well"])

# %% The spec, as a dictionary. Ranges and categories are public: nothing is fitted on anybody's rows.
spec = {
    "name": "Clinics",
    "data": {"source": "csv", "path": str((here / "patients.csv").resolve()), "target": "ill", "categories": {"smokes": ["yes", "no"]}, "fill": {"smokes": "no"},
             "scale": "ranges", "ranges": {"age": [20, 90], "pressure": [90, 180]}, "normalise": "unit"},
    "graph": str((here / "friends.edges").resolve()),
    "trials": 4,
    "model": {"kind": "logistic"},
    "algorithm": {"kind": "gossip-gd", "steps": 20, "step_size": 2, "clip": 1, "pairwise": 10, "gossip_steps": 8},
    "privacy": {"unit": "record", "record_name": "patient", "calibrate": {"max": 1}},
}

# %% Before anything runs: what would each pair lose?
plan = hearsay.plan(spec)
print(plan.claim)
print(hearsay.privacy.pair(spec, about=12, observer=7))

# %% A sweep: what does privacy cost? Stopped, the same call goes on.
swept = hearsay.sweep(spec, vary={"privacy.calibrate": [{"max": e} for e in (0.1, 0.3, 1, 3)], "algorithm.steps": [10, 20]}, out=here / "sweep", progress=True)
print("Nothing else loses less and is right as often:")
frontier = swept.frontier
for cell in frontier if isinstance(frontier, list) else frontier.to_dict("records"):
    print(f"  {cell['privacy.calibrate']}, {cell['algorithm.steps']} steps: right on {cell['score']:.1%} of unseen rows, "
          f"worst loss {cell['max_loss']:.3g} ({cell['status']}, {cell['metric']}, unit {cell['unit']})")

# %% One of them, looked at, and its model used.
result = hearsay.run(spec, out=here / "run")
print(result)
print("the page:", result.page)
patients = hearsay.Classifier(here / "run")
print(patients.classes_, patients.predict_proba([{"age": 71, "smokes": "yes", "pressure": 151}, {"age": 35, "smokes": None, "pressure": 110}]))
