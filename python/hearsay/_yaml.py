"""Values as YAML on one line, as --set and --vary take them and as specs may be written."""

from __future__ import annotations

import json
import math
import os
import re
from typing import Any, List, Mapping, Sequence, Union

from .errors import HearsayError

Settings = Union[Mapping[str, Any], Sequence[str], None]
"""What is set over a spec: ``{"privacy.sigma": 3}``, or texts ``["privacy.sigma=3"]``."""

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*(:[A-Za-z0-9_./-]+)*")
_WORDS = {"true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"}


def text(value: Any) -> str:
    """A value as YAML in flow style: None, booleans, numbers, texts, lists and mappings, numpy's too."""
    if hasattr(value, "tolist") and not isinstance(value, (list, tuple)):
        value = value.tolist()  # arrays and numbers of numpy
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str):
        return value if _PLAIN.fullmatch(value) and value.lower() not in _WORDS else json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{text(str(key))}: {text(below)}" for key, below in value.items()) + "}"
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(text(below) for below in value) + "]"
    raise HearsayError(f"a {type(value).__name__} cannot stand in a spec", "give numbers, texts, booleans, lists and dictionaries of them")


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise HearsayError(f"{value} cannot stand in a spec", "give a finite number")
    digits = repr(value)
    return digits.replace("e", ".0e") if "e" in digits and "." not in digits else digits  # 1e-06 is a text to some readers of YAML


def settings(flag: str, given: Settings) -> List[str]:
    """The arguments ``--set key=value`` for each setting; a setting that is a text of its own is handed on as it is."""
    if given is None:
        return []
    if isinstance(given, str):
        raise HearsayError(f"{flag}={given!r} is one text", 'give a dictionary such as {"privacy.sigma": 3}, or a list of texts')
    pairs = [f"{key}={text(value)}" for key, value in given.items()] if isinstance(given, Mapping) else [str(item) for item in given]
    return [part for pair in pairs for part in (f"--{flag}", pair)]
