"""What tests share: a table with everything that tables have, and models of every kind that were trained on it."""

from __future__ import annotations

import contextlib
import csv
import importlib
import os
import random
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List

import hearsay


def installed(name: str) -> Any:
    """A package that may be there, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


numpy, pandas, sklearn = (installed(name) for name in ("numpy", "pandas", "sklearn"))

COLUMNS = ["age", "colour", "weight, kg", "size", "old", "price", "note"]
RANGES = {"age": [1, 9], "weight, kg": [30, 70], "price": [900, 2500]}


def program() -> bool:
    """Whether there is a program to test with."""
    with contextlib.suppress(hearsay.BinaryError):
        hearsay.binary()
        return True
    return False


def table(seed: int, rows: int = 160) -> List[Dict[str, str]]:
    """Rows as texts: a text column, gaps in two columns, an odd name, and three labels."""
    rng, made = random.Random(seed), []
    for i in range(rows):
        age, weight, colour = 10 * rng.random(), 50 + 10 * rng.gauss(0, 1), rng.choice(["red", "green", "1.0", ""])
        made.append({
            "age": repr(age), "colour": colour, "weight, kg": "NA" if i % 20 == 7 else repr(weight), "size": ["small", "medium", "big"][min(2, int(age / 3.5))],
            "old": "1" if age > 5 else "0", "price": repr(1000 + 100 * age + weight), "note": "text, \"quoted\"",
        })
    return made


def write(path: Path, rows: List[Dict[str, str]]) -> Path:
    """Writes rows as a CSV file."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, COLUMNS)
        out.writeheader()
        out.writerows(rows)
    return path


def specs(data: Path) -> Dict[str, Dict[str, Any]]:
    """Specs of every kind of model, by name."""

    def spec(target: str, drop: List[str], more: Dict[str, Any], model: Dict[str, Any]) -> Dict[str, Any]:
        return {
            "data": {"source": "csv", "path": str(data), "target": target, "drop": [*drop, "note"], "categories": {"colour": ["red", "green", "1"]},
                     "fill": {"colour": "red"}, "missing": "drop", "test": 0, **more},
            "graph": "complete:4", "model": model,
            "algorithm": {"kind": "gossip-gd", "steps": 20, "step_size": 0.1, "clip": 2, "fill": False},
            "privacy": {"sigma": 0.001, "accountant": "local", "metric": {"epsilon_at_delta": 1e-6}},
        }

    standard, ranges = {"scale": "standardise", "normalise": "unit"}, {"scale": "ranges", "ranges": RANGES}
    return {
        "logistic": spec("old", ["size", "price"], standard, {"kind": "logistic", "class_weights": {"1": 2}}),
        "no intercept": spec("old", ["size", "price"], {**ranges, "normalise": "none"}, {"kind": "logistic", "intercept": False}),
        "hinge": spec("old", ["size", "price"], {**ranges, "normalise": "unit", "missing_values": [-9, float(table(2)[3]["age"])]}, {"kind": "hinge"}),
        "multinomial": spec("size", ["old", "price"], {**ranges, "normalise": "none"}, {"kind": "softmax", "class_weights": {"big": 3}}),
        "network": spec("size", ["old", "price"], {"scale": "standardise", "normalise": "none"}, {"kind": "mlp", "hidden": [5, 3]}),
        "two classes": spec("old", ["size", "price"], {"scale": "none", "normalise": "unit"}, {"kind": "mlp", "hidden": 4, "intercept": False}),
        "ridge": spec("price", ["size", "old"], {"task": "regression", **ranges, "normalise": "unit"}, {"kind": "ridge"}),
        "absolute": spec("price", ["size", "old"], {"task": "regression", **standard}, {"kind": "absolute"}),
        "network, prices": spec("price", ["size", "old"], {"task": "regression", **standard}, {"kind": "mlp", "hidden": 4}),
    }


WALK: Dict[str, Any] = {
    "name": "a walk", "data": {"source": "two-gaussians", "features": 2, "rows": 4, "normalise": "unit"}, "graph": "ring:6", "model": {"kind": "logistic"},
    "algorithm": {"kind": "walk", "steps": 60, "step_size": 0.2, "clip": 0.3, "contributions": 10}, "privacy": {"sigma": 4},
}


class Case(unittest.TestCase):
    """A test with a folder of its own, which it stands in."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)

    @contextlib.contextmanager
    def fails(self, error: str, kind: Any = hearsay.HearsayError) -> Iterator[Any]:
        """Wants an error that has a text in it, on one line, and a hint."""
        with self.assertRaises(kind) as caught:
            yield caught
        self.assertIn(error, caught.exception.error)
        self.assertNotIn("\n", caught.exception.error)
        self.assertTrue(caught.exception.hint)
