"""Graphs, matrices and tables in place of files, and what comes out as arrays and drawings."""

from __future__ import annotations

import os
import tempfile
import unittest
from typing import Any, Dict, List

import hearsay
from hearsay import _objects

from .shared import installed, numpy, pandas, program

networkx, sparse = installed("networkx"), installed("scipy.sparse")

DATA: Dict[str, Any] = {"source": "two-gaussians", "features": 2, "rows": 8, "normalise": "unit"}
SPEC: Dict[str, Any] = {
    "data": DATA, "model": {"kind": "logistic"},
    "algorithm": {"kind": "gossip-gd", "steps": 3, "step_size": 0.5, "clip": 1}, "privacy": {"sigma": 4, "accountant": "local"},
}


class Axes:
    """Keeps what is drawn on it."""

    def __init__(self) -> None:
        self.drawn: List[Any] = []

    def plot(self, *args: Any, **named: Any) -> None:
        self.drawn.append((args, named))

    errorbar = plot

    def set_xlabel(self, text: str) -> None:
        self.x = text

    def set_ylabel(self, text: str) -> None:
        self.y = text


@unittest.skipUnless(program(), "there is no program hearsay")
class TestObjects(unittest.TestCase):
    def folders(self) -> List[str]:
        return [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("hearsay-")]

    @unittest.skipIf(networkx is None, "there is no networkx: Debian has it as python3-networkx")
    def test_a_graph_of_networkx(self) -> None:
        graph = networkx.Graph([("Lyon & \"Co\"", "Nice"), ("Nice", "Brest"), ("Brest", "Lyon & \"Co\"")])
        before = self.folders()
        result = hearsay.run({**SPEC, "graph": graph})
        self.assertEqual(result.pair(about="Nice", observer="Brest").status, "sound")
        self.assertEqual([row["name"] for row in result.rows("nodes")], sorted(graph.nodes()))
        swept = hearsay.sweep(SPEC, vary={"graph": [networkx.cycle_graph(5), networkx.star_graph(4)]}, repeat=2)
        self.assertEqual([row["repeats"] for row in swept.rows], [2, 2])
        del result, swept
        self.assertEqual(set(self.folders()) - set(before), set())
        with self.assertRaisesRegex(hearsay.HearsayError, "directed"):
            hearsay.plan({**SPEC, "graph": networkx.DiGraph([(0, 1)])})
        with self.assertRaisesRegex(hearsay.HearsayError, "called the same"):
            hearsay.plan({**SPEC, "graph": networkx.Graph([(1, "1")])})

    @unittest.skipIf(numpy is None, "there is no numpy")
    def test_matrices(self) -> None:
        ring = numpy.roll(numpy.eye(6), 1, axis=1)
        ring += ring.T
        claims = [hearsay.plan({**SPEC, "graph": "ring:6"}).claim, hearsay.plan({**SPEC, "graph": ring}).claim, hearsay.plan(SPEC, set={"graph": ring}).claim]
        self.assertEqual(hearsay.privacy.pairwise(ring, 2, 3, 4)["eps"], hearsay.privacy.pairwise("ring:6", 2, 3, 4)["eps"])
        if sparse is not None:
            claims.append(hearsay.plan({**SPEC, "graph": sparse.csr_matrix(ring)}).claim)
        self.assertEqual({claim.max for claim in claims}, {claims[0].max})
        for wrong, says in ((numpy.eye(3), "neighbour of itself"), (numpy.triu(numpy.ones((3, 3)), 1), "symmetric"), (numpy.ones((2, 3)), "2 x 3")):
            with self.assertRaisesRegex(hearsay.HearsayError, says):
                hearsay.plan({**SPEC, "graph": wrong})

    @unittest.skipIf(pandas is None, "there is no pandas")
    def test_a_data_frame(self) -> None:
        frame = pandas.DataFrame({"a": [0.1 * k for k in range(60)], "b": [k % 7 for k in range(60)], "ill": ["yes" if k % 3 else "no" for k in range(60)]})
        spec = {**SPEC, "graph": "ring:4", "data": {"path": frame, "target": "ill", "classes": ["no", "yes"], "scale": "ranges", "ranges": {"a": [0, 6], "b": [0, 6]}}}
        result = hearsay.run(spec)
        self.assertEqual(result.final["classification"]["classes"], ["no", "yes"])

    @unittest.skipIf(numpy is None, "there is no numpy")
    def test_what_comes_out(self) -> None:
        result = hearsay.run({**SPEC, "graph": "ring:5", "data": {**DATA, "test": 0.25}})
        losses = result.matrix()
        self.assertEqual(losses.shape, (5, 5))
        self.assertAlmostEqual(float(numpy.nanmax(losses)), result.claim.max, places=5)
        self.assertTrue(numpy.array_equal(losses, result.matrix("local"), equal_nan=True))
        further = hearsay.run({**SPEC, "graph": "ring:5", "data": {**DATA, "test": 0.25}}, set={"report.deltas": [1e-9], "report.orders": [2]})
        self.assertTrue(numpy.nanmax(further.matrix(delta=1e-9)) > numpy.nanmax(losses) > numpy.nanmax(further.matrix("local", order=2)) > 0)
        with self.assertRaisesRegex(hearsay.FileError, "says nothing at delta 0.1"):
            further.matrix(delta=0.1)
        with self.assertRaisesRegex(hearsay.FileError, "no accountant is called 'path'"):
            result.matrix("path")
        axes = result.plot(Axes())
        self.assertEqual((axes.x, axes.y, len(axes.drawn)), ("step", "test accuracy", 1))
        for want in ("<table>", "worst pair", "final model covered", "sound"):
            self.assertIn(want, result._repr_html_())
        swept = hearsay.sweep({**SPEC, "graph": "ring:5"}, vary={"privacy.sigma": [2, 8], "algorithm.steps": [2, 3]}, repeat=3)
        self.assertEqual(len(swept.results()), 12)
        settings, cell = swept.results()[0]
        self.assertEqual((set(settings), cell["privacy"]["status"]), ({"privacy.sigma", "algorithm.steps", "seed"}, "sound"))
        axes = swept.plot(Axes(), by="algorithm.steps")
        self.assertEqual(len(axes.drawn), 2)
        self.assertGreater(max(axes.drawn[0][1]["yerr"][0]), 0)

    def test_nothing_else_changes(self) -> None:
        with _objects.held() as held:
            self.assertEqual(held.spec(SPEC), SPEC)
            self.assertEqual(held.folder, "")
