"""Privacy losses as values that carry what they mean: status, unit, metric and what they take for granted."""

from __future__ import annotations

import decimal
import math
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple

from .errors import FileError

STATUSES = ("published", "sound", "sound if", "audit")
"""A paper's formula, no guarantee; a bound; a bound if an assumption holds that nobody checked; a lower bound."""


@dataclass(frozen=True)
class Loss:
    """What ``observer`` can learn about ``about``: epsilon, of the metric and in the unit that it says.

    ``status`` is one of STATUSES: decide on nothing less than sound. ``unit`` is what neighbouring data sets differ in, all
    data of one ``participant`` or one ``record``. ``epsilon`` is infinite where nothing bounds it, and None where the accountant
    did not price the pair (``local`` then still bounds it).
    """

    about: str
    observer: str
    epsilon: Optional[float]
    delta: float
    metric: str
    status: str
    unit: str
    accountant: str
    assumptions: Tuple[str, ...] = field(default=(), repr=False)
    local: Optional[float] = None

    def __str__(self) -> str:
        size = "not priced" if self.epsilon is None else f"epsilon {shown(self.epsilon, self.status)}"
        return f"{self.observer} about {self.about}: {size} ({self.status}, {self.metric}, unit {self.unit}, by {self.accountant})"


@dataclass(frozen=True)
class Claim:
    """What a run or a plan says of all pairs. Losses without bound are infinite."""

    accountant: str
    status: str
    unit: str
    metric: str
    delta: float
    sigma: float
    mean: float
    max: float
    max_beyond_neighbours: float
    mean_status: str
    simulated: bool
    model_charged: bool
    assumptions: Tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, privacy: Mapping[str, Any]) -> "Claim":
        """From ``privacy`` of a result.json or a plan."""
        status = checked_status(privacy.get("status"))
        return cls(
            accountant=word(privacy, "accountant"), status=status, unit=word(privacy, "unit"), metric=word(privacy, "metric"),
            delta=number(privacy, "delta"), sigma=number(privacy, "sigma"), mean=loss(privacy.get("mean")), max=loss(privacy.get("max")),
            max_beyond_neighbours=loss(privacy.get("max_beyond_neighbours")), mean_status=str(privacy.get("mean_status", status)),
            simulated=privacy.get("simulated") is True, model_charged=privacy.get("model_charged") is True,
            assumptions=tuple(str(a) for a in privacy.get("assumptions") or ()),
        )

    def __str__(self) -> str:
        return (f"mean {shown(self.mean, self.status)} ({self.mean_status}), worst pair {shown(self.max, self.status)} ({self.status}): {self.metric}, unit {self.unit}, "
                f"by {self.accountant}, noise multiplier {self.sigma:.4g}" + (", noise simulated" if self.simulated else ""))


def shown(value: float, status: str) -> str:
    """A loss with four significant digits on the side where it stays true: up, or down for a lower bound ("audit")."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    way = decimal.ROUND_FLOOR if status == "audit" else decimal.ROUND_CEILING
    return f"{float(decimal.Context(prec=4, rounding=way).create_decimal(value)):.4g}"


def loss(value: Any) -> float:
    """A privacy loss of JSON, where null stands for infinity and never for nothing lost."""
    if value is None:
        return math.inf
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        raise FileError(f"a privacy loss is {value!r}", "take the original file")
    return float(value)


def checked_status(value: Any) -> str:
    """A status that is known: a number without one is never shown."""
    if value not in STATUSES:
        raise FileError(f"a privacy loss has the status {value!r}", "take the original file, or the package that comes with a newer hearsay")
    return str(value)


def word(of: Mapping[str, Any], key: str) -> str:
    """A text under a key."""
    value = of.get(key)
    if not isinstance(value, str):
        raise FileError(f"{key} is {value!r}, where a text should be", "take the original file")
    return value


def number(of: Mapping[str, Any], key: str) -> float:
    """A number under a key."""
    value = of.get(key)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise FileError(f"{key} is {value!r}, where a number should be", "take the original file")
    return float(value)
