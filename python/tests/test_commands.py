"""Runs, sweeps, plans and losses through the program; its errors as exceptions; and how it is found and ended."""

from __future__ import annotations

import gc
import json
import math
import os
import random
import signal
import stat
import subprocess
import time
import unittest
from pathlib import Path
from typing import Any, Callable, Dict, List
from unittest import mock

import hearsay
from hearsay import _files, _program, _yaml, claims

from .shared import WALK, Case, pandas, program

LONG = {**WALK, "graph": "ring:64", "algorithm": {"kind": "gossip-gd", "steps": 10_000_000, "step_size": 0.1, "clip": 1}, "privacy": {"sigma": 4, "accountant": "local"}}


@unittest.skipUnless(program(), "there is no program hearsay: name it in HEARSAY")
class TestCommands(Case):
    def test_run(self) -> None:
        lines: List[str] = []
        result = hearsay.run(WALK, set={"privacy.sigma": 3, "graph": "hypercube:3"}, out="out", cache="none", progress=lines.append)
        self.assertEqual(os.listdir("."), ["out"])
        self.assertTrue(any("accounting" in line for line in lines), lines)
        self.assertEqual((result.name, result.spec["graph"], result.claim.sigma, result.claim.status, result.claim.unit), ("a walk", "hypercube:3", 3, "sound", "participant"))
        self.assertEqual(len(result.rows("privacy")), 8 * 7)
        self.assertEqual([row["name"] for row in result.rows("nodes")][:2], ["node 0", "node 1"])
        self.assertEqual(result.rows("metrics")[-1]["step"], 60)
        loss = result.pair(3, "node 5")
        self.assertEqual((loss.about, loss.observer, loss.status, loss.unit, loss.accountant), ("node 3", "node 5", "sound", "participant", "path"))
        self.assertAlmostEqual(loss.epsilon or 0, hearsay.privacy.pair("out/spec.yaml", 3, 5, cache="none").epsilon or 0, 5)
        self.assertIn("sound", repr(result))
        trials = result.trials if pandas is None else result.trials.to_dict("records")
        self.assertEqual([(t["trial"], str(t["seed"]), t["test_loss"]) for t in trials], [(0, result.result["trials"][0]["seed"], result.final["test_loss"])])
        if pandas is not None:
            self.assertEqual(float(result.privacy["eps_path_sound"].max()), max(row["eps_path_sound"] for row in result.rows("privacy")))
        with self.fails("no node is called"):
            result.pair(3, "node 99")

    def test_damaged_results(self) -> None:
        """Whatever bytes of a result are changed: what is asked is answered, or refused with a hint."""
        hearsay.run(WALK, out="out", cache="none")
        rng, whole = random.Random(7), {name: Path("out", name).read_bytes() for name in ("result.json", "privacy.json", "privacy.csv", "nodes.csv", "metrics.csv", "model.json")}
        for _ in range(40):
            name = rng.choice(sorted(whole))
            text = bytearray(whole[name])
            for _ in range(rng.randint(1, 3)):
                at, end = rng.randrange(len(text)), rng.randrange(len(text))
                change = rng.choice([b"", b"inf", b"nan", b"-1", b"1e400", b"null", b'"', b",", b"{}", b"[]", b"x", b"\xff", bytes([rng.randrange(256)])])
                text[at : at + rng.choice([0, 1, 1, 8, abs(end - at)])] = change
            Path("out", name).write_bytes(text)
            asks: List[Callable[[hearsay.Result], Any]] = [repr, lambda r: r.trials, lambda r: r.metrics, lambda r: r.nodes, lambda r: r.pair(0, 1),
                                                           lambda r: r.privacy, lambda r: r.columns(), lambda r: r.model.predict([[0.5, 1]])]
            for ask in asks:
                try:
                    ask(hearsay.read("out"))
                except hearsay.FileError as err:
                    self.assertTrue(err.hint)
            Path("out", name).write_bytes(whole[name])

    def test_a_result_without_a_folder_lasts_as_long_as_it_is_asked(self) -> None:
        result = hearsay.run(WALK, set={"privacy.sigma": 0}, cache="none")
        path = result.path
        self.assertEqual(result.claim.max, math.inf)
        self.assertEqual(result.final["test_accuracy"], result.rows("metrics")[-1]["test_accuracy_mean"])
        del result
        gc.collect()
        self.assertFalse(path.exists())

    def test_sweep(self) -> None:
        vary: Dict[str, Any] = {"privacy.sigma": [2, 8.5], "graph": ["ring:4", "er:n=6,p=0.9,seed=1,connected"]}
        lines: List[str] = []
        swept = hearsay.sweep(WALK, vary=vary, out="out", workers=1, cache="none", progress=lines.append)
        self.assertEqual((len(swept.rows), len(lines) >= 4, swept.failed), (4, True, []))
        self.assertEqual({(row["privacy.sigma"], row["graph"]) for row in swept.rows}, {(s, g) for s in vary["privacy.sigma"] for g in vary["graph"]})
        best = swept.frontier if pandas is None else swept.frontier.to_dict("records")
        self.assertEqual([row["mean_loss"] for row in best], sorted(row["mean_loss"] for row in best))
        self.assertEqual({row["status"] for row in swept.rows} | {row["unit"] for row in swept.rows}, {"sound", "participant"})
        self.assertEqual(hearsay.read_sweep("out").rows, swept.rows)

    def test_cells_that_fail(self) -> None:
        with self.assertRaises(hearsay.SweepError) as caught:
            hearsay.sweep(WALK, vary={"graph": ["ring:4", "star:1"]}, out="out", cache="none")
        self.assertEqual([bool(row["error"]) for row in caught.exception.rows], [False, True])
        kept = hearsay.sweep(WALK, vary={"graph": ["ring:4", "star:1"]}, out="out", cache="none", errors="keep")
        self.assertEqual(len(kept.failed), 1)
        with self.fails("privacy.sigmas"):
            hearsay.sweep(WALK, vary={"privacy.sigmas": [1]}, out="out", cache="none")

    def test_plan(self) -> None:
        plan = hearsay.plan(WALK, cache="none")
        self.assertEqual((plan.claim.status, plan.claim.unit), ("sound", "participant"))
        rows = plan.nodes if pandas is None else plan.nodes.to_dict("records")
        self.assertEqual(max(row["loses"] for row in rows), plan.claim.max)
        self.assertEqual(len(plan.by_distance), len(plan.result["pairs"]))

    def test_the_plan_of_a_participant(self) -> None:
        spec = Path(__file__).resolve().parents[2] / "examples" / "hospitals" / "spec.yaml"
        plan = hearsay.plan(spec, name="lyon", cache="none")
        self.assertEqual([(one.about, one.status, one.unit, (one.epsilon or 9) <= 1) for one in plan.losses], [("lyon", "sound", "record", True)] * 3)
        self.assertIn("lyon", repr(plan))
        told = hearsay.privacy.pair(spec, "lyon", plan.losses[0].observer, cache="none")
        self.assertEqual((told.epsilon, told.unit), (plan.losses[0].epsilon, "record"))
        with self.fails("no policy at"):
            hearsay.plan(spec, name="lyon", policy="nowhere.yaml")
        with self.fails("this plan is"):
            self.assertIsNone(plan.claim)
        with self.fails("this plan is"):
            self.assertIsNone(hearsay.plan(WALK, cache="none").losses)

    def test_privacy(self) -> None:
        told = hearsay.privacy.explain(WALK, "node 2", 4, cache="none")
        self.assertIn("node 4", told.text)
        self.assertEqual((told.loss.status, told.loss.unit, told.loss.metric), ("sound", "participant", "epsilon at delta 1e-06"))
        plan = hearsay.plan(WALK, cache="none")
        self.assertLessEqual(told.loss.epsilon or math.inf, plan.claim.max)
        walk = hearsay.privacy.walk("ring:6", 60, 4, u=2, v=4, contributions=10, cache="none")["accountants"]["path"]
        self.assertEqual((walk["status"], walk["unit"]), ("sound if", "participant"))
        self.assertEqual(hearsay.privacy.pairwise("ring:5", 5, 3, 4)["status"], "sound")
        self.assertEqual(len(hearsay.privacy.gossip("ring:4", 2, 3)["accountants"]["sound"]["eps"]), 4)
        self.assertEqual(hearsay.privacy.flow("ring:4", 3, 4, u=1, v=3)["accountants"]["sound"]["status"], "sound if")

    def test_attacks_and_claims(self) -> None:
        spec = {**WALK, "privacy": {"sigma": 1}}
        attack = hearsay.privacy.audit(spec, 0, 1, runs=1000, set={"graph": "ring:5"}, cache="none")
        shown, bound = (attack["accountants"][name] for name in ("audit", "path"))
        self.assertEqual((shown["status"], bound["status"], attack["runs"]), ("audit", "sound", 1000))
        self.assertTrue(0 < shown["eps"] <= bound["eps"])
        claimed = [{"u": 0, "v": 1, "epsilon": epsilon, "delta": 1e-6} for epsilon in (shown["eps"] / 4, bound["eps"] - 1, bound["eps"] + 1)]
        tables: List[Any] = [claimed] if pandas is None else [claimed, pandas.DataFrame(claimed)]
        for table in tables:
            found = hearsay.privacy.claims(spec, table, runs=1000, set={"graph": "ring:5"}, cache="none")
            rows = found if pandas is None else found.to_dict("records")
            self.assertEqual([(row["verdict"], row["sound"]) for row in rows], [(verdict, bound["eps"]) for verdict in ("refuted", "open", "proved")])
        with self.fails("no column"):
            hearsay.privacy.claims(spec, [{"u": 0, "v": 1, "epsilon": 1}])
        with self.fails("cannot read the claims"):
            hearsay.privacy.claims(spec, "nowhere.csv")

    def test_a_record_is_its_own_unit(self) -> None:
        spec = {**WALK, "privacy": {"sigma": 4, "unit": "record", "accountant": "local"}}
        self.assertEqual(hearsay.plan(spec, cache="none").claim.unit, "record")
        self.assertEqual(hearsay.privacy.pair(spec, 1, 3, cache="none").unit, "record")

    def test_any_other_command(self) -> None:
        self.assertEqual(hearsay.call("graph", "info", "ring:8")["nodes"], 8)

    def test_losses_stay_on_the_true_side(self) -> None:
        draw = random.Random(5)
        for value in [1.0, 0.99999, 1.00001, 9.99951, math.nextafter(1, 2)] + [math.exp(draw.uniform(-20, 20)) for _ in range(500)]:
            self.assertGreaterEqual(float(claims.shown(value, "sound")), value)
            self.assertLessEqual(float(claims.shown(value, "audit")), value)
            self.assertLessEqual(abs(float(claims.shown(value, "published")) - value), 0.001001 * value)
        self.assertEqual([claims.shown(x, "sound") for x in (0.0, 1.0, math.inf)], ["0", "1", "inf"])

    def test_kinds(self) -> None:
        kinds = hearsay.kinds()
        self.assertEqual(list(kinds["walk"].accountants.items()), [("path", "sound"), ("local", "sound"), ("published", "published")])
        self.assertEqual((kinds["walk"].reads_graph, kinds["walk"].real, kinds["walk"].coalitions), (True, True, ["path"]))
        self.assertEqual((kinds["central"].reads_graph, kinds["central"].real, kinds["central"].keys), (False, False, {}))
        self.assertIn("baseline", kinds["central"].why)
        self.assertEqual((kinds["gossip-gd"].keys["wake"], kinds["gossip-gd"].keys["gossip_steps"]), ("all", 1))
        with mock.patch.object(_program, "call_json", return_value=[{"kind": 3}]), self.assertRaises(hearsay.FileError):
            hearsay.kinds()

    def test_errors(self) -> None:
        with self.fails("privacy.sigma") as caught:
            hearsay.run(WALK, set={"privacy.sigma": -1}, out="out")
        self.assertEqual((caught.exception.returncode, os.listdir(".")), (1, []))
        self.assertIn("hint: ", str(caught.exception))
        with self.fails("unknown flag", hearsay.UsageError):
            hearsay.privacy.account("walk", nonsense=1)
        with self.fails("cannot read the spec"):
            hearsay.run("--json")
        with self.fails("one text"):
            hearsay.run(WALK, set="privacy.sigma=1")  # type: ignore[arg-type]
        with self.fails("there is no"):
            hearsay.read("nowhere")
        with self.fails("cannot stand in a spec"):
            hearsay.run(WALK, set={"privacy.sigma": math.nan})

    def test_interrupted(self) -> None:
        """Ctrl-C ends the program before run returns, and nothing is left."""
        made: List[Any] = []

        class Popen(subprocess.Popen):  # type: ignore[type-arg]
            def __init__(self, *args: Any, **more: Any) -> None:
                super().__init__(*args, **more)
                made.append(self)

        def press(_line: str) -> None:
            signal.raise_signal(signal.SIGINT)

        hearsay.version()
        with mock.patch("subprocess.Popen", Popen), mock.patch.object(_program, "_GRACE_SECONDS", 300), self.assertRaises(KeyboardInterrupt):
            hearsay.run(LONG, out="out", cache="none", progress=press)
        self.assertEqual([child.poll() for child in made], [1], "the program did not end as Ctrl-C ends it")
        self.assertEqual(os.listdir("."), [])

    def test_scores_as_they_appear(self) -> None:
        """They are the curve of each trial, which is complete, in order, and ends with the trial's result."""
        told: Dict[int, List[Any]] = {0: [], 1: []}
        lines: List[str] = []
        spec = {**WALK, "trials": 2, "data": {**WALK["data"], "test": 0.25}}
        result = hearsay.run(spec, cache="none", progress=lines.append, on_score=lambda trial, step, scores: told[trial].append((step, scores)))
        curve = result.result["curve"]
        for trial, points in told.items():
            self.assertEqual([step for step, _ in points], [point["step"] for point in curve])
            self.assertEqual({key: result.result["trials"][trial]["final"][key] for key in points[-1][1]}, points[-1][1])
        for k, point in enumerate(curve):
            for key in ("train_loss", "test_loss", "test_accuracy"):
                self.assertAlmostEqual(sum(points[k][1][key] for points in told.values()) / 2, point[key]["mean"], 12)
        self.assertFalse(any(line.startswith("score") for line in lines), lines)
        hearsay.run(WALK, set={"data.test": 0}, cache="none", on_score=lambda trial, step, scores: self.assertEqual(list(scores), ["train_loss"]))

    def test_a_score_ends_a_run(self) -> None:
        class Enough(Exception):
            pass

        for end in (Enough, KeyboardInterrupt):
            def stop(_trial: int, step: int, _scores: Dict[str, float], end: Any = end) -> None:
                if step > 0:
                    raise end

            with self.assertRaises(end):
                hearsay.run(LONG, set={"report.every": 100}, out="out", cache="none", on_score=stop)
            self.assertEqual(os.listdir("."), [])
        for line in ('score {"trial":0,"step":"a"}', 'score {"trial":0', 'score {"trial":[]}', 'score {"trial":0}', 'score {"trial":null,"step":1}'):
            with self.assertRaises(hearsay.FileError):
                _program._score(line)

    def test_too_slow(self) -> None:
        with self.fails("stopped after 0.2 seconds"):
            hearsay.run(LONG, out="out", cache="none", timeout=0.2)
        self.assertEqual(os.listdir("."), [])


