"""A model.json, checked: what a row becomes and what the parameters are. Written by hand or by an enemy it is refused."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ._cells import category_of, class_key, finite
from ._files import PathLike, name_of, read_json
from .errors import FileError

FORMAT, VERSION, LATER_VERSION = "hearsay model", 1, 2
MOST_FEATURES, MOST_PARAMETERS, MOST_CLASSES, MOST_UNITS, MOST_LAYERS = 1 << 20, 1 << 24, 100, 4096, 2
LINEAR = ("logistic", "hinge", "ridge", "absolute")
LAYERED = ("multinomial", "mlp")
CHANGED = "the model file was changed by hand or damaged: take the original"


@dataclass(frozen=True)
class Scaling:
    """A value v becomes (v - shift) * factor, kept within limit of 0."""

    name: str
    shift: float
    factor: float
    limit: float


@dataclass(frozen=True)
class Layer:
    """A row of weights for each unit, and a constant for each or none."""

    weights: Tuple[Tuple[float, ...], ...]
    constants: Optional[Tuple[float, ...]]


@dataclass(frozen=True)
class Recipe:
    """All that it takes to predict from a row as it is in a file."""

    kind: str
    task: str
    target: str
    classes: Tuple[str, ...]
    features: Tuple[str, ...]
    columns: Tuple[str, ...]
    scaling: Tuple[Scaling, ...]
    categories: Mapping[str, Tuple[str, ...]]
    fill: Mapping[str, str]
    drop_missing: bool
    no_values: Tuple[str, ...]
    unit_norm: bool
    label: Optional[Scaling]
    layers: Tuple[Layer, ...]
    claim: Mapping[str, Any]
    notice: str
    trials: int

    @property
    def classifies(self) -> bool:
        """Whether it predicts classes, and not numbers."""
        return len(self.classes) > 0


def open_recipe(path: PathLike, trial: int) -> Recipe:
    """The recipe and the parameters of a trial in a model file, or in the folder that holds one."""
    file = name_of(path)
    if file.is_dir():
        file = file / "model.json"
    return recipe_of(read_json(file), trial, str(file))


def recipe_of(file: Mapping[str, Any], trial: int, name: str) -> Recipe:
    """The same of what stands in the file."""
    try:
        return _recipe(file, trial)
    except _Wrong as err:
        raise FileError(f"{name}: {err}", err.hint) from None


class _Wrong(Exception):
    """What is wrong with a file."""

    def __init__(self, what: str, hint: str = CHANGED) -> None:
        super().__init__(what)
        self.hint = hint


def _no_values(file: Mapping[str, Any]) -> Tuple[str, ...]:
    """What stands for no value besides the usual words."""
    table = file.get("table") or {}
    if not isinstance(table, Mapping):
        raise _Wrong("table is no mapping")
    return _texts(table, "missing_values", MOST_FEATURES) if table.get("missing_values") else ()


def _recipe(file: Mapping[str, Any], trial: int) -> Recipe:
    if file.get("format") != FORMAT:
        raise _Wrong("not a model file of this kind", "give the model.json of a result or of a participant")
    if file.get("encoding") is not None:
        raise _Wrong("rows of this model are encoded, which this package does not do", "predict with the command: hearsay predict RUN --data rows.csv --out predictions.csv")
    no_values = _no_values(file)
    if file.get("version") != (LATER_VERSION if no_values else VERSION):
        raise _Wrong(f"version {file.get('version')!r} of the model file is not known here", "install the package that comes with the hearsay that wrote it")
    classes = _classes(file)
    kind = _kind(file, len(classes))
    features = _texts(file, "features", MOST_FEATURES)
    target = _text(file, "target")
    if file.get("missing") not in ("drop", "error"):
        raise _Wrong(f"missing values are dealt with by {file.get('missing')!r}")
    categories = _categories(file)
    columns = _columns(features, categories, target)
    fill = _fill(file, columns, categories)
    return Recipe(
        kind=kind, task=_text(file, "task"), target=target, classes=classes, features=features, columns=columns, scaling=_scalings(file, features),
        categories=categories, fill=fill, drop_missing=file["missing"] == "drop", no_values=no_values, unit_norm=_unit_norm(file), label=_label(file),
        layers=_layers(file, kind, len(classes), features, _parameters(file, trial)), claim=_object(file, "claim"), notice=str(file.get("notice", "")),
        trials=max(1, len(_list(file, "trials"))),
    )


def _classes(file: Mapping[str, Any]) -> Tuple[str, ...]:
    classes, task = _texts(file, "classes", MOST_CLASSES), file.get("task")
    if task == "regression" and not classes or task == "mean":
        return ()
    if task != "classification" or len(classes) < 2:
        raise _Wrong(f"the task {task!r} with {len(classes)} classes")
    if len({class_key(name) for name in classes}) != len(classes):
        raise _Wrong("two classes are the same")
    return classes


def _kind(file: Mapping[str, Any], classes: int) -> str:
    kind = file.get("kind")
    fits = {"logistic": classes == 2, "hinge": classes == 2, "absolute": classes == 0, "ridge": classes == 0, "multinomial": classes >= 2, "mlp": True}
    if kind in ("mean", "histogram"):
        raise _Wrong(f"a {kind} predicts nothing", "train a model with labels: logistic, hinge, multinomial, mlp, ridge or absolute")
    if not isinstance(kind, str) or kind not in fits:
        raise _Wrong(f"a model of kind {kind!r} is not known here", "predict with the program: hearsay predict MODEL --data F.csv --out P.csv")
    if not fits[kind]:
        raise _Wrong(f"a model of kind {kind!r} with {classes} classes")
    return kind


def _categories(file: Mapping[str, Any]) -> Dict[str, Tuple[str, ...]]:
    found: Dict[str, Tuple[str, ...]] = {}
    for column, values in _object(file, "categories").items():
        if not isinstance(values, list) or not values or len(values) > MOST_FEATURES or not all(isinstance(v, str) for v in values) or len(set(values)) != len(values):
            raise _Wrong(f"the categories of {column!r} are no list of texts, each once")
        found[column] = tuple(values)
    return found


def _columns(features: Tuple[str, ...], categories: Mapping[str, Tuple[str, ...]], target: str) -> Tuple[str, ...]:
    """The columns that a table must have: a text column stands for its features."""
    owner: Dict[str, str] = {}
    for column, values in categories.items():
        for value in values:
            feature = f"{column}={value}"
            if feature in owner:
                raise _Wrong(f"columns {owner[feature]!r} and {column!r} both have a category {feature!r}")
            owner[feature] = column
    if any(feature in categories and feature not in owner for feature in features):
        raise _Wrong("a text column is a feature too")
    columns = tuple(dict.fromkeys(owner.get(feature, feature) for feature in features))
    expected = sum(len(categories[c]) if c in categories else 1 for c in columns)
    if not features or len(set(features)) != len(features) or expected != len(features) or set(categories) - set(columns):
        raise _Wrong("the features are not those of columns, each once")
    if target in columns or "" in columns:
        raise _Wrong("a feature is the target, or has no name")
    return columns


def _fill(file: Mapping[str, Any], columns: Tuple[str, ...], categories: Mapping[str, Tuple[str, ...]]) -> Dict[str, str]:
    fill = _object(file, "fill")
    for column, value in fill.items():
        if column not in columns or not isinstance(value, str):
            raise _Wrong(f"{column!r} is filled, and is no column")
        known = category_of(categories[column], value) >= 0 if column in categories else finite(value) is not None
        if not known:
            raise _Wrong(f"{column!r} is filled with {value!r}")
    return dict(fill)


def _scalings(file: Mapping[str, Any], features: Tuple[str, ...]) -> Tuple[Scaling, ...]:
    columns = _list(file, "columns")
    if columns and len(columns) != len(features):
        raise _Wrong(f"{len(columns)} columns are scaled, of {len(features)} features")
    scalings = tuple(_scaling(c) for c in columns)
    for scaling, feature in zip(scalings, features):
        if scaling.name != feature:
            raise _Wrong(f"column {scaling.name!r} stands where feature {feature!r} does")
    return scalings


def _scaling(of: Any) -> Scaling:
    if not isinstance(of, dict) or not isinstance(of.get("name"), str):
        raise _Wrong("a column is no object with a name")
    limit = math.inf if of.get("limit", 0) is None else of.get("limit", 0)
    shift, factor = of.get("shift", 0), of.get("factor", 0)
    if not all(_is_number(x) for x in (shift, factor, limit)) or not limit > 0:
        raise _Wrong(f"column {of['name']!r} is scaled by {shift!r} and {factor!r}, limited to {limit!r}")
    return Scaling(of["name"], float(shift), float(factor), float(limit))


def _label(file: Mapping[str, Any]) -> Optional[Scaling]:
    if file.get("label") is None:
        return None
    label = _scaling(file["label"])
    if label.factor == 0:
        raise _Wrong("the label was constant when the model was trained", "train on labels that differ")
    return label


def _unit_norm(file: Mapping[str, Any]) -> bool:
    norm = file.get("row_norm")
    if norm is not None and (not _is_number(norm) or norm != 1):
        raise _Wrong(f"rows of norm {norm!r}")
    return norm is not None


def _parameters(file: Mapping[str, Any], trial: int) -> Mapping[str, Any]:
    """The object that holds the parameters of a trial."""
    trials = _list(file, "trials")
    if isinstance(trial, bool) or not isinstance(trial, int) or not 0 <= trial < max(1, len(trials)):
        raise _Wrong(f"there is no trial {trial!r} among {max(1, len(trials))}", f"give a number from 0 to {max(0, len(trials) - 1)}")
    if not trials:
        return file
    if not isinstance(trials[trial], dict):
        raise _Wrong(f"trial {trial} is no object")
    chosen: Dict[str, Any] = trials[trial]
    return chosen


def _layers(file: Mapping[str, Any], kind: str, classes: int, features: Tuple[str, ...], of: Mapping[str, Any]) -> Tuple[Layer, ...]:
    """The parameters as layers; a linear model is one of one unit."""
    intercept = file.get("with_intercept")
    if not isinstance(intercept, bool):
        raise _Wrong("with_intercept is neither true nor false")
    hidden = file.get("hidden") or []
    if not isinstance(hidden, list) or (kind == "mlp") != (len(hidden) > 0) or len(hidden) > MOST_LAYERS or hidden and file.get("activation") != "tanh":
        raise _Wrong(f"hidden layers {hidden!r} of {file.get('activation')!r}")
    if any(isinstance(w, bool) or not isinstance(w, int) or not 1 <= w <= MOST_UNITS for w in hidden):
        raise _Wrong(f"hidden layers of {hidden!r} units")
    widths = [len(features), *hidden, max(1, classes) if kind in LAYERED else 1]
    want = sum(a * b + (b if intercept else 0) for a, b in zip(widths, widths[1:]))
    if want > MOST_PARAMETERS:
        raise _Wrong(f"{want} parameters", f"at most {MOST_PARAMETERS} can be read")
    theta = _in_order(of, features, want, intercept)
    layers: List[Layer] = []
    for inputs, units in zip(widths, widths[1:]):
        end = inputs * units
        weights = tuple(theta[k : k + inputs] for k in range(0, end, inputs))
        layers.append(Layer(weights, theta[end : end + units] if intercept else None))
        theta = theta[end + units if intercept else end :]
    return tuple(layers)


def _in_order(of: Mapping[str, Any], features: Tuple[str, ...], want: int, intercept: bool) -> Tuple[float, ...]:
    """The parameters in the order of the features, want of them."""
    named, values = of.get("coefficients"), of.get("parameters")
    if named is None:
        if not isinstance(values, list) or len(values) != want:
            raise _Wrong(f"{len(values) if isinstance(values, list) else 'no'} parameters where the model has {want}")
        ordered = values
    else:
        if not isinstance(named, dict) or len(named) != len(features) or values is not None or (of.get("intercept") is not None) != (want == len(features) + 1):
            raise _Wrong(f"coefficients that are not those of {want} parameters")
        missing = [name for name in features if name not in named]
        if missing:
            raise _Wrong(f"feature {missing[0]!r} has no coefficient")
        ordered = [named[name] for name in features] + ([of["intercept"]] if of.get("intercept") is not None else [])
    if len(ordered) != want:
        raise _Wrong(f"{len(ordered)} parameters where the model has {want}")
    if not all(_is_number(v) and math.isfinite(v) for v in ordered):
        raise _Wrong("a parameter is not a number", "the run that trained the model diverged, or " + CHANGED)
    return tuple(float(v) for v in ordered)


def _text(file: Mapping[str, Any], key: str) -> str:
    if not isinstance(file.get(key), str):
        raise _Wrong(f"{key} is {file.get(key)!r}, where a text should be")
    return str(file[key])


def _list(file: Mapping[str, Any], key: str) -> List[Any]:
    value = file.get(key)
    if value is not None and not isinstance(value, list):
        raise _Wrong(f"{key} is no list")
    return value or []


def _texts(file: Mapping[str, Any], key: str, most: int) -> Tuple[str, ...]:
    values = _list(file, key)
    if len(values) > most or not all(isinstance(v, str) for v in values):
        raise _Wrong(f"{key} is no list of at most {most} texts")
    return tuple(values)


def _object(file: Mapping[str, Any], key: str) -> Dict[str, Any]:
    value = file.get(key)
    if value is not None and not isinstance(value, dict):
        raise _Wrong(f"{key} is no object")
    return value or {}


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value
