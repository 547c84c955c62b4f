"""Folders that runs and sweeps write, read as tables and values (docs/RESULTS.md says what each file has)."""

from __future__ import annotations

import html
import io
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

from . import _files
from .claims import Claim, Loss, checked_status, shown, word
from .errors import FileError

if TYPE_CHECKING:
    from .model import Model

_TEXT = {"nodes": ("name", "accountant"), "metrics": (), "privacy": (), "privacy_by_distance": ()}


def read(path: _files.PathLike) -> "Result":
    """The result in a folder that ``hearsay run --out`` or :func:`hearsay.run` wrote."""
    return Result(path)


def read_sweep(path: _files.PathLike) -> "Sweep":
    """The sweep in a folder that ``hearsay sweep --out`` or :func:`hearsay.sweep` wrote."""
    return Sweep(path)


class Result:
    """One run. Its files are read when they are first asked for.

    Tables are pandas data frames where pandas is installed, else lists of dictionaries; ``rows(NAME)`` is always the latter.
    """

    def __init__(self, path: _files.PathLike) -> None:
        self.path: Path = _files.name_of(path)
        self.result: Dict[str, Any] = _files.read_json(self.path / "result.json")

    @property
    def name(self) -> str:
        """The name of the spec."""
        return word(self.result, "name")

    @property
    def spec(self) -> Dict[str, Any]:
        """The spec as it was resolved."""
        return _mapping(self.result, "spec")

    @property
    def final(self) -> Dict[str, Any]:
        """Scores of the released model: losses, accuracy, classification or regression."""
        return _mapping(self.result, "final")

    @property
    def claim(self) -> Claim:
        """What all pairs lose, with status, unit and metric."""
        return Claim.of(_mapping(self.result, "privacy"))

    @cached_property
    def metrics(self) -> Any:
        """metrics.csv: the curves, a row a point."""
        return self.table("metrics")

    @cached_property
    def privacy(self) -> Any:
        """privacy.csv: what node v learns about node u, a row a pair. ``columns()`` says what its columns are."""
        return self.table("privacy")

    @cached_property
    def privacy_by_distance(self) -> Any:
        """privacy_by_distance.csv: the same by distance in hops."""
        return self.table("privacy_by_distance")

    @cached_property
    def nodes(self) -> Any:
        """nodes.csv: names, and what each node loses most and towards whom."""
        return self.table("nodes")

    @property
    def trials(self) -> Any:
        """A row a trial: its number, its seed and its scores."""
        rows: _files.Rows = []
        for k, trial in enumerate(_list(self.result, "trials")):
            final = trial.get("final") if isinstance(trial, dict) else None
            if not isinstance(final, dict):
                raise FileError(f"trial {k} of result.json has no final", "take the original file")
            rows.append({"trial": k, "seed": _seed(word(trial, "seed")), **{key: v for key, v in final.items() if v is None or isinstance(v, (int, float))}})
        return _files.frame(rows)

    @cached_property
    def model(self) -> "Model":
        """model.json: the model of the first trial; :class:`hearsay.Model` opens others."""
        from .model import Model

        return Model.open(self.path)

    def table(self, name: str) -> Any:
        """A table by its name, which is that of the file."""
        return _files.frame(self.rows(name))

    def rows(self, name: str) -> _files.Rows:
        """A table as a list of dictionaries. Losses without bound are inf, cells that nobody priced None."""
        if name not in _TEXT:
            raise FileError(f"a result has no table {name!r}", "it has " + ", ".join(sorted(_TEXT)))
        return _files.read_csv(self.path / f"{name}.csv", _TEXT[name])

    def columns(self) -> List[Dict[str, Any]]:
        """What the columns of :attr:`privacy` are: name, accountant, status and assumptions of each."""
        found = self._pairs.get("columns")
        if not isinstance(found, list) or not all(isinstance(c, dict) for c in found):
            raise FileError(f"{self.path / 'privacy.json'} does not say what its columns are", "take the original file")
        for column in found:
            checked_status(column.get("status"))
        return found

    def pair(self, about: Union[int, str], observer: Union[int, str]) -> Loss:
        """What ``observer`` learns about ``about`` by the run's own accountant; both by name or by number from 0.

        Of large runs only the worst pairs are listed: FileError for others, which ``hearsay.privacy.pair`` prices.
        """
        u, v = self._node(about), self._node(observer)
        claim, first = self.claim, self.columns()[0]
        name = word(first, "name")
        row = self._listed.get((u, v))
        if row is None or name not in row:
            raise FileError(f"{self.path / 'privacy.csv'} does not list the pair {about}, {observer}",
                            "ask hearsay.privacy.pair(spec, about, observer), which prices it")
        local = next((row.get(c["name"]) for c in self.columns() if c.get("accountant") == "local"), None)
        names = self._names
        return Loss(about=names[u], observer=names[v], epsilon=row[name], delta=claim.delta, metric=claim.metric, status=checked_status(first.get("status")),
                    unit=claim.unit, accountant=word(first, "accountant"), assumptions=tuple(str(a) for a in first.get("assumptions") or ()), local=local)

    def matrix(self, accountant: Optional[str] = None, *, delta: Optional[float] = None, order: Optional[float] = None) -> Any:
        """Losses of all pairs as a numpy array: row u, column v is what node v learns about node u; nan where a pair was not priced.

        By the run's own accountant unless another one is named; :meth:`columns` says which there are and of what status. In the spec's metric
        unless one of its ``report.deltas`` or ``report.orders`` is asked for.
        """
        import numpy

        column = next((c for c in self.columns() if accountant in (None, c.get("accountant"), c.get("name"))), None)
        if column is None:
            raise FileError(f"no accountant is called {accountant!r}", "there are " + ", ".join(word(c, "accountant") for c in self.columns()))
        if delta is not None or order is not None:
            also = column.get("also") or []
            found = next((a for a in also if isinstance(a, dict) and (a.get("delta"), a.get("order")) == (delta, order)), None)
            if found is None:
                raise FileError(f"{word(column, 'accountant')} says nothing at delta {delta}, order {order}",
                                "there are " + (", ".join(word(a, "name") for a in also) or "none: give the spec report: {deltas: [1.0e-9]}"))
            column = found
        path = self.path / "privacy.npz"
        with numpy.load(io.BytesIO(_files.read_bytes(path, _files.MOST_TABLE)), allow_pickle=False) as arrays:
            name = word(column, "name")
            if name not in arrays.files:
                raise FileError(f"{path} has no {name}", "take the original file; above 4096 nodes there is none")
            return arrays[name]

    def plot(self, ax: Any = None) -> Any:
        """Draws the curve of scores over steps on axes of matplotlib, which are made where none are given, and returns them."""
        rows = self.rows("metrics")
        key = "test_accuracy" if any(row.get("test_accuracy_mean") is not None for row in rows) else "train_loss"
        points = [row for row in rows if row.get(key + "_mean") is not None]
        ax = _axes(ax)
        ax.plot([row["step"] for row in points], [row[key + "_mean"] for row in points], label=self.name)
        ax.set_xlabel("step")
        ax.set_ylabel(key.replace("_", " "))
        return ax

    def _repr_html_(self) -> str:
        """What notebooks show: scores, and the losses with what they mean."""
        claim = self.claim
        rows = [("name", self.name), *((key.replace("_", " "), f"{value:.4g}") for key, value in self.final.items() if isinstance(value, float)),
                ("mean loss", f"{shown(claim.mean, claim.mean_status)}, {claim.status}"), ("worst pair", shown(claim.max, claim.status)), ("of", claim.metric),
                ("unit", claim.unit), ("final model covered", "yes" if claim.model_charged else "no"), ("accountant", claim.accountant)]
        if claim.status == "sound if" and claim.assumptions:
            rows.append(("sound if", claim.assumptions[0]))
        return "<table>" + "".join(f"<tr><th>{html.escape(key)}</th><td>{html.escape(value)}</td></tr>" for key, value in rows) + "</table>"

    @property
    def page(self) -> Path:
        """The page of the run."""
        return self.path / "report.html"

    def __repr__(self) -> str:
        final = self.final
        scores = [f"{key.replace('_', ' ')} {final[key]:.4g}" for key in ("test_accuracy", "test_loss", "train_loss") if isinstance(final.get(key), float)]
        return f"<hearsay.Result {self.name!r}: {', '.join(scores[:2])}; {self.claim}>"

    @cached_property
    def _pairs(self) -> Dict[str, Any]:
        return _files.read_json(self.path / "privacy.json")

    @cached_property
    def _names(self) -> Dict[int, str]:
        rows = self.rows("nodes")
        if any(row.get("node") != k for k, row in enumerate(rows)):
            raise FileError(f"{self.path / 'nodes.csv'} does not number the nodes from 0", "take the original file")
        return {k: word(row, "name") for k, row in enumerate(rows)}

    @cached_property
    def _listed(self) -> Dict[Any, Dict[str, Any]]:
        return {(row.get("u"), row.get("v")): row for row in self.rows("privacy")}

    def _node(self, node: Union[int, str]) -> int:
        return find_node(self._names, node)