class TestProgram(Case):
    """How the program is found; these tests bring their own."""

    def script(self, text: str) -> str:
        path = self.folder / "hearsay"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_named_or_on_the_path(self) -> None:
        path = self.script('echo "hearsay version v0.9.1"')
        with mock.patch.dict(os.environ, {"HEARSAY": path, "PATH": ""}):
            self.assertEqual((hearsay.binary(), hearsay.version()), (path, "v0.9.1"))
        with mock.patch.dict(os.environ, {"PATH": str(self.folder) + os.pathsep + os.environ["PATH"]}):
            os.environ.pop("HEARSAY", None)
            self.assertEqual(hearsay.binary(), path)
        with mock.patch.dict(os.environ, {"HEARSAY": str(self.folder / "none")}), self.fails("is no program", hearsay.BinaryError):
            hearsay.run(WALK)
        with mock.patch.dict(os.environ, {"PATH": ""}):
            os.environ.pop("HEARSAY", None)
            with self.fails("not on the PATH", hearsay.BinaryError):
                hearsay.version()

    def test_another_program(self) -> None:
        for text, error in (("echo 1.0", "is not hearsay"), ('echo "hearsay version v7.0.0"', "does not know"), ("exit 1", "is not hearsay")):
            with mock.patch.dict(os.environ, {"HEARSAY": self.script(text)}), self.fails(error, hearsay.BinaryError):
                hearsay.version()

    def test_what_it_says(self) -> None:
        version = '[ "$1" = --version ] && echo "hearsay version (devel)" && exit\n'
        for text, error in (('echo "error: no luck" >&2; echo "hint: try again" >&2; exit 1', "no luck"), ("exit 3", "exit code 3"), ("kill -9 $$", "signal 9"),
                            ("echo nonsense", "is not JSON"), ("head -c 3000000 /dev/zero >&2; echo >&2; echo 'error: long' >&2; exit 1", "long")):
            with mock.patch.dict(os.environ, {"HEARSAY": self.script(version + text)}), self.assertRaises(hearsay.HearsayError) as caught:
                hearsay.plan(WALK)
            self.assertIn(error, caught.exception.error)

    def test_one_that_does_not_stop(self) -> None:
        stubborn = self.script('[ "$1" = --version ] && echo "hearsay version (devel)" && exit\ntrap "" INT\necho started >&2\nwhile :; do sleep 0.1; done')
        with mock.patch.dict(os.environ, {"HEARSAY": stubborn}), mock.patch.object(_program, "_GRACE_SECONDS", 0.3), self.assertRaises(hearsay.HearsayError):
            hearsay.plan(WALK, timeout=0.3)


