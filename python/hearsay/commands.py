"""Runs, sweeps and plans, by the program."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, TypeVar, Union

from . import _files, _objects, _program, _yaml
from .claims import Claim, Loss, checked_status, loss, number, word
from .errors import FileError, HearsayError, SweepError
from .results import Result, Sweep

Spec = Union[_files.PathLike, Mapping[str, Any]]
"""A spec's file, or what stands in it as a dictionary; paths in that are relative to the current folder.

In place of a graph's file there may be a graph of networkx or a symmetric matrix of numpy or scipy, and in place of ``data``, or of its
``path``, a data frame of pandas. They become files for as long as the program runs."""


def run(spec: Spec, *, set: _yaml.Settings = None, out: Optional[_files.PathLike] = None, cache: Optional[_files.PathLike] = None,
        progress: _program.Progress = None, timeout: Optional[float] = None, model: Optional[str] = None, on_score: _program.OnScore = None) -> Result:
    """Simulates a federation: ``hearsay run``.

    ``set`` is laid over the spec: ``{"privacy.sigma": 3, "graph": "ring:16"}``. ``out`` is the folder of the result; without
    one it lasts as long as what is returned. ``progress=True`` shows what the program says, a function is given each line.
    ``model`` is the program that answers for an external model, or ``unix:PATH`` of one that runs; :func:`hearsay.train` is both in one.
    ``on_score(trial, step, scores)`` is called for every point of a trial's curve as it appears: ``scores`` has those of ``train_loss``,
    ``test_loss`` and ``test_accuracy`` that exist, and the last of a trial are its result. Trials run side by side, each in its order. An
    exception in it ends the run, and is raised.
    Ctrl-C ends the program and leaves nothing half written. HearsayError carries its error and its hint.
    """
    with _folder(out) as folder, spec_file(spec) as path, _laid(set) as set:
        arguments = ["run", path, "--out", str(folder), *_cache(cache), *_model(model), *_yaml.settings("set", set), *(["--scores"] if on_score else [])]
        _program.execute(arguments, progress, timeout, on_score=on_score)
        return _lasting(Result(folder), out)


def sweep(spec: Spec, *, vary: Mapping[str, Any], set: _yaml.Settings = None, out: Optional[_files.PathLike] = None, workers: Optional[int] = None,
          cache: Optional[_files.PathLike] = None, progress: _program.Progress = None, timeout: Optional[float] = None, errors: str = "raise",
          model: Optional[str] = None, repeat: Optional[int] = None,
          figure: Union[None, _files.PathLike, Sequence[_files.PathLike]] = None) -> Sweep:
    """Runs a spec over a grid of settings: ``hearsay sweep``.

    ``vary`` says which values each key takes: ``{"privacy.calibrate": [{"mean": 1}, {"mean": 4}], "graph": ["ring:16", "hypercube:4"]}``,
    or ``{"privacy.sigma": {"from": 1, "to": 16, "count": 5, "scale": "log"}}``. Cells that ``out`` has are not run again, so
    that the same call goes on after an interruption. ``repeat=10`` runs every setting with ten seeds: a row is their mean. ``figure`` is a file,
    or several, for the curves: .pdf, .svg, .pgf or .csv. Cells that fail raise a SweepError that has all rows; ``errors="keep"``
    leaves them in the table.
    """
    if errors not in ("raise", "keep"):
        raise HearsayError(f"errors={errors!r}", 'give "raise" or "keep"')
    with _folder(out) as folder, spec_file(spec) as path, _laid(set) as set, _objects.held() as held:
        fields = {key: [values] if isinstance(values, str) else [held.value(key, one) for one in values] if isinstance(values, (list, tuple)) else values
                  for key, values in vary.items()}
        arguments = [*_cache(cache), *_model(model), *_yaml.settings("vary", fields), *_yaml.settings("set", set)]
        for flag, given in (("--workers", workers), ("--repeat", repeat)):
            if given is not None:
                arguments += [flag, str(given)]
        for file in [figure] if isinstance(figure, (str, os.PathLike)) else figure or []:
            arguments += ["--figure", os.fspath(file)]
        before = _stamp(folder / "sweep.csv")
        code, _, said = _program.execute(["sweep", path, "--out", str(folder), *arguments], progress, timeout, accept=(0, 1))
        if code == 1 and _stamp(folder / "sweep.csv") == before:
            raise _program.complaint(code, ["sweep"], said.splitlines())
        swept = Sweep(folder)
        if swept.failed and errors == "raise":
            raise SweepError(f"{len(swept.failed)} of {len(swept.rows)} cells failed: {swept.failed[0]['error']}",
                             'look at the rows of this exception, or keep failed cells in the table by errors="keep"', swept.rows)
        return _lasting(swept, out)


class Plan:
    """What a run would lose, reach and cost: ``result`` is all that ``hearsay plan --json`` says."""

    def __init__(self, result: Dict[str, Any]) -> None:
        self.result = result

    @property
    def claim(self) -> Claim:
        """What all pairs would lose, with status, unit and metric. Of a simulation; a federation's plan says it participant by participant."""
        privacy = self.result.get("privacy")
        if not isinstance(privacy, dict):
            raise FileError("this plan is one participant's", "look at its losses")
        return Claim.of(privacy)

    @property
    def losses(self) -> List[Loss]:
        """Of a federation: what each other participant could learn about the one who asks, with status and unit."""
        of = self.result
        towards = of.get("towards")
        if not isinstance(towards, list):
            raise FileError("this plan is a simulation's", "look at its claim, or ask hearsay.privacy.pair about a pair")
        delta = number(of, "delta")
        return [Loss(about=word(of, "participant"), observer=word(v, "name"), epsilon=loss(v.get("epsilon")), delta=delta, metric=f"epsilon at delta {delta:g}",
                     status=checked_status(of.get("status")), unit=word(of, "unit"), accountant=word(of, "accountant"),
                     assumptions=tuple(str(a) for a in of.get("assumptions") or ()), local=loss(of.get("local_epsilon"))) for v in towards]

    @property
    def by_distance(self) -> Any:
        """Losses by distance in hops, a row an accountant and a distance."""
        return _files.frame(self.result.get("pairs") or [])

    @property
    def nodes(self) -> Any:
        """What each node would lose most, towards whom, and what it would learn about whom."""
        of = (self.result.get("privacy") or {}).get("nodes") or {}
        return _files.frame([{**row, "accountant": of.get("accountant"), "status": of.get("status")} for row in of.get("each") or []])

    def __repr__(self) -> str:
        if "towards" in self.result:
            return f"<hearsay.Plan of {self.result.get('participant')} in {self.result.get('federation')!r}: {'; '.join(str(one) for one in self.losses)}>"
        return f"<hearsay.Plan {self.result.get('name')!r}{': ' + str(self.claim) if isinstance(self.result.get('privacy'), dict) else ''}>"


