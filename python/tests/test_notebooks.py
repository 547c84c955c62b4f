"""The notebooks of examples run from their first cell to their last, and say nothing that their code does not compute."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import os
import re
import unittest
from pathlib import Path
from typing import Any, Dict, List
from unittest import mock

from .shared import Case, installed, program

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
WANTED = ("networkx", "numpy", "pandas", "matplotlib")
MISSING = [name for name in WANTED if installed(name) is None]
OUTSIDE = {"hearsay", "HEARSAY"}
"""What a text may name besides: the program, and what names it in the environment."""


def cells(notebook: Any, kind: str) -> List[str]:
    """The texts of the cells of a kind."""
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


class TestNotebooks(Case):
    def test_no_outputs(self) -> None:
        """Notebooks are kept without what they show: it depends on the machine, and nobody reviews it."""
        for path in sorted(EXAMPLES.glob("*.ipynb")):
            notebook = json.loads(path.read_text(encoding="utf-8"))
            self.assertEqual((notebook["nbformat"], notebook["nbformat_minor"]), (4, 5))
            for cell in notebook["cells"]:
                self.assertEqual((cell.get("outputs", []), cell.get("execution_count")), ([], None), path.name)

    @unittest.skipUnless(program(), "there is no program hearsay: name it in HEARSAY")
    @unittest.skipIf(MISSING, f"there is no {', '.join(MISSING)}: Debian has them as python3-NAME")
    def test_notebooks_run(self) -> None:
        paths = sorted(EXAMPLES.glob("*.ipynb"))
        self.assertEqual(len(paths), 2)
        for path in paths:
            with self.subTest(path.name), mock.patch.dict(os.environ, {"MPLBACKEND": "Agg"}):
                notebook = json.loads(path.read_text(encoding="utf-8"))
                space: Dict[str, Any] = {}
                with contextlib.redirect_stdout(io.StringIO()):
                    for k, code in enumerate(cells(notebook, "code")):
                        exec(compile(code, f"{path.name}, code cell {k}", "exec"), space)
                importlib.import_module("matplotlib.pyplot").close("all")
                self.check(notebook, space)

    def check(self, notebook: Any, space: Dict[str, Any]) -> None:
        """Each name in a text is computed, and each number stands in the code."""
        code = "\n".join(cells(notebook, "code"))
        nodes = list(ast.walk(ast.parse(code)))
        numbers = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, (int, float))}
        words = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)} | {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        self.assertTrue(any(isinstance(node, ast.Assert) for node in nodes))
        for text in cells(notebook, "markdown"):
            for name in re.findall(r"`([^`]+)`", text):
                self.assertTrue(name in space or name in words or name in OUTSIDE, f"nothing computes {name}")
            for number in re.findall(r"(?<![\w.])\d+(?:\.\d+)?", text):
                self.assertIn(float(number), numbers, text)


if __name__ == "__main__":
    unittest.main()
