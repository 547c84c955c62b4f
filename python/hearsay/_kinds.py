"""The algorithms that a spec can name, as the program lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List

from . import _program
from .claims import checked_status, word
from .errors import FileError


@dataclass(frozen=True)
class Kind:
    """A value of ``algorithm.kind``.

    ``accountants`` are the values that ``privacy.accountant`` may have, the one to rely on first, with the status of their numbers.
    ``coalitions`` are those that price what several nodes learn together. ``keys`` are keys of ``algorithm`` that only its family has, with
    their values in a spec that gives none of them; docs/SPEC.md says what each means. ``why`` says why real nodes cannot run it.
    """

    name: str
    story: str
    reads_graph: bool
    real: bool
    why: str
    accountants: Dict[str, str]
    coalitions: List[str]
    keys: Dict[str, Any]

    @classmethod
    def of(cls, said: Any) -> "Kind":
        """From an entry of ``hearsay kinds --json``."""
        accountants = _entries(said, "accountants")
        return cls(
            name=word(said, "kind"), story=word(said, "story"), reads_graph=said.get("reads_graph") is True, real=said.get("real") is True, why=str(said.get("why", "")),
            accountants={word(a, "name"): checked_status(a.get("status")) for a in accountants}, coalitions=[word(a, "name") for a in accountants if a.get("coalitions") is True],
            keys={word(k, "key"): k.get("default") for k in _entries(said, "keys")},
        )


def kinds() -> Dict[str, Kind]:
    """Every kind of algorithm by its name: ``hearsay kinds``.

    >>> hearsay.kinds()["walk"].accountants                                             # doctest: +SKIP
    {'path': 'sound', 'local': 'sound', 'published': 'published'}
    """
    answer = _program.call_json(["kinds"])
    found = [Kind.of(said) for said in _entries({"kinds": answer}, "kinds")]
    return {kind.name: kind for kind in found}


def _entries(of: Any, key: str) -> List[Any]:
    value = of.get(key)
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise FileError("hearsay kinds lists no kinds", "name another program in the environment as HEARSAY")
    return value
