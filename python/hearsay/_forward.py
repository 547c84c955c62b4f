"""From features to outputs: scaling, layers, probabilities. By numpy where it is there, else by lists; both say the same.

Rows are a list of lists, or a matrix of numpy; what is computed is what docs/RESULTS.md says of model.json.
"""

from __future__ import annotations

import math
from typing import Any, List, Sequence

from ._recipe import LAYERED, Layer, Recipe, Scaling

numpy: Any
try:
    import numpy
except ImportError:  # lists do
    numpy = None

Matrix = Any


def outputs(recipe: Recipe, rows: Matrix) -> Matrix:
    """A row of outputs for each row of features: a margin, a number, or a number for each class."""
    lists = isinstance(rows, list)
    x = (_scale_lists if lists else _scale_numpy)(rows, recipe.scaling)
    if recipe.unit_norm:
        x = (_unit_lists if lists else _unit_numpy)(x)
    for k, layer in enumerate(recipe.layers):
        last = k + 1 == len(recipe.layers)
        x = (_layer_lists if lists else _layer_numpy)(x, layer, last)
    return x


def largest(z: Matrix) -> List[int]:
    """The class of each row of outputs: of one output the second where it is at least 0, else the first of the largest."""
    return [_largest(row) for row in (z if isinstance(z, list) else z.tolist())]


def _largest(row: Sequence[float]) -> int:
    if len(row) == 1:
        return int(row[0] >= 0)
    best = 0
    for k, value in enumerate(row):
        if value > row[best]:
            best = k
    return best


def probabilities(z: Matrix) -> Matrix:
    """The softmax of each row, or the logistic function of a margin and what it leaves to one."""
    if isinstance(z, list):
        return [_softmax(row) if len(row) > 1 else [1 / (1 + _exp(row[0])), 1 / (1 + _exp(-row[0]))] for row in z]
    with numpy.errstate(all="ignore"):
        if z.shape[1] == 1:
            return numpy.hstack([1 / (1 + numpy.exp(z)), 1 / (1 + numpy.exp(-z))])
        e = numpy.exp(z - z.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)


def values(recipe: Recipe, z: Matrix) -> List[float]:
    """Predicted numbers in the label's own unit."""
    first: List[float] = [row[0] for row in z] if isinstance(z, list) else z[:, 0].tolist()
    if recipe.label is None:
        return first
    return [v / recipe.label.factor + recipe.label.shift for v in first]


def margins(recipe: Recipe, z: Matrix) -> Matrix:
    """What a decision is made by: of two classes how much is for the second, of more the outputs, of a regression the numbers."""
    if not recipe.classifies:
        return values(recipe, z)
    if len(recipe.classes) > 2:
        return z
    two = recipe.kind in LAYERED
    if isinstance(z, list):
        return [row[1] - row[0] if two else row[0] for row in z]
    return z[:, 1] - z[:, 0] if two else z[:, 0]


def _scale_lists(rows: List[List[float]], scaling: Sequence[Scaling]) -> List[List[float]]:
    return [[_apply(v, s) for v, s in zip(row, scaling)] for row in rows] if scaling else rows


def _apply(v: float, s: Scaling) -> float:
    x = (v - s.shift) * s.factor
    return x if x != x else max(-s.limit, min(s.limit, x))


def _scale_numpy(rows: Matrix, scaling: Sequence[Scaling]) -> Matrix:
    if not scaling:
        return rows
    shift, factor, limit = (numpy.array([getattr(s, name) for s in scaling]) for name in ("shift", "factor", "limit"))
    with numpy.errstate(all="ignore"):
        return numpy.clip((rows - shift) * factor, -limit, limit)


def _shrink(features: int) -> float:
    """What keeps a row's norm from being a rounding error above 1."""
    return 1 - 4 * (features + 8) * 2.0**-53


def _unit_lists(rows: List[List[float]]) -> List[List[float]]:
    scaled = []
    for row in rows:
        norm, shrink = math.hypot(*row), _shrink(len(row))
        scaled.append([v / norm * shrink for v in row] if norm > 0 else row)
    return scaled


def _unit_numpy(rows: Matrix) -> Matrix:
    with numpy.errstate(all="ignore"):
        most = numpy.abs(rows).max(axis=1, keepdims=True)
        by = numpy.where((most > 0) & numpy.isfinite(most), most, 1)
        norm = by * numpy.sqrt(((rows / by) ** 2).sum(axis=1, keepdims=True))
        return numpy.where(norm > 0, rows / norm * _shrink(rows.shape[1]), rows)


def _layer_lists(rows: List[List[float]], layer: Layer, last: bool) -> List[List[float]]:
    made = []
    for row in rows:
        z = [sum(w * v for w, v in zip(unit, row)) for unit in layer.weights]
        if layer.constants is not None:
            z = [a + b for a, b in zip(z, layer.constants)]
        made.append(z if last else [math.tanh(v) for v in z])
    return made


def _layer_numpy(rows: Matrix, layer: Layer, last: bool) -> Matrix:
    with numpy.errstate(all="ignore"):
        z = rows @ numpy.array(layer.weights).T
        if layer.constants is not None:
            z = z + numpy.array(layer.constants)
        return z if last else numpy.tanh(z)


def _softmax(row: Sequence[float]) -> List[float]:
    top = math.nan if any(v != v for v in row) else max(row)
    e = [_exp(v - top) for v in row]
    total = sum(e)
    return [v / total for v in e]


def _exp(x: float) -> float:
    return math.inf if x > 709 else math.exp(x)