def plan(spec: Spec, *, set: _yaml.Settings = None, name: Optional[str] = None, policy: Optional[_files.PathLike] = None, cache: Optional[_files.PathLike] = None,
         progress: _program.Progress = None, timeout: Optional[float] = None) -> Plan:
    """Says what every pair would lose before anything runs: ``hearsay plan``.

    Of a federation ``name`` is the participant who asks, and ``policy`` the file of what it accepts: a plan that is more
    than that is a HearsayError which says what exceeds what.
    """
    arguments: List[str] = _cache(cache)
    for flag, value in (("--name", name), ("--policy", policy)):
        if value is not None:
            arguments += [flag, os.fspath(value)]
    with spec_file(spec) as path, _laid(set) as set:
        arguments += _yaml.settings("set", set)
        answer = _program.call_json(["plan", path, *arguments], progress, timeout)
    if not isinstance(answer, dict):
        raise HearsayError("hearsay plan answered with no object", "name another program in the environment as HEARSAY")
    return Plan(answer)


def call(*arguments: Union[str, _files.PathLike], progress: _program.Progress = None, timeout: Optional[float] = None) -> Any:
    """What any other command answers: ``call("graph", "info", "ring:8")`` is the JSON of ``hearsay graph info ring:8 --json``."""
    return _program.call_json([os.fspath(a) for a in arguments], progress, timeout)


@contextlib.contextmanager
def spec_file(spec: Spec) -> Iterator[str]:
    """The path of a spec. A dictionary becomes a file in the current folder, which is gone afterwards."""
    if not isinstance(spec, Mapping):
        yield _path(spec)
        return
    with _objects.held() as held:
        with _written(held.spec(spec)) as path:
            yield path


@contextlib.contextmanager
def _written(spec: Mapping[str, Any]) -> Iterator[str]:
    try:
        handle, path = tempfile.mkstemp(prefix=".hearsay-", suffix=".yaml", dir=os.getcwd())
    except OSError as err:
        raise HearsayError(f"cannot write the spec into the current folder: {err.strerror}", "write it into a file, and give its path") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write("".join(f"{_yaml.text(str(key))}: {_yaml.text(value)}\n" for key, value in spec.items()))
        yield path
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)


@contextlib.contextmanager
def _laid(set: _yaml.Settings) -> Iterator[_yaml.Settings]:
    """What is set over a spec, with paths in place of objects."""
    if not isinstance(set, Mapping):
        yield set
        return
    with _objects.held() as held:
        yield {key: held.value(key, value) for key, value in set.items()}


def _path(path: _files.PathLike) -> str:
    """A path that no program takes for a flag."""
    text = os.fspath(path)
    return os.path.join(os.curdir, text) if text.startswith("-") else text


@contextlib.contextmanager
def _folder(out: Optional[_files.PathLike]) -> Iterator[Path]:
    """The folder of a result; one for now where none is given, which is gone if nothing comes of it."""
    if out is not None:
        yield Path(_path(out))
        return
    top = tempfile.mkdtemp(prefix="hearsay-")
    try:
        yield Path(top) / "result"
    except BaseException:
        shutil.rmtree(top, ignore_errors=True)
        raise


_Found = TypeVar("_Found", Result, Sweep)


def _lasting(found: _Found, out: Optional[_files.PathLike]) -> _Found:
    """What was found; a folder for now goes when it does."""
    if out is None:
        weakref.finalize(found, shutil.rmtree, found.path.parent, ignore_errors=True)
    return found


def _cache(cache: Optional[_files.PathLike]) -> List[str]:
    return [] if cache is None else ["--cache", os.fspath(cache)]


def _model(program: Optional[str]) -> List[str]:
    return [] if program is None else ["--model", program]


def _stamp(path: Path) -> Any:
    try:
        info = path.stat()
    except OSError:
        return None
    return info.st_ino, info.st_mtime_ns, info.st_size
