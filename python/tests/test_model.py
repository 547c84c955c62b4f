"""Models predict what the program predicts, and files of enemies are refused."""

from __future__ import annotations

import csv
import json
import math
import pickle
import random
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List

import hearsay
from hearsay import _cells, _forward
from hearsay._recipe import recipe_of

from .shared import COLUMNS, Case, numpy, pandas, program, sklearn, specs, table, write

NEAR = 1e-12


def predicted(model: Path, data: Path, out: Path) -> List[Dict[str, str]]:
    """What the program predicts."""
    subprocess.run([hearsay.binary(), "predict", str(model), "--data", str(data), "--out", str(out)], check=True, capture_output=True)
    with open(out, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@unittest.skipUnless(program(), "there is no program hearsay: name it in HEARSAY")
class TestEveryKind(Case):
    """All kinds are trained once, and predict for rows that they were not trained on."""

    folder_of_all: "tempfile.TemporaryDirectory[str]"
    models: Dict[str, Path] = {}
    wanted: Dict[str, List[Dict[str, str]]] = {}
    rows: List[Dict[str, str]] = table(2)

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder_of_all = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder_of_all.cleanup)
        top = Path(cls.folder_of_all.name)
        data, new = write(top / "rows.csv", table(1)), write(top / "new.csv", cls.rows)
        for name, spec in specs(data).items():
            out = top / name
            hearsay.run(spec, out=out, cache="none")
            cls.models[name], cls.wanted[name] = out, predicted(out, new, top / "predictions.csv")

    def agree(self, name: str, found: hearsay.Predictions) -> None:
        """Holds predictions against those of the program."""
        wanted, classes = self.wanted[name], hearsay.Model.open(self.models[name]).classes
        self.assertEqual(len(found.margin), len(wanted))
        self.assertIn("", [w["prediction"] for w in wanted], "no row has a gap: nothing was tried")
        for i, want in enumerate(wanted):
            if want["prediction"] == "":
                self.assertIsNone(found.margin[i])
                continue
            if not classes:
                self.near(found.value[i], float(want["prediction"]))
                continue
            self.assertEqual(found.label[i], want["prediction"])
            for chance, c in zip(found.probabilities[i] or (), classes):
                self.near(chance, float(want["probability_" + c]))

    def near(self, found: Any, want: float) -> None:
        self.assertLessEqual(abs(found - want), NEAR * max(1, abs(want)), f"{found!r}, want {want!r}")

    def test_rows_of_texts(self) -> None:
        for name, folder in self.models.items():
            with self.subTest(name):
                self.agree(name, hearsay.Model.open(folder).predict(self.rows))

    def test_columns_of_texts(self) -> None:
        columns = {c: [row[c] for row in self.rows] for c in reversed(COLUMNS)}
        for name, folder in self.models.items():
            with self.subTest(name):
                self.agree(name, hearsay.Model.open(folder).predict(columns))

    def test_lists_say_what_numpy_says(self) -> None:
        if numpy is None:
            self.skipTest("there is no numpy here")
        kept = _forward.numpy
        self.addCleanup(setattr, _forward, "numpy", kept)
        _forward.numpy = None
        for name, folder in self.models.items():
            with self.subTest(name):
                self.agree(name, hearsay.Model.open(folder).predict(self.rows))

    def test_data_frames(self) -> None:
        if pandas is None:
            self.skipTest("there is no pandas here")
        frame = pandas.DataFrame(self.rows)
        for column in ("age", "weight, kg", "price"):
            frame[column] = pandas.to_numeric(frame[column].replace("NA", None))
        frame["colour"] = frame["colour"].replace("", None)
        self.assertTrue(frame["weight, kg"].isna().any())
        for name, folder in self.models.items():
            with self.subTest(name):
                self.agree(name, hearsay.Model.open(folder).predict(frame))
                self.agree(name, hearsay.Model.open(folder).predict(frame.convert_dtypes().astype({"colour": "category"})))

    def test_matrices(self) -> None:
        for name, folder in self.models.items():
            with self.subTest(name):
                model = hearsay.Model.open(folder)
                self.assertEqual(model.columns, ("age", "colour", "weight, kg"))
                self.agree(name, model.predict([[row[c] for c in model.columns] for row in self.rows]))
                numbers = [[float(row["age"]), *(float({"": "red", "1.0": "1"}.get(row["colour"], row["colour"]) == c) for c in ("red", "green", "1")),
                            float(row["weight, kg"].replace("NA", "nan"))] for row in self.rows]
                self.agree(name, model.predict(numbers))
                if numpy is not None:
                    self.agree(name, model.predict(numpy.array(numbers)))
                with self.fails("rows of 2 values"):
                    model.predict([[1, 2]])

    def test_no_rows(self) -> None:
        for folder in self.models.values():
            for nothing in ([], {c: [] for c in COLUMNS}):
                self.assertEqual(hearsay.Model.open(folder).predict(nothing).margin, ())

    def test_rows_that_are_none(self) -> None:
        model = hearsay.Model.open(self.models["logistic"])
        row: Dict[str, Any] = {"age": 1, "colour": "red", "weight, kg": 50}
        for column, value, error in (("colour", "blue", "none of its categories"), ("age", "old", "not a finite number"), ("age", math.inf, "not a finite number"),
                                     ("age", 10**400, "not a finite number"), ("age", [1], "not a finite number")):
            with self.fails(error, hearsay.FileError):
                model.predict([{**row, column: value}])
        self.assertEqual(model.predict([{**row, "age": True}]), model.predict([row]))
        with self.fails("no column 'age'", ValueError):
            model.predict([{"colour": "red", "weight, kg": 50}])
        for nonsense in ([1, 2], ["age"], [[1], [2, 3]]):
            with self.assertRaises(hearsay.FileError):
                model.predict(nonsense)

    def test_estimators(self) -> None:
        for name, folder in self.models.items():
            with self.subTest(name):
                classifies = bool(hearsay.Model.open(folder).classes)
                est: Any = (hearsay.Classifier if classifies else hearsay.Regressor)(model=folder)
                self.assertEqual(est.get_params(), {"model": folder, "trial": 0})
                found = est.fit().predict(self.rows)
                for mine, want in zip(found, self.wanted[name]):
                    if not classifies:
                        self.assertTrue(mine != mine if want["prediction"] == "" else abs(mine - float(want["prediction"])) <= NEAR * abs(mine))
                    else:
                        self.assertEqual("" if mine is None else str(mine), want["prediction"])
                with self.assertRaises(hearsay.FileError):
                    (hearsay.Regressor if classifies else hearsay.Classifier)(folder).fit()
                again = pickle.loads(pickle.dumps(est)).predict(self.rows[:5])
                self.assertEqual([str(v)[:12] for v in again], [str(v)[:12] for v in found[:5]])

    def test_decisions(self) -> None:
        for name in ("logistic", "two classes", "multinomial"):
            est = hearsay.Classifier(self.models[name])
            decided, labels, chances = est.decision_function(self.rows), est.predict(self.rows), est.predict_proba(self.rows)
            for d, label, p in zip(decided, labels, chances):
                if label is None:
                    self.assertTrue(all(x != x for x in p))
                elif name == "multinomial":
                    self.assertEqual(label, est.classes_[list(d).index(max(d))])
                else:
                    self.assertEqual(label, est.classes_[int(d >= 0)])
                    self.assertAlmostEqual(1 / (1 + math.exp(-d)), p[1], 12)
            whole = [i for i, row in enumerate(self.rows) if row["weight, kg"] != "NA"]
            self.assertAlmostEqual(sum(sum(chances[i]) for i in whole), len(whole), 9)
        self.assertEqual(list(hearsay.Classifier(self.models["logistic"]).classes_), [0, 1])

    def test_classes_are_in_order(self) -> None:
        """Those of a file, of which the positive one is the last, need not be."""
        row = [{"age": 7, "colour": "red", "weight, kg": 50}]
        for name, renamed in (("logistic", ["well", "ill"]), ("two classes", ["10", "9"]), ("multinomial", ["c", "a", "b"])):
            file = json.loads((self.models[name] / "model.json").read_text())
            (self.folder / "model.json").write_text(json.dumps({**file, "classes": renamed, "positive": renamed[-1] if len(renamed) == 2 else ""}))
            est, told = hearsay.Classifier(self.folder), hearsay.Model.open(self.folder).predict(row)
            self.assertEqual([str(c) for c in est.classes_], ["9", "10"] if "9" in renamed else sorted(renamed))
            chances = dict(zip((str(c) for c in est.classes_), est.predict_proba(row)[0]))
            self.assertEqual(chances, dict(zip(renamed, told.probabilities[0] or ())))
            self.assertEqual(str(est.predict(row)[0]), max(renamed, key=lambda c: float(chances[c])))
            decided: Any = est.decision_function(row)[0]
            best = int(decided > 0) if len(renamed) == 2 else list(decided).index(max(decided))
            self.assertEqual(str(est.classes_[best]), told.label[0])

    def test_scores(self) -> None:
        rows = [row for row in self.rows if row["weight, kg"] != "NA"]
        est = hearsay.Classifier(self.models["logistic"])
        right = sum(str(p) == row["old"] for p, row in zip(est.predict(rows), rows)) / len(rows)
        for labels in ([row["old"] for row in rows], [int(row["old"]) for row in rows], [float(row["old"]) for row in rows]):
            self.assertAlmostEqual(est.score(rows, labels), right)
        prices = [float(row["price"]) for row in rows]
        self.assertGreater(hearsay.Regressor(self.models["ridge"]).score(rows, prices), 0)

    @unittest.skipUnless(sklearn and pandas, "there is no scikit-learn here")
    def test_within_scikit_learn(self) -> None:
        from sklearn.base import clone, is_classifier, is_regressor
        from sklearn.metrics import accuracy_score, r2_score
        from sklearn.model_selection import cross_val_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import FunctionTransformer

        frame = pandas.DataFrame([row for row in self.rows if row["weight, kg"] != "NA"])
        est = clone(hearsay.Classifier(model=str(self.models["logistic"])))
        self.assertTrue(is_classifier(est) and not is_regressor(est))
        pipe = clone(make_pipeline(FunctionTransformer(), est))
        self.assertEqual(list(pipe.classes_), [0, 1])
        labels = frame["old"].astype(int)
        self.assertAlmostEqual(accuracy_score(labels, pipe.predict(frame)), pipe.score(frame, labels))
        self.assertEqual(pipe.predict_proba(frame).shape, (len(frame), 2))
        with self.fails("trained already"):
            pipe.fit(frame, labels)
        with self.assertRaisesRegex(ValueError, "trained already"):
            cross_val_score(est, frame, labels)
        with self.fails("trained already"):
            cross_val_score(est, frame, labels, error_score="raise")
        self.assertEqual(est.set_params(trial=0).get_params()["trial"], 0)
        self.assertIn("Classifier(", repr(est))
        price = clone(hearsay.Regressor(str(self.models["ridge"])))
        self.assertTrue(is_regressor(price))
        truth = frame["price"].astype(float)
        self.assertAlmostEqual(r2_score(truth, price.predict(frame)), price.score(frame, truth), 9)

    def test_files_of_enemies(self) -> None:
        """Every key, gone or with a value that it cannot have, is an error with a hint and never another exception."""
        values: List[Any] = [None, True, -1, 0, 1e308, 10**30, "x", [], [[]], {}, {"x": []}, ["a"] * 200, [None], [{"name": "x", "limit": -1}], {"colour": "pink"}]
        rows = self.rows[:3]
        for name, folder in self.models.items():
            original = json.loads((folder / "model.json").read_text())
            for key in original:
                for value in values:
                    changed = {**original, key: value}
                    self.survives(changed, rows)
                self.survives({k: v for k, v in original.items() if k != key}, rows)
            trial = original["trials"][0]
            for key in trial:
                for value in values:
                    self.survives({**original, "trials": [{**trial, key: value}]}, rows)

    def survives(self, file: Dict[str, Any], rows: List[Dict[str, str]]) -> None:
        """A changed file is refused, or predicts."""
        try:
            hearsay.Model(recipe_of(file, 0, "model.json")).predict(rows)
        except hearsay.FileError as err:
            self.assertTrue(err.hint)
            self.assertNotIn("\n", err.error)

    def test_texts_that_are_no_models(self) -> None:
        path = self.folder / "model.json"
        for text in ("", "[]", "{", "null", "[" * 100_000, '{"a": NaN}', '{"a": 1e999}', '{"a": ' + "9" * 10_000 + "}", '{"format": 1, "format": 2}', "\xff", "{}"):
            path.write_text(text, encoding="latin-1")
            with self.assertRaises(hearsay.FileError) as caught:
                hearsay.Model.open(path)
            self.assertTrue(caught.exception.hint)
        for path in (self.folder / "none.json", Path("/dev/zero"), self.folder):
            with self.assertRaises(hearsay.FileError):
                hearsay.Model.open(path)


