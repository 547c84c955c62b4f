"""What one node learns about another: priced by the program, returned with status and unit.

``pair`` asks about a spec and knows its model, so that what it says is a bound as it stands. ``walk``, ``gossip``, ``flow``,
``pairwise`` and ``account`` price an algorithm on a graph alone: what they take on your word they say (``sound if``).
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Union

from . import _files, _objects, _program, _yaml
from .claims import Loss, checked_status, loss, number, word
from .commands import Spec, _cache, _laid, spec_file
from .errors import HearsayError

__all__ = ["Explanation", "account", "audit", "claims", "explain", "flow", "gossip", "pair", "pairwise", "walk"]

Node = Union[int, str]


class Explanation:
    """All that ``hearsay privacy explain`` says of a pair: ``loss``, ``text`` for people, and ``result``, the whole answer."""

    def __init__(self, result: Dict[str, Any]) -> None:
        self.result = result

    @property
    def loss(self) -> Loss:
        """The loss of the pair, with status and unit."""
        of = self.result
        why = of.get("why") if isinstance(of.get("why"), dict) else {}
        delta = number(of, "delta")
        local = why.get("local_epsilon") if why else None
        return Loss(about=word(of, "about_name"), observer=word(of, "observer_name"), epsilon=loss(of.get("epsilon")), delta=delta,
                    metric=f"epsilon at delta {delta:g}", status=checked_status(of.get("status")), unit=word(of, "unit"),
                    accountant=word(of, "accountant"), assumptions=tuple(str(a) for a in of.get("assumptions") or ()),
                    local=None if local is None else loss(local))

    @property
    def text(self) -> str:
        """The same in words: odds, what is taken for granted, why, and what would lower it."""
        paragraphs = self.result.get("text") or []
        return "\n\n".join(f"{p.get('heading')}\n{p.get('text')}" for p in paragraphs)

    def __repr__(self) -> str:
        return f"<hearsay.privacy.Explanation {self.loss}>"


def explain(spec: Spec, about: Node, observer: Node, *, set: _yaml.Settings = None, cache: Optional[_files.PathLike] = None,
            progress: _program.Progress = None, timeout: Optional[float] = None) -> Explanation:
    """What ``observer`` could tell about ``about``, both by name or by number from 0, in numbers and in words."""
    arguments = ["--about", str(about), "--observer", str(observer), *_cache(cache)]
    with spec_file(spec) as path, _laid(set) as set:
        answer = _program.call_json(["privacy", "explain", path, *arguments, *_yaml.settings("set", set)], progress, timeout)
    return Explanation(_object(answer, "explain"))


def pair(spec: Spec, about: Node, observer: Node, *, set: _yaml.Settings = None, cache: Optional[_files.PathLike] = None,
         progress: _program.Progress = None, timeout: Optional[float] = None) -> Loss:
    """The loss of a pair: what ``observer`` can learn about ``about``, with its status and unit.

    >>> hearsay.privacy.pair("spec.yaml", about=12, observer=7)                         # doctest: +SKIP
    Loss(about='node 12', observer='node 7', epsilon=6.76, ..., status='sound', unit='participant', accountant='path')
    """
    return explain(spec, about, observer, set=set, cache=cache, progress=progress, timeout=timeout).loss


def account(kind: str, *, progress: _program.Progress = None, timeout: Optional[float] = None, **flags: Any) -> Dict[str, Any]:
    """``hearsay privacy KIND --flag value ... --json``: flags as ``hearsay privacy KIND --help`` has them, ``_`` for ``-``.

    True stands for a flag without value, None and False for none, a list for values with commas. Every accountant in the
    answer has its ``status``, ``unit`` and ``assumptions``. ``graph`` may be one of networkx, or a matrix, as in a spec.
    """
    arguments = ["privacy", kind]
    with _objects.held() as held:
        for flag, value in flags.items():
            name, value = "--" + flag.replace("_", "-"), held.value(flag, value)
            if value is None or value is False:
                continue
            text = ",".join(str(v) for v in value) if isinstance(value, (list, tuple)) else str(value)
            arguments.append(name if value is True else f"{name}={text}")
        return _object(_program.call_json(arguments, progress, timeout), kind)


def audit(spec: Spec, about: Node, observer: Node, *, runs: int = 1000, confidence: float = 0.99, set: _yaml.Settings = None,
          cache: Optional[_files.PathLike] = None, progress: _program.Progress = None, timeout: Optional[float] = None) -> Dict[str, Any]:
    """``hearsay privacy audit``: what an attack proves that ``observer`` learns about ``about``, beside what accountants say.

    Every accountant in the answer has its ``status`` and ``eps``; that of ``audit`` is a lower bound, which holds with the confidence.
    One that is above a sound bound is a HearsayError.
    """
    arguments = ["--about", str(about), "--observer", str(observer), "--runs", str(runs), "--confidence", str(confidence), *_cache(cache)]
    with spec_file(spec) as path, _laid(set) as set:
        return _object(_program.call_json(["privacy", "audit", path, *arguments, *_yaml.settings("set", set)], progress, timeout), "audit")


def claims(spec: Spec, claims: Any, *, runs: int = 0, confidence: float = 0.99, set: _yaml.Settings = None, cache: Optional[_files.PathLike] = None,
           progress: _program.Progress = None, timeout: Optional[float] = None) -> Any:
    """``hearsay privacy claims``: holds claims (u, v, epsilon, delta) against the run of a spec, each proved, refuted or open.

    ``claims`` is a data frame or a list of dictionaries with these keys, or a file. What comes back is a row a claim, with its
    ``verdict``, the least ``sound`` bound with the accountant that has it, and what an attack has shown at least.
    """
    arguments = ["--runs", str(runs), "--confidence", str(confidence), *_cache(cache), "--json"]
    with spec_file(spec) as path, _laid(set) as set, _objects.held() as held:
        code, data, said = _program.execute(["privacy", "claims", path, held.table(claims), *arguments, *_yaml.settings("set", set)], progress, timeout, accept=(0, 1))
    if code == 1 and not data:
        raise _program.complaint(code, ["privacy", "claims"], said.splitlines())
    rows = _object(_files.parse_json(data, "the answer of hearsay privacy claims"), "claims").get("claims") or []
    return _files.frame([{**row, "epsilon": number(row, "epsilon"), "sound": loss(row.get("sound"))} for row in rows])


def _object(answer: Any, command: str) -> Dict[str, Any]:
    if not isinstance(answer, dict):
        raise HearsayError(f"hearsay privacy {command} answered with no object", "name another program in the environment as HEARSAY")
    return answer


def walk(graph: Any, steps: int, sigma: float, *, alpha: float = 2, u: Optional[Node] = None, v: Optional[Node] = None,
         contributions: Optional[int] = None, **flags: Any) -> Dict[str, Any]:
    """A token's walk: Renyi losses of order alpha of every pair, or of the pair u (who leaks), v (who learns)."""
    return account("walk", graph=graph, steps=steps, sigma=sigma, alpha=alpha, u=u, v=v, contributions=contributions, **flags)


def gossip(graph: Any, steps: int, sigma: float, *, alpha: float = 2, **flags: Any) -> Dict[str, Any]:
    """Averaging with neighbours: Renyi losses of every pair."""
    return account("gossip", graph=graph, steps=steps, sigma=sigma, alpha=alpha, **flags)


def flow(graph: Any, rounds: int, sigma: float, *, u: Optional[Node] = None, v: Optional[Node] = None, **flags: Any) -> Dict[str, Any]:
    """Gossip that learns: energies (mu squared times sigma squared) and epsilons of every pair, or of one."""
    return account("flow", graph=graph, rounds=rounds, sigma=sigma, u=u, v=v, **flags)


def pairwise(graph: Any, rounds: int, own: float, pair: float, *, coalition: Any = None, **flags: Any) -> Dict[str, Any]:
    """Gossip that learns under noise that cancels between neighbours: energies and epsilons of every participant."""
    return account("pairwise", graph=graph, rounds=rounds, own=own, pair=pair, coalition=coalition, **flags)
