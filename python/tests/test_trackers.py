"""The recipes for trackers, as README.md has them, run with modules that record what is logged."""

from __future__ import annotations

import contextlib
import re
import sys
import types
import unittest
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Tuple
from unittest import mock

import hearsay

from .shared import WALK, Case, program

README = Path(__file__).resolve().parents[1] / "README.md"
SPEC = {**WALK, "trials": 2, "data": {**WALK["data"], "test": 0.25}}


class Log:
    """What was logged: scores by name and step, texts, numbers, folders. Methods have the names and parameters of the trackers."""

    def __init__(self) -> None:
        self.scores: Dict[Tuple[str, int], float] = {}
        self.summary: Dict[str, Any] = {}
        self.folders: List[str] = []
        self.step_metric = ""

    def __enter__(self) -> "Log":
        return self

    def __exit__(self, *_: Any) -> None:
        pass

    # MLflow, a module
    def start_run(self, run_id: Optional[str] = None, experiment_id: Optional[str] = None, run_name: Optional[str] = None) -> "Log":
        return self

    def log_metrics(self, metrics: Dict[str, float], step: Optional[int] = None) -> None:
        for key, value in metrics.items():
            assert re.fullmatch(r"[\w\-. /]+", key), key
            if step is None:
                self.summary[key] = value
            else:
                self.scores[key, step] = value

    def log_params(self, params: Dict[str, Any]) -> None:
        assert all(len(str(value)) <= 500 for value in params.values()), params
        self.summary.update(params)

    def log_artifacts(self, local_dir: str, artifact_path: Optional[str] = None) -> None:
        self.folders.append(local_dir)

    # Weights & Biases: init, and a run
    def init(self, project: Optional[str] = None, config: Optional[Dict[str, Any]] = None, name: Optional[str] = None) -> "Log":
        return self

    def define_metric(self, name: str, step_metric: Optional[str] = None) -> None:
        assert name == "*" and step_metric
        self.step_metric = step_metric

    def log(self, data: Dict[str, Any]) -> None:
        values = dict(data)
        step = values.pop(self.step_metric)
        self.scores.update({(key, step): value for key, value in values.items()})

    def log_artifact(self, artifact_or_path: str, name: Optional[str] = None, type: Optional[str] = None) -> None:
        self.folders.append(artifact_or_path)

    # TensorBoard: a writer
    def SummaryWriter(self, log_dir: Optional[str] = None) -> "Log":
        return self

    def add_scalar(self, tag: str, scalar_value: float, global_step: Optional[int] = None) -> None:
        assert global_step is not None and " " not in tag, tag  # it replaces blanks, and says so each time
        self.scores[tag, global_step] = scalar_value

    def add_text(self, tag: str, text_string: str, global_step: Optional[int] = None) -> None:
        self.summary[tag] = text_string


@contextlib.contextmanager
def modules(log: Log, names: List[str], has: List[str]) -> Iterator[None]:
    """Modules of these names for now, of which the last has some of a log's methods."""
    made = {name: types.ModuleType(name) for name in names}
    for name in has:
        setattr(made[names[-1]], name, getattr(log, name))
    with mock.patch.dict(sys.modules, made):
        yield


@unittest.skipUnless(program(), "there is no program hearsay: name it in HEARSAY")
class TestTrackers(Case):
    def test_recipes(self) -> None:
        """Each recipe has ten lines at most, and logs each score of each trial, and the claim."""
        recipes = re.findall(r"^```python\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        there = [(["mlflow"], ["start_run", "log_metrics", "log_params", "log_artifacts"], True), (["wandb"], ["init"], True),
                 (["torch", "torch.utils", "torch.utils.tensorboard"], ["SummaryWriter"], False)]
        self.assertEqual(len(recipes), len(there))
        for recipe, (names, has, keeps) in zip(recipes, there):
            with self.subTest(names[-1]):
                self.assertIn(names[-1], recipe)
                self.assertLessEqual(len([line for line in recipe.splitlines() if line]), 10)
                log, space = Log(), {"spec": SPEC}
                with modules(log, names, has):
                    exec(compile(recipe, str(README), "exec"), space)
                self.check(log, space["result"])
                self.assertEqual(log.folders, ["out/walk"] if keeps else [])

    def check(self, log: Log, result: Any) -> None:
        """Holds what was logged against the result."""
        final = [trial["final"] for trial in result.result["trials"]]
        for key in ("train_loss", "test_loss", "test_accuracy"):
            for point in result.result["curve"]:
                values = [value for (name, step), value in log.scores.items() if name.startswith(key) and step == point["step"]]
                self.assertEqual(len(values), len(final))
                self.assertAlmostEqual(sum(values) / len(values), point[key]["mean"], 12)
            self.assertEqual(sorted(values), sorted(one[key] for one in final))
        self.assertEqual(log.summary["claim"], str(result.claim))
        self.assertIn("(sound)", log.summary["claim"])
        self.assertEqual(log.summary.get("worst loss", result.claim.max), result.claim.max)


if __name__ == "__main__":
    unittest.main()
