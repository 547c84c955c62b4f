"""Programs that compute models of their own: what engines answer, and Hearsay on top of them."""

from __future__ import annotations

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import textwrap
import unittest
from typing import Any

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]
try:
    import torch
except ImportError:
    torch = None

HERE = pathlib.Path(__file__).resolve().parents[1]

NETWORK = """
import sys
sys.path.insert(0, %r)
import numpy, torch, hearsay.trainer
torch.manual_seed(3)
x = torch.randn(60, 6)
y = (x[:, 0] + x[:, 1] > 0).long()
train, test = torch.utils.data.TensorDataset(x[:50], y[:50]), [(x[i], y[i]) for i in range(50, 60)]
net = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
""" % str(HERE)

SPEC = """
data: {{source: external, train_rows: 50, test_rows: 10}}
nodes: 5
graph: ring:5
model: {{kind: external, name: small, parameters: {parameters}, layout: "{layout}", initial: "{initial}"}}
algorithm: {{kind: gossip-gd, steps: 20, step_size: 0.5, clip: 1}}
privacy: {{unit: {unit}, sigma: 0.5}}
"""


@unittest.skipIf(torch is None, "there is no torch: Debian has it as python3-torch")
class TestEngines(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(5)
        self.net = torch.nn.Sequential(torch.nn.Linear(5, 3), torch.nn.Tanh(), torch.nn.Linear(3, 2))
        self.xs, self.ys = torch.randn(7, 5), torch.tensor([0, 1, 1, 0, 1, 0, 0])
        self.loss = torch.nn.functional.cross_entropy

    def rows(self, engine: str, net: Any = None) -> Any:
        from hearsay import trainer
        model = trainer._torch_model(net or self.net, self.loss, engine)
        theta = numpy.linspace(-0.5, 0.5, len(model.initial()), dtype=numpy.float32)
        parts = dict(model.gradients(theta, self.xs, self.ys))
        if "rows 0" in parts:
            return numpy.concatenate(list(parts.values()), 1)
        columns = []
        for k, names in enumerate(model.factors):
            inputs, slopes = parts["inputs %d" % k], parts["slopes %d" % k]
            columns.append(numpy.einsum("ni,nj->nij", slopes, inputs).reshape(len(inputs), -1))
            if len(names) == 2:
                columns.append(slopes)
        return numpy.concatenate(columns, 1)

    def test_engines_agree(self) -> None:
        want = self.rows("loop")
        for engine in ("vmap", "factors"):
            self.assertLess(float(numpy.abs(self.rows(engine) - want).max()), 1e-6, engine)

    def test_frozen_tensors_do_not_travel(self) -> None:
        from hearsay import trainer
        self.net[0].weight.requires_grad_(False)
        model = trainer._torch_model(self.net, self.loss, "vmap")
        self.assertEqual([name for name, _ in model.shapes], ["0.bias", "2.weight", "2.bias"])
        self.assertTrue(model.frozen.startswith("sha256:"))
        self.assertLess(float(numpy.abs(self.rows("vmap") - self.rows("loop")).max()), 1e-6)

    def test_what_mixes_rows_is_refused(self) -> None:
        mixed = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 2))
        with self.assertRaisesRegex(ValueError, r"BatchNorm1d at 1 mixes the rows of a batch: use GroupNorm\(4, 8\)"):
            self.rows("vmap", mixed)
        with self.assertRaises(RuntimeError):
            self.rows("vmap", torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 2)))
        with self.assertRaisesRegex(ValueError, "use engine='vmap'"):
            self.rows("factors", torch.nn.Sequential(torch.nn.LayerNorm(5), torch.nn.Linear(5, 2)))

    def test_a_function_is_a_model(self) -> None:
        from hearsay import trainer

        def gradients(p: dict[str, Any], xs: Any, ys: Any) -> dict[str, Any]:
            slopes = xs @ p["w"] - ys
            return {"w": slopes[:, None] * xs, "b": slopes}

        model = trainer._Function(gradients, {"w": numpy.ones(5), "b": numpy.zeros(())}, None)
        xs, ys = numpy.random.default_rng(1).normal(size=(4, 5)), numpy.zeros(4)
        rows = dict(model.gradients(model.initial(), xs, ys))["rows 0"]
        self.assertLess(float(numpy.abs(rows[:, :5] - xs.sum(1)[:, None] * xs).max()), 1e-5)
        with self.assertRaisesRegex(ValueError, "gradients of w have shape"):
            trainer._Function(lambda p, x, y: {"w": x[0], "b": y}, model.start, None).gradients(model.initial(), xs, ys)


