"""A module of your own, trained from Python: this process holds the rows and computes gradients, and the program hearsay asks it."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Iterator, List, Optional

from . import _files, _program, _yaml
from .commands import Spec, run
from .errors import HearsayError

if TYPE_CHECKING:
    from .results import Result


def train(spec: Spec, net: Any = None, loss: Any = None, *, train: Any, test: Any = None, name: Optional[str] = None, engine: str = "vmap",
          gradients: Any = None, parameters: Any = None, score: Any = None, set: _yaml.Settings = None, out: Optional[_files.PathLike] = None,
          progress: _program.Progress = None, timeout: Optional[float] = None, on_score: _program.OnScore = None) -> "Result":
    """Trains a module of yours as a simulation does: ``hearsay run``, with this process as the program that answers.

    ``net``, ``loss``, ``train``, ``test``, ``engine``, ``gradients``, ``parameters`` and ``score`` are those of
    :func:`hearsay.trainer.serve`, and ``on_score`` that of :func:`hearsay.run`. A spec that is a dictionary without ``model`` gets the model and the data that the module has. In the end the
    module holds what the first trial has learnt, and ``result.path / "model.safetensors"`` holds it under the module's own names.
    """
    from . import trainer

    model = trainer.wrap(net, loss, engine=engine, gradients=gradients, parameters=parameters, score=score)
    troubles: List[BaseException] = []
    try:
        with _serving(model, train, test, name, troubles) as address:
            result = run(_whole(spec, address, set, progress), set=set, out=out, progress=progress, timeout=timeout, model=address, on_score=on_score)
    except HearsayError as err:
        if troubles:
            raise err from troubles[-1]
        raise
    model.keep(_files.read_bytes(result.path / "model.safetensors", 4 << 30))
    return result


def _whole(spec: Spec, address: str, set: _yaml.Settings, progress: _program.Progress) -> Spec:
    """The spec with the model and the data that whoever answers at an address has."""
    if not isinstance(spec, Mapping) or "model" in spec:
        return spec
    found = _program.call_json(["model", "check", "--model", address], progress)
    data = {**spec.get("data", {}), "source": "external", "train_rows": found["train_rows"], "test_rows": found["test_rows"]}
    return {**spec, "data": data, "model": {"kind": "external", **{key: found[key] for key in ("name", "parameters", "layout", "initial", "task")}}}


@contextlib.contextmanager
def _serving(model: Any, train: Any, test: Any, name: Optional[str], troubles: List[BaseException]) -> Iterator[str]:
    """The address at which a thread answers. What goes wrong in it is added to troubles."""
    from . import trainer

    folder = tempfile.mkdtemp(prefix="hearsay-")
    try:
        path = os.path.join(folder, "model.sock")
        listener = trainer.listen(path)
        worker = threading.Thread(target=trainer.answer_all, args=(listener, model, train, test, name, troubles), daemon=True)
        worker.start()
        try:
            yield "unix:" + path
        finally:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)  # who waits there is told
            worker.join()
            listener.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
