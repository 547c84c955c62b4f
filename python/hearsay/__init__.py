"""Hearsay from Python: private decentralized learning, and who learns what about whom.

>>> import hearsay
>>> result = hearsay.run("examples/kinds/walk.yaml", set={"privacy.sigma": 4})         # doctest: +SKIP
>>> result.claim                                                                       # doctest: +SKIP
>>> hearsay.privacy.pair("examples/kinds/walk.yaml", about=12, observer=7)             # doctest: +SKIP
>>> hearsay.Classifier("out/").predict(rows)                                           # doctest: +SKIP

Runs, sweeps, plans and losses come from the program hearsay, which must be on the PATH or named in the environment as
HEARSAY. Results and models are read without it. numpy, pandas and scikit-learn are used where they are installed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import privacy
from ._kinds import Kind, kinds
from ._program import binary, version
from .claims import Claim, Loss
from .commands import Plan, call, plan, run, sweep
from .errors import BinaryError, FileError, HearsayError, SweepError, UsageError
from .model import Model, Predictions
from .results import Result, Sweep, read, read_sweep
from .training import train

if TYPE_CHECKING:
    from .estimator import Classifier, Regressor

__version__ = "0.1.0"

__all__ = [
    "BinaryError", "Claim", "Classifier", "FileError", "HearsayError", "Kind", "Loss", "Model", "Plan", "Predictions", "Regressor", "Result", "Sweep",
    "SweepError", "UsageError", "binary", "call", "kinds", "plan", "privacy", "read", "read_sweep", "run", "sweep", "train", "version",
]


def __getattr__(name: str) -> Any:
    """Classifier and Regressor are imported when they are asked for: scikit-learn, where it is, takes a second to load."""
    if name in ("Classifier", "Regressor"):
        from . import estimator

        return getattr(estimator, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