@unittest.skipIf(torch is None, "there is no torch: Debian has it as python3-torch")
class TestRuns(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, text: str) -> str:
        path = self.folder / "my model.py"
        path.write_text(NETWORK + textwrap.dedent(text))
        return "'%s' '%s'" % (sys.executable, path)

    def hearsay(self, *arguments: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([os.environ["HEARSAY"], *arguments], capture_output=True, text=True, timeout=120)
        if ok:
            self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_a_module_is_trained(self) -> None:
        model = self.program("hearsay.trainer.serve(net, torch.nn.functional.cross_entropy, train=train, test=test, name='small')")
        checked = json.loads(self.hearsay("model", "check", "--model", model, "--rows", "20", "--json").stdout)
        self.assertEqual((checked["parameters"], checked["engine"], checked["unmoved"], checked["not_finite"]), (38, "vmap", [], 0))
        spec = self.folder / "spec.yaml"
        for unit, status in (("record", "sound if"), ("participant", "sound")):
            spec.write_text(SPEC.format(unit=unit, **checked))
            out = self.folder / unit
            self.hearsay("run", str(spec), "--model", model, "--out", str(out))
            result = json.loads((out / "result.json").read_text())
            self.assertEqual(result["privacy"]["status"], status)
            self.assertGreater(result["final"]["test_accuracy"], 0.6)
            found = result["final"]["classification"]["confusion"]
            self.assertAlmostEqual(sum(map(sum, found)), checked["test_rows"])
            self.assertAlmostEqual((found[0][0] + found[1][1]) / checked["test_rows"], result["final"]["test_accuracy"])
            data = (out / "model.safetensors").read_bytes()
            (size,) = struct.unpack("<Q", data[:8])
            header = json.loads(data[8:8 + size])
            self.assertEqual(header["2.weight"]["shape"], [2, 4])
            self.assertEqual(len(data), 8 + size + 4 * 38)
        refused = self.hearsay("run", str(spec), ok=False)
        self.assertIn("no program answers for small", refused.stderr)
        spec.write_text(SPEC.format(unit="record", **{**checked, "parameters": 39}))
        self.assertIn("the spec says 39, and the program 38", self.hearsay("run", str(spec), "--model", model, ok=False).stderr)

    def test_a_module_is_trained_from_python(self) -> None:
        import hearsay
        torch.manual_seed(3)
        x = torch.randn(60, 6)
        y = (x[:, 0] + x[:, 1] > 0).long()
        train, test = torch.utils.data.TensorDataset(x[:50], y[:50]), torch.utils.data.TensorDataset(x[50:], y[50:])
        net = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
        before = net[0].weight.detach().clone()
        spec = {"graph": "ring:5", "algorithm": {"kind": "gossip-gd", "steps": 10, "step_size": 0.5, "clip": 1},
                "privacy": {"unit": "record", "sigma": 1, "accountant": "local", "metric": {"epsilon_at_delta": 1e-5}}}
        result = hearsay.train(spec, net, torch.nn.functional.cross_entropy, train=train, test=test)
        self.assertEqual(result.claim.status, "sound if")
        self.assertFalse(torch.equal(before, net[0].weight))
        kept = (net(x[50:]).argmax(1) == y[50:]).float().mean().item()
        self.assertAlmostEqual(kept, result.final["test_accuracy"], places=1)

        def broken(out: Any, labels: Any) -> Any:
            raise ValueError("no such loss")
        with self.assertRaises(hearsay.HearsayError) as caught:
            hearsay.train(spec, net, broken, train=train, test=test)
        self.assertIsInstance(caught.exception.__cause__, ValueError)

        arrays = {"w": numpy.zeros(6)}
        line: dict[str, Any] = {"gradients": lambda p, xs, ys: {"w": (xs @ p["w"] - ys)[:, None] * xs}, "parameters": arrays,
                "train": [(x[i].numpy(), float(y[i])) for i in range(50)], "name": "line"}
        with self.assertRaisesRegex(hearsay.HearsayError, "says no loss"):
            hearsay.train(spec, **line)
        hearsay.train(spec, **line, score=lambda p, xs, ys: {"loss": float(((xs @ p["w"] - ys) ** 2).mean() / 2)})
        self.assertGreater(float(numpy.abs(arrays["w"]).max()), 0)

    def test_the_guide_runs(self) -> None:
        text = (HERE.parent / "docs" / "MODELS.md").read_text()
        notebook = text[text.index("## From a notebook"):text.index("## On real nodes")]
        names: dict[str, Any] = {"print": lambda *_: None}
        for block in notebook.split("```python\n")[1:]:
            exec(block.split("```")[0], names)  # noqa: S102
            self.assertEqual(names["result"].claim.status, "sound if")
        self.assertGreater(float(numpy.abs(names["w"]).max()), 0.1)
        self.assertGreater(names["adapted"][0].up.abs().max().item(), 0)

    def test_sweeps_keep_cells_of_the_same_program(self) -> None:
        text = "hearsay.trainer.serve(net, torch.nn.functional.cross_entropy, train=train, test=test, name='small')"
        model = self.program(text)
        checked = json.loads(self.hearsay("model", "check", "--model", model, "--rows", "20", "--json").stdout)
        spec, out = self.folder / "spec.yaml", self.folder / "cells"
        spec.write_text(SPEC.format(unit="record", **checked))
        sweep = ("sweep", str(spec), "--model", model, "--vary", "privacy.sigma=[1, 4]", "--set", "algorithm.steps=3", "--out", str(out))
        self.assertNotIn("from an earlier run", self.hearsay(*sweep, "--models", "2").stderr)
        self.assertEqual(self.hearsay(*sweep).stderr.count("from an earlier run"), 2)
        self.program(text + "  # another program")
        self.assertNotIn("from an earlier run", self.hearsay(*sweep).stderr)
        self.assertIn("workers of a queue start no program", self.hearsay(*sweep, "--queue", ok=False).stderr)

    def test_scores_of_all_kinds(self) -> None:
        from hearsay import trainer

        def scored(out: Any, ys: Any, loss: Any) -> Any:
            class Given(torch.nn.Module):  # type: ignore[misc]
                def __init__(self) -> None:
                    super().__init__()
                    self.w = torch.nn.Parameter(torch.zeros(1))

                def forward(self, x: Any) -> Any:
                    return x + 0 * self.w
            return trainer._torch_model(Given(), loss, "loop").score(numpy.zeros(1, numpy.float32), out, ys)
        functional = torch.nn.functional
        many = scored(torch.eye(3)[[0, 1, 1, 2]], torch.tensor([0, 1, 2, 2]), functional.cross_entropy)
        self.assertEqual(many["confusion"].tolist(), [[1, 0, 0], [0, 1, 0], [0, 1, 1]])
        two = scored(torch.tensor([2.0, -1.0, 3.0]), torch.tensor([1.0, 1.0, 0.0]), functional.binary_cross_entropy_with_logits)
        self.assertEqual(two["confusion"].tolist(), [[0, 1], [1, 1]])
        self.assertEqual(set(scored(torch.tensor([2.0, -1.0]), torch.tensor([0.5, 1.5]), functional.mse_loss)), {"loss"})
        self.assertEqual(set(scored(torch.zeros(2, 3, 5), torch.zeros(2, 5, dtype=torch.long), functional.cross_entropy)), {"loss"})

    def test_mixed_rows_are_found(self) -> None:
        model = self.program("""
            class Mixed(torch.nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layer = torch.nn.Linear(6, 2)
                def forward(self, x):
                    return self.layer(x - x.mean(0))
            hearsay.trainer.serve(Mixed(), torch.nn.functional.cross_entropy, train=train, engine='factors')""")
        found = self.hearsay("model", "check", "--model", model, "--rows", "20", ok=False)
        self.assertEqual(found.returncode, 1)
        self.assertIn("depends on the rows that are computed with it", found.stdout)

    def test_what_a_module_raises_is_told(self) -> None:
        model = self.program("""
            def loss(out, y):
                raise ValueError('no loss today')
            hearsay.trainer.serve(net, loss, train=train)""")
        self.assertIn("ValueError: no loss today", self.hearsay("model", "check", "--model", model, ok=False).stderr)

    def test_alone_it_says_how_it_is_started(self) -> None:
        command = self.program("hearsay.trainer.serve(net, torch.nn.functional.cross_entropy, train=train)")
        done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
        self.assertIn("this program is started by Hearsay", done.stderr)
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