class TestFiles(Case):
    def test_values_of_yaml(self) -> None:
        for value, text in ((None, "null"), (True, "true"), (3, "3"), (1e-6, "1.0e-06"), (0.25, "0.25"), ("ring:4", "ring:4"), ("yes", '"yes"'), ("1.0", '"1.0"'),
                            ("a, b", '"a, b"'), ("", '""'), ("x: y", '"x: y"'), ({"mean": 8}, "{mean: 8}"), ([1, [2]], "[1, [2]]"), ("a\nb", '"a\\nb"'), (Path("a/b"), "a/b")):
            self.assertEqual(_yaml.text(value), text)

    def test_results_of_enemies(self) -> None:
        (self.folder / "result.json").write_text(json.dumps({"name": 1, "privacy": {"status": "certain"}, "final": []}))
        result = hearsay.read(".")
        asked: List[Callable[[], Any]] = [lambda: result.name, lambda: result.claim, lambda: result.final, lambda: result.rows("nodes"), lambda: result.pair(0, 1), lambda: result.trials]
        for ask in asked:
            with self.assertRaises(hearsay.FileError):
                ask()
        for text in ("", "u,v\n1\n", "u,u\n1,2\n", 'u,v\n"1,2\n', "u,v\n\xff,2\n"):
            (self.folder / "privacy.csv").write_bytes(text.encode("latin-1"))
            with self.assertRaises(hearsay.FileError):
                result.rows("privacy")
        os.unlink("result.json")
        os.mkfifo("result.json")
        began = time.monotonic()
        with self.fails("no regular file"):
            hearsay.read(".")
        self.assertLess(time.monotonic() - began, 60, "a pipe was waited for")

    def test_cells(self) -> None:
        (self.folder / "t.csv").write_text("\ufeffname,x,y\nNA,1,\ntrue,inf,true\n", encoding="utf-8")
        self.assertEqual(_files.read_csv("t.csv", ("name",)), [{"name": "NA", "x": 1, "y": None}, {"name": "true", "x": math.inf, "y": True}])


if __name__ == "__main__":
    unittest.main()
