"""Models of runs as estimators of scikit-learn, which works without scikit-learn too.

They are trained already, so that they stand at the end of a Pipeline, are cloned and scored without ``fit``, which refuses rows:
``cross_val_score`` would score rows that nodes have trained on. Predictions are those of ``hearsay predict``.
"""

from __future__ import annotations

import inspect
from typing import Any, Dict, List, Optional

from . import _cells
from ._files import PathLike
from .errors import FileError, HearsayError
from .model import Model

numpy: Any
try:
    import numpy
except ImportError:
    numpy = None

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
except ImportError:

    class BaseEstimator:  # type: ignore[no-redef]
        """What of scikit-learn's class is needed without it."""

        def get_params(self, deep: bool = True) -> Dict[str, Any]:
            """The parameters by name."""
            return {name: getattr(self, name) for name in inspect.signature(type(self).__init__).parameters if name != "self"}

        def set_params(self, **params: Any) -> Any:
            """Sets parameters by name."""
            for name, value in params.items():
                if name not in self.get_params():
                    raise ValueError(f"there is no parameter {name!r}")
                setattr(self, name, value)
            return self

    class ClassifierMixin:  # type: ignore[no-redef]
        """Marks a classifier."""

        _estimator_type = "classifier"

    class RegressorMixin:  # type: ignore[no-redef]
        """Marks a regression."""

        _estimator_type = "regressor"


class _Trained(BaseEstimator):  # type: ignore[misc]
    """What both have: a model that is read when it is first needed.

    model: a model.json, or the folder of a result or of a participant that holds one. trial: which of several.
    """

    _classifies: bool

    def __init__(self, model: Optional[PathLike] = None, trial: int = 0) -> None:
        self.model = model
        self.trial = trial

    def fit(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> Any:
        """Reads the model again. Rows are refused: the model is trained already, and they would change nothing."""
        if X is not None or y is not None:
            raise HearsayError(f"fit: {type(self).__name__} is trained already, and another fit changes nothing, so that cross-validation scores rows of its training",
                               "leave fit out, and call score(X, y) on rows that no node held; hearsay.run trains anew")
        self._read()
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def _more_tags(self) -> Dict[str, Any]:
        return {"allow_nan": True, "X_types": ["2darray", "string", "categorical"], "no_validation": True}

    def _read(self) -> Model:
        """Reads the model and sets what scikit-learn looks for."""
        if self.model is None:
            raise FileError("no model given", "name a model.json or the folder of a result: Classifier(model=...)")
        found = Model.open(self.model, self.trial)
        if (len(found.classes) > 0) != self._classifies:
            raise FileError(f"a model of kind {found.kind!r} that predicts {'numbers' if self._classifies else 'classes'}",
                            f"use hearsay.{'Regressor' if self._classifies else 'Classifier'}")
        self._trained, self._from = found, (self.model, self.trial)
        return found

    @property
    def trained_(self) -> Model:
        """The model itself."""
        if self.model is None:
            raise AttributeError("no model given: Classifier(model=...)")
        if getattr(self, "_from", None) != (self.model, self.trial):
            return self._read()
        return self._trained

    @property
    def n_features_in_(self) -> int:
        """How many columns a table has."""
        return len(self.trained_.columns)

    @property
    def feature_names_in_(self) -> Any:
        """The columns of a table."""
        return _array(list(self.trained_.columns), object)

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(self.__dict__)
        for name in ("_trained", "_from"):
            state.pop(name, None)  # the file is read again
        return state


class Classifier(ClassifierMixin, _Trained):  # type: ignore[misc]
    """A classifier of a run: logistic, hinge, multinomial or mlp.

    >>> Classifier("out/").predict_proba(rows)                                         # doctest: +SKIP

    Rows are as :class:`hearsay.Model` takes them. A row with a gap that nothing stands for is predicted as None, its
    probabilities as NaN, where the model was trained by ``missing: drop``.
    """

    _classifies = True

    @property
    def classes_(self) -> Any:
        """The classes in ascending order, as scikit-learn has them: whole numbers where all are called so, else texts."""
        labels = self._labels()
        return _array([labels[k] for k in self._order()])

    def predict(self, X: Any) -> Any:
        """The class of every row."""
        named = dict(zip(self.trained_.classes, self._labels()))
        found = [None if label is None else named[label] for label in self.trained_.predict(X).label]
        return _array(found, object if None in found else None)

    def predict_proba(self, X: Any) -> Any:
        """The probabilities of the classes, a row for each row, in the order of classes_."""
        order, gap = self._order(), (float("nan"),) * len(self.trained_.classes)
        return _array([[row[k] for k in order] for row in (gap if p is None else p for p in self.trained_.predict(X).probabilities)])

    def predict_log_proba(self, X: Any) -> Any:
        """Their logarithms."""
        import math

        chances = self.predict_proba(X)
        return _array([[math.log(p) if p > 0 else (p if p != p else -math.inf) for p in row] for row in chances])

    def decision_function(self, X: Any) -> Any:
        """Of two classes how much is for the second of classes_; of more the output of each."""
        order, margins = self._order(), self.trained_.predict(X).margin
        if len(order) == 2:
            sign = 1 if order == [0, 1] else -1
            return _array([float("nan") if m is None else sign * m for m in margins])
        gap = [float("nan")] * len(order)
        return _array([[row[k] for k in order] for row in (gap if m is None else m for m in margins)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of labels that are predicted rightly; 1, 1.0 and "1" are the same label."""
        right = [float(_key(a) == _key(b)) for a, b in zip(_listed(self.predict(X)), _listed(y))]
        weights = [1.0] * len(right) if sample_weight is None else [float(w) for w in _listed(sample_weight)]
        return sum(r * w for r, w in zip(right, weights)) / sum(weights)

    def _order(self) -> List[int]:
        """The places of the classes in ascending order among those of the file."""
        labels = self._labels()
        return sorted(range(len(labels)), key=labels.__getitem__)

    def _labels(self) -> List[Any]:
        """The classes as values, in the order of the file."""
        names = self.trained_.classes
        whole = all(name.lstrip("-").isdecimal() and len(name) < 18 and str(int(name)) == name for name in names)
        return [int(name) if whole else name for name in names]


class Regressor(RegressorMixin, _Trained):  # type: ignore[misc]
    """A regression of a run: ridge, absolute or mlp. Numbers are in the label's own unit.

    A row with a gap that nothing stands for is predicted as NaN, where the model was trained by ``missing: drop``.
    """

    _classifies = False

    def predict(self, X: Any) -> Any:
        """The number of every row."""
        return _array([float("nan") if v is None else v for v in self.trained_.predict(X).value])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R squared: 1 less the squared errors over those of always answering the mean."""
        truth = [float(v) for v in _listed(y)]
        weights = [1.0] * len(truth) if sample_weight is None else [float(w) for w in _listed(sample_weight)]
        mean = sum(w * t for w, t in zip(weights, truth)) / sum(weights)
        wrong: float = sum(w * (t - p) ** 2 for w, t, p in zip(weights, truth, _listed(self.predict(X))))
        spread: float = sum(w * (t - mean) ** 2 for w, t in zip(weights, truth))
        return 1 - wrong / spread if spread else float(wrong == 0)


def _array(values: List[Any], kind: Any = None) -> Any:
    """An array of numpy, or without it the list."""
    return values if numpy is None else numpy.array(values, dtype=kind)


def _listed(values: Any) -> List[Any]:
    return list(values.tolist() if hasattr(values, "tolist") else values)


def _key(label: Any) -> Any:
    return _cells.class_key(_cells.field_of(label))
