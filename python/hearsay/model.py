"""A trained model, read from model.json and used without the program: the same predictions as ``hearsay predict``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from . import _cells, _forward
from ._files import PathLike
from ._recipe import Recipe, open_recipe
from .errors import FileError


@dataclass(frozen=True)
class Predictions:
    """One entry for each row: None where a value is missing that nothing stands for (``missing: drop``)."""

    label: Tuple[Optional[str], ...]
    """The predicted class, as the file calls it; of a regression empty."""
    value: Tuple[Optional[float], ...]
    """The predicted number; of a classifier empty."""
    probabilities: Tuple[Optional[Tuple[float, ...]], ...]
    """Of each class, in the order of ``Model.classes``; of a regression empty."""
    margin: Tuple[Any, ...]
    """What the decision was made by, see ``Classifier.decision_function``."""


class Model:
    """A model and the recipe that it was trained by.

    Rows are given as a pandas data frame, a dictionary of columns or a list of dictionaries, with the columns that
    ``columns`` names in any order and others ignored, as they are in a file: texts, gaps (None, NaN, NA, empty) and all; or as a
    matrix of numbers whose columns are those of ``columns``, or already those of ``features``.
    """

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    @classmethod
    def open(cls, path: PathLike, trial: int = 0) -> "Model":
        """Reads a model.json, or that of the folder of a result or of a participant. FileError for what is none.

        ``trial`` chooses among the models of a simulation with several.
        """
        return cls(open_recipe(path, trial))

    @property
    def kind(self) -> str:
        """logistic, hinge, multinomial, mlp, ridge or absolute."""
        return self.recipe.kind

    @property
    def classes(self) -> Tuple[str, ...]:
        """The names of the classes; of two the positive one last; of a regression none."""
        return self.recipe.classes

    @property
    def features(self) -> Tuple[str, ...]:
        """The features in the order of the parameters: a text column is one for each category."""
        return self.recipe.features

    @property
    def columns(self) -> Tuple[str, ...]:
        """The columns that a table must have."""
        return self.recipe.columns

    @property
    def claim(self) -> Mapping[str, Any]:
        """The promise under which the model was trained, with its status and unit."""
        return self.recipe.claim

    @property
    def notice(self) -> str:
        """Whether the losses cover that somebody sees this model, in words."""
        return self.recipe.notice

    def predict(self, rows: Any) -> Predictions:
        """Predicts for every row. FileError for columns that are not there and values that are no numbers and no categories."""
        matrix, place = self._features(rows)
        z = _forward.outputs(self.recipe, matrix) if len(matrix) else []
        margin = _tolist(_forward.margins(self.recipe, z)) if len(matrix) else []
        if not self.recipe.classifies:
            return Predictions((), _spread(place, _forward.values(self.recipe, z) if len(matrix) else []), (), _spread(place, margin))
        names = [self.recipe.classes[k] for k in _forward.largest(z)]
        chances = [tuple(row) for row in _tolist(_forward.probabilities(z))] if len(matrix) else []
        return Predictions(_spread(place, names), (), _spread(place, chances), _spread(place, margin))

    def _features(self, rows: Any) -> Tuple[Any, List[int]]:
        """The features of the complete rows, and of every row where it is among them, or -1."""
        matrix = _matrix(rows)
        if matrix is not None:
            return self._of_matrix(matrix)
        return self._of_cells(_cells_of(rows, self.recipe.columns))

    def _of_matrix(self, matrix: Any) -> Tuple[Any, List[int]]:
        """Of rows of numbers. Those of the features themselves are taken as they are."""
        recipe = self.recipe
        width = len(matrix[0]) if len(matrix) else len(recipe.columns)
        plain = not recipe.categories or width == len(recipe.features) != len(recipe.columns)
        if width not in (len(recipe.columns), len(recipe.features)):
            raise FileError(f"rows of {width} values", f"the model asks for {len(recipe.columns)}: {_list(recipe.columns)}")
        if plain and not recipe.no_values and _all_finite(matrix):
            return _packed(matrix), list(range(len(matrix)))
        columns = recipe.features if plain else recipe.columns
        cells = {name: [row[k] for row in _tolist(matrix)] for k, name in enumerate(columns)}
        return self._of_cells(cells, plain)

    def _of_cells(self, cells: Mapping[str, Sequence[Any]], plain: bool = False) -> Tuple[Any, List[int]]:
        """Of cells by column, each read as a field of a file; plain: the columns are the features."""
        recipe = self.recipe
        count = len(next(iter(cells.values())))
        read: Dict[str, _Column] = {}
        for name, values in cells.items():
            read[name] = _Column(name, None if plain else recipe.categories.get(name), recipe.fill.get(name), recipe.no_values if name in recipe.columns else ())
            read[name].read(values)
        gaps = {i for column in read.values() for i in column.gaps}
        if gaps and not recipe.drop_missing:
            name, i = next((c.name, min(c.gaps)) for c in read.values() if c.gaps)
            raise FileError(f"row {i}: column {name!r} has no value", "correct the values, or leave the rows out: the model was trained without any like them")
        features = [read[name].values if name in read else self._dummy(name, read) for name in recipe.features]
        if not gaps:
            return _packed_columns(features), list(range(count))
        place = [-1] * count
        kept = [i for i in range(count) if i not in gaps]
        for at, i in enumerate(kept):
            place[i] = at
        return _packed([[column[i] for column in features] for i in kept]), place

    def _dummy(self, feature: str, read: Mapping[str, "_Column"]) -> Sequence[Any]:
        """The feature of one category: 1 where the column is that."""
        for column, values in self.recipe.categories.items():
            if feature.startswith(column + "=") and feature[len(column) + 1 :] in values:
                at = values.index(feature[len(column) + 1 :])
                return [float(v == at) for v in read[column].values]
        raise FileError(f"feature {feature!r} belongs to no column", "take the original model file")


class _Column:
    """The cells of one column, read: numbers, or the places of categories; rows without a value are ``gaps``."""

    def __init__(self, name: str, categories: Optional[Tuple[str, ...]], fill: Optional[str], no_values: Tuple[str, ...]) -> None:
        self.name, self.categories, self.fill, self.no_values = name, categories, fill, no_values
        self.known: Dict[str, Optional[float]] = {}
        self.values: Sequence[Any] = []
        self.gaps: Set[int] = set()

    def read(self, cells: Any) -> None:
        """Reads all cells."""
        if self.categories is None and not self.no_values and _numbers(cells):
            self.values = cells
            return
        self.values = [self._cell(i, cell) for i, cell in enumerate(_tolist(cells))]
        self.gaps = {i for i, value in enumerate(self.values) if value is None}

    def _cell(self, i: int, cell: Any) -> Optional[float]:
        if self.categories is None and not self.no_values and isinstance(cell, (int, float)) and abs(cell) <= 1.7976931348623157e308:
            return float(cell)
        field = _cells.field_of(cell)
        if field not in self.known:
            self.known[field] = self._field(i, field)
        return self.known[field]

    def _field(self, i: int, field: str) -> Optional[float]:
        if _cells.is_missing(field, self.categories, self.no_values):
            if self.fill is None:
                return None
            field = self.fill
        if self.categories is None:
            value = _cells.finite(field)
            if value is None:
                raise FileError(f"row {i}: column {self.name!r} is not a finite number: {field[:40]!r}", "correct the value, or leave the row out")
            return value
        at = _cells.category_of(self.categories, field)
        if at < 0:
            raise FileError(f"row {i}: column {self.name!r} is none of its categories: {field[:40]!r}", f"the model knows {_list(self.categories)}")
        return float(at)


def _cells_of(rows: Any, wanted: Tuple[str, ...]) -> Dict[str, Sequence[Any]]:
    """The columns that are wanted, of a data frame, of a dictionary of columns or of a list of dictionaries."""
    if hasattr(rows, "columns") and hasattr(rows, "iloc"):
        names = [str(name) for name in rows.columns]
        _has_all(names, wanted)
        return {name: _column_of(rows.iloc[:, names.index(name)]) for name in wanted}
    if isinstance(rows, Mapping):
        _has_all([str(name) for name in rows], wanted)
        cells: Dict[str, Sequence[Any]] = {name: list(rows[name]) for name in wanted}
        if len({len(column) for column in cells.values()}) > 1:
            raise FileError("columns of different lengths", "give as many values in each")
        return cells
    listed = list(rows)
    for i, row in enumerate(listed):
        if not isinstance(row, Mapping):
            raise FileError(f"row {i} is a {type(row).__name__}", "give a data frame, a list of dictionaries or a matrix of numbers")
        _has_all(list(row), wanted)
    return {name: [row[name] for row in listed] for name in wanted}


def _column_of(series: Any) -> Any:
    """A column of a data frame: an array where it is one of finite numbers."""
    kind = getattr(series.dtype, "kind", "O")
    values = series.to_numpy() if kind in "fiu" and type(series.dtype).__module__.startswith("numpy") else None
    return values if values is not None and _numbers(values) else series.tolist()


def _numbers(cells: Any) -> bool:
    """Whether cells are an array of finite numbers."""
    return _forward.numpy is not None and hasattr(cells, "dtype") and cells.dtype.kind in "fiu" and bool(_forward.numpy.isfinite(cells).all())


def _has_all(names: Sequence[str], wanted: Tuple[str, ...]) -> None:
    for name in wanted:
        if names.count(name) != 1:
            raise FileError(f"{'no column' if name not in names else 'two columns'} {name!r}", f"the model asks for {_list(wanted)}; the table has {_list(names)}")


def _matrix(rows: Any) -> Any:
    """Rows of numbers without names; None of everything else."""
    if hasattr(rows, "iloc") or isinstance(rows, Mapping):
        return None
    if hasattr(rows, "toarray"):
        rows = rows.toarray()  # a sparse matrix of scipy
    if hasattr(rows, "ndim") and hasattr(rows, "tolist"):
        if rows.ndim != 2:
            raise FileError(f"an array of {rows.ndim} dimensions", "give a matrix, a row for each example")
        return rows if rows.dtype.kind in "fiub" else rows.tolist()
    listed = list(rows)
    if not listed:
        return []
    if isinstance(listed[0], Mapping):
        return None
    for i, row in enumerate(listed):
        if isinstance(row, (str, bytes, Mapping)) or not hasattr(row, "__len__") or len(row) != len(listed[0]):
            raise FileError(f"row {i} is no list of {len(listed[0]) if hasattr(listed[0], '__len__') else 'several'} values",
                            "give a data frame, a list of dictionaries or a matrix of numbers")
    return [list(row) for row in listed]


def _all_finite(matrix: Any) -> bool:
    if _forward.numpy is not None and hasattr(matrix, "dtype"):
        return bool(_forward.numpy.isfinite(matrix).all())
    return all(isinstance(v, (int, float)) and abs(v) <= 1.7976931348623157e308 for row in matrix for v in row)


def _packed(rows: Any) -> Any:
    """Rows as numpy has them, where it is there."""
    if _forward.numpy is None or not len(rows):
        return [[float(v) for v in row] for row in rows]
    return _forward.numpy.asarray(rows, dtype=float)


def _packed_columns(columns: Sequence[Any]) -> Any:
    """Columns as rows."""
    if _forward.numpy is None:
        return [[float(v) for v in row] for row in zip(*columns)]
    return _forward.numpy.array([_forward.numpy.asarray(c, dtype=float) for c in columns]).T


def _tolist(matrix: Any) -> List[Any]:
    return matrix if isinstance(matrix, list) else list(matrix.tolist())


def _spread(place: Sequence[int], found: Sequence[Any]) -> Tuple[Any, ...]:
    """What was found of the complete rows, at the places of all."""
    return tuple(None if at < 0 else found[at] for at in place)


def _list(names: Sequence[Any]) -> str:
    return ", ".join(str(name) for name in names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