@unittest.skipUnless(program(), "there is no program hearsay: name it in HEARSAY")
class TestAtHome(Case):
    """A model that was fitted at home is read like any other, says what it is, and claims nothing."""

    def test_notice(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            top = Path(name)
            data, new = write(top / "rows.csv", table(1)), write(top / "new.csv", table(2))
            hearsay.run(specs(data)["logistic"], out=top / "out", cache="none")
            subprocess.run([hearsay.binary(), "personalise", str(top / "out"), "--data", str(data), "--out", str(top / "home"), "--trial", "0"], check=True, capture_output=True)
            model = hearsay.Model.open(top / "home")
            self.assertIn("show it to nobody", model.notice)
            self.assertIsNone(model.recipe.claim["epsilon"])
            found, wanted = model.predict(table(2)), predicted(top / "home", new, top / "p.csv")
            self.assertEqual([w["prediction"] or None for w in wanted], list(found.label))



@unittest.skipUnless(program(), "there is no program hearsay: name it in HEARSAY")
class TestFields(Case):
    """A field means here what it means to the program."""

    def test_numbers(self) -> None:
        fields = ["1", "+1", "-1.5", ".5", "5.", "1e3", "1E-3", "0x1p-2", "0X1.8p+1", "0x_1p0", "1_000", "1__0", "_1", "1_", "1e1_0", "1_.5", "1._5", "inf", "Infinity",
                  "1e400", "1e-400", "nan", "1,5", "0b1", "0x10", "0xp1", "１", " 7", "7 ", "7\t", "--1", "+", ".", "e5", "1e", "1e+", "0x1p", "1f", "1d0", "٣",
                  "?", "NA", "n/a", "None", "-", "nil", "NULL", "", "1\u00a0", "true", "#N/A", "\\N", "<NA>", "NaT", "--", "#DIV/0!", "\u30001", "(null)"]
        rng = random.Random(5)
        fields += ["".join(rng.choice("0123456789._+-eExXpPaA") for _ in range(rng.randint(1, 7))) for _ in range(400)]
        spec = {
            "data": {"source": "csv", "path": "train.csv", "target": "y", "scale": "none", "normalise": "none", "test": 0, "missing": "drop", "task": "regression"},
            "graph": "complete:2", "model": {"kind": "ridge"}, "algorithm": {"kind": "gossip-gd", "steps": 1, "step_size": 0.1, "clip": 1},
            "privacy": {"sigma": 1, "accountant": "local", "metric": {"epsilon_at_delta": 1e-6}},
        }
        Path("train.csv").write_text("x,y\n" + "\n".join(f"{i % 3},{i % 5}" for i in range(8)) + "\n")
        hearsay.run(spec, out="out", cache="none")
        model = hearsay.Model.open("out")
        def lines(fields: List[str]) -> str:
            return "x\n" + "\n".join(f if f and "," not in f else '"%s"' % f for f in fields) + "\n"

        Path("new.csv").write_text(lines(fields), encoding="utf-8")
        said = subprocess.run([hearsay.binary(), "predict", "out", "--data", "new.csv", "--out", "p.csv"], capture_output=True, text=True)
        bad = [f for f in fields if _refused(model, f)]
        self.assertEqual(sum(int(n) for n in re.findall(r" in (\d+) rows", said.stderr)), len(bad), said.stderr)
        good = [f for f in fields if f not in bad]
        Path("good.csv").write_text(lines(good), encoding="utf-8")
        want = predicted(Path("out"), Path("good.csv"), Path("p.csv"))
        found = model.predict([{"x": f} for f in good]).value
        self.assertEqual(["" if v is None else repr(v) for v in found], ["" if w["prediction"] == "" else repr(float(w["prediction"])) for w in want])

    def test_categories_are_compared_as_numbers(self) -> None:
        self.assertEqual(_cells.category_of(["1", "2"], "1.0"), 0)
        self.assertEqual(_cells.category_of(["01", "1"], "1.0"), -1)
        self.assertEqual(_cells.category_of(["NA", "x"], "NA"), 0)
        self.assertFalse(_cells.is_missing("NA", ["NA", "x"]))
        self.assertTrue(_cells.is_missing("NA", None))


def _refused(model: hearsay.Model, field: str) -> bool:
    try:
        model.predict([{"x": field}])
    except hearsay.FileError:
        return True
    return False


if __name__ == "__main__":
    unittest.main()