def find_node(names: Dict[int, str], node: Union[int, str]) -> int:
    """The number of a node by its name or, where no node is called so, by its number."""
    called = [number for number, name in names.items() if name == str(node)] if not isinstance(node, int) else []
    if len(called) == 1:
        return called[0]
    if not called and str(node).isdecimal() and int(node) in names:
        return int(node)
    raise FileError(f"no node is called {node!r}", f"give a name, or a number from 0 to {len(names) - 1}")


class Sweep:
    """Runs over a grid of settings: a row a cell."""

    def __init__(self, path: _files.PathLike) -> None:
        self.path: Path = _files.name_of(path)
        self.rows: _files.Rows = _files.read_csv(self.path / "sweep.csv", ("accountant", "status", "unit", "observer", "metric", "score_is", "varies", "error"))
        for row in self.rows:
            if not row.get("error"):
                checked_status(row.get("status"))

    @cached_property
    def table(self) -> Any:
        """All cells: the keys that vary, scores, losses with status, unit and metric, whether no other is better in both, errors."""
        return _files.frame(self.rows)

    @property
    def frontier(self) -> Any:
        """The cells of which no other loses less and scores as well, by their mean loss."""
        best = sorted((row for row in self.rows if row.get("best") is True), key=lambda row: float(row["mean_loss"]))
        return _files.frame(best)

    def results(self) -> List[Tuple[Dict[str, str], Dict[str, Any]]]:
        """What the cells came to: of each that is kept, what was set, and all that a run's result.json has."""
        found = []
        for path in sorted((self.path / "cells").glob("*.json")):
            cell = _files.read_json(path)
            settings = dict(str(setting).split("=", 1) for setting in _list(cell, "settings") if "=" in str(setting))
            found.append((settings, _mapping(cell, "result")))
        return found

    def plot(self, ax: Any = None, by: Optional[str] = None) -> Any:
        """Draws scores over mean losses on axes of matplotlib, with the 95 % intervals of repeats, a curve for each value of ``by``, and returns them."""
        ax = _axes(ax)
        good = [row for row in self.rows if not row.get("error")]
        for value in dict.fromkeys(str(row.get(by)) if by else "" for row in good):
            own = sorted((row for row in good if not by or str(row.get(by)) == value), key=lambda row: float(row["mean_loss"]))
            y = [row["score"] for row in own]
            bars = [[row["score"] - (row["score"] if row.get("score_low") is None else row["score_low"]) for row in own],
                    [(row["score"] if row.get("score_high") is None else row["score_high"]) - row["score"] for row in own]]
            ax.errorbar([row["mean_loss"] for row in own], y, yerr=bars, marker="o", capsize=2, label=value)
        kinds = {tuple(str(row.get(key)) for key in ("metric", "status", "unit", "observer", "covers_model")) for row in good}
        ax.set_xlabel("mean privacy loss" + (", " + next(iter(kinds))[0] if len(kinds) == 1 else ", of several kinds"))
        ax.set_ylabel(str(good[0]["score_is"]).replace("_", " ") if good else "score")
        return ax

    @property
    def failed(self) -> _files.Rows:
        """The cells that failed; each says why under ``error``."""
        return [row for row in self.rows if row.get("error")]

    @property
    def page(self) -> Path:
        """The page of the sweep."""
        return self.path / "index.html"

    def __repr__(self) -> str:
        return f"<hearsay.Sweep {str(self.path)!r}: {len(self.rows)} cells, {len(self.failed)} failed>"


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots()[1]


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 20):
        raise FileError(f"a seed is {text[:40]!r}", "take the original file")
    return int(text)


def _list(of: Dict[str, Any], key: str) -> List[Any]:
    value: Optional[Any] = of.get(key)
    if not isinstance(value, list):
        raise FileError(f"result.json has no {key}", "take the original file")
    return value


def _mapping(of: Dict[str, Any], key: str) -> Dict[str, Any]:
    value: Optional[Any] = of.get(key)
    if not isinstance(value, dict):
        raise FileError(f"result.json has no {key}", "take the original file")
    return value
