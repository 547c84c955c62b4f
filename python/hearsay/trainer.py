"""Let Hearsay train a model of your own.

    import torch, hearsay.trainer
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 10))
    hearsay.trainer.serve(net, torch.nn.functional.cross_entropy, train=data, test=held_out)

Such a program holds the rows and computes gradients. Hearsay starts it

    hearsay run spec.yaml --model 'python3 my_model.py'

and says which rows' gradients it wants at which parameters; it clips them, adds noise and takes the step. Rows never
leave this process, and nothing is written to stdout. Only numpy is needed besides the framework of your choice.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import struct
import sys
from typing import Any, Callable, Iterator

import numpy

__all__ = ["serve"]

_SOCKET = "HEARSAY_MODEL_SOCKET"
_VERSION = "1"
_DTYPES = {"F32": numpy.dtype("<f4"), "I64": numpy.dtype("<i8")}


def serve(net: Any = None, loss: Any = None, *, train: Any, test: Any = None, name: str | None = None, engine: str = "vmap",
          chunk: int | None = None, gradients: Callable[..., Any] | None = None, parameters: dict[str, Any] | None = None,
          score: Callable[..., dict[str, float]] | None = None, address: str | None = None) -> None:
    """Answer Hearsay's questions until it has no more.

    net is a torch module and loss a function of its output and the labels, such as torch.nn.functional.cross_entropy.
    train and test have len() and [i], which gives (x, y). engine says how gradients of single rows are computed:

    vmap      each row as a batch of its own, all at once (default)
    factors   for modules whose learnt tensors are all of Linear layers: fast, and rows meet in one batch
    loop      each row as a batch of its own, one after the other

    Of another framework give instead gradients, a function of (parameters, xs, ys) that returns the gradient of every row's
    own loss, as arrays whose first axis is the row, and parameters, a dictionary of arrays; and perhaps score, a function of the
    same that returns {"loss": mean, "confusion": counts of rows by true class, then by predicted class}; of what tells no classes
    apart the loss alone.

    address: "unix:PATH" waits there for `hearsay ... --model unix:PATH`, instead of being started by it.
    """
    model = wrap(net, loss, engine=engine, gradients=gradients, parameters=parameters, score=score)
    rows = _Rows(train, test)
    for channel in _channels(address):
        _converse(channel, model, rows, name, chunk)


def wrap(net: Any = None, loss: Any = None, *, engine: str = "vmap", gradients: Callable[..., Any] | None = None,
         parameters: dict[str, Any] | None = None, score: Callable[..., dict[str, float]] | None = None) -> Any:
    """A model as this module asks it: of a torch module, or of a function."""
    if gradients is not None:
        return _Function(gradients, parameters, score)
    return _torch_model(net, loss, engine)


def listen(path: str) -> socket.socket:
    """A socket at a path, where its owner and its group may ask, and nobody else."""
    if os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    old = os.umask(0o007)
    try:
        listener.bind(path)
    finally:
        os.umask(old)
    listener.listen(1)
    return listener


def answer_all(listener: socket.socket, model: Any, train: Any, test: Any, name: str | None, troubles: list[BaseException]) -> None:
    """Answers whoever comes to a socket, until it is closed. What goes wrong is added to troubles."""
    rows = _Rows(train, test)
    while True:
        try:
            channel = listener.accept()[0]
        except OSError:
            return
        try:
            _converse(channel, model, rows, name, None)
        except Exception as trouble:  # Hearsay was told
            troubles.append(trouble)


def _converse(channel: socket.socket, model: Any, rows: _Rows, name: str | None, chunk: int | None) -> None:
    try:
        _answer(channel, model, rows, name or model.name, chunk)
    except (BrokenPipeError, ConnectionResetError, EOFError):
        pass  # Hearsay has ended
    finally:
        channel.close()


def _channels(address: str | None) -> Iterator[socket.socket]:
    """The connections to answer: the one that we were started with, or all that come to an address."""
    if address is None:
        if _SOCKET not in os.environ:
            raise SystemExit("hearsay.trainer: this program is started by Hearsay: hearsay run SPEC --model '%s'\n"
                             "or give serve(..., address='unix:PATH') and hearsay run SPEC --model unix:PATH" % " ".join(["python3"] + sys.argv))
        yield socket.socket(fileno=int(os.environ.pop(_SOCKET)))
        return
    if not address.startswith("unix:"):
        raise ValueError("address %r: give unix:PATH" % address)
    path = address[len("unix:"):]
    listener = listen(path)
    try:
        while True:
            yield listener.accept()[0]
    finally:
        os.unlink(path)


# Messages: safetensors buffers.


def _receive(channel: socket.socket) -> tuple[dict[str, str], dict[str, Any]]:
    (size,) = struct.unpack("<Q", _exactly(channel, 8))
    if size > 1 << 20:
        raise EOFError("a header of %d bytes" % size)
    header = json.loads(bytes(_exactly(channel, size)))
    says = header.pop("__metadata__", {})
    total = max([t["data_offsets"][1] for t in header.values()], default=0)
    data = _exactly(channel, total)
    tensors = {}
    for key, t in header.items():
        low, high = t["data_offsets"]
        tensors[key] = numpy.frombuffer(data[low:high], _DTYPES[t["dtype"]]).reshape(t["shape"])
    return says, tensors


def _exactly(channel: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        n = channel.recv_into(view)
        if n == 0:
            raise EOFError
        view = view[n:]
    return data


def _send(channel: socket.socket, says: dict[str, str], tensors: Any = ()) -> None:
    header: dict[str, Any] = {"__metadata__": says}
    at, bodies = 0, []
    for key, value in tensors:
        kind = "I64" if key == "confusion" else "F32"
        value = numpy.ascontiguousarray(value, _DTYPES[kind])
        header[key] = {"dtype": kind, "shape": list(value.shape), "data_offsets": [at, at + value.nbytes]}
        at += value.nbytes
        bodies.append(value)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    channel.sendall(struct.pack("<Q", len(text)) + text)
    for body in bodies:
        channel.sendall(memoryview(body).cast("B"))


def _answer(channel: socket.socket, model: Any, rows: _Rows, name: str, chunk: int | None) -> None:
    while True:
        says, tensors = _receive(channel)
        try:
            ask = says["ask"]
            if ask == "bye":
                return
            if ask == "hello":
                if says["version"] != _VERSION:
                    raise ValueError("Hearsay asks in version %s, and this is version %s" % (says["version"], _VERSION))
                _hello(channel, model, rows, name)
            elif ask == "gradients":
                _gradients(channel, model, rows, tensors, chunk)
            elif ask == "score":
                _score(channel, model, rows, tensors)
            else:
                raise ValueError("Hearsay asks %r, which this version does not know" % ask)
        except (BrokenPipeError, ConnectionResetError, EOFError):
            raise
        except Exception as trouble:  # whatever the model raises is Hearsay's to tell of
            _send(channel, {"answer": "trouble", "what": "%s: %s" % (type(trouble).__name__, trouble)})
            raise


def _hello(channel: socket.socket, model: Any, rows: _Rows, name: str) -> None:
    layout = {"tensors": [{"name": key, "shape": list(shape)} for key, shape in model.shapes]}
    if model.frozen:
        layout["frozen"] = model.frozen
    _send(channel, {
        "answer": "hello", "version": _VERSION, "name": name, "engine": model.engine, "layout": json.dumps(layout), "factors": json.dumps(model.factors),
        "train_rows": str(rows.train), "test_rows": str(rows.test),
    }, [("initial", model.initial())])


def _gradients(channel: socket.socket, model: Any, rows: _Rows, tensors: dict[str, Any], chunk: int | None) -> None:
    theta, numbers = tensors["theta"], tensors["rows"]
    chunk = chunk or model.chunk(len(theta))
    for first in range(0, len(numbers), chunk):
        some = numbers[first:first + chunk]
        parts = model.gradients(theta, *rows[some])
        _send(channel, {"answer": "block", "first": str(first), "rows": str(len(some))}, parts)
    _send(channel, {"answer": "end", "count": str(len(numbers))})


def _score(channel: socket.socket, model: Any, rows: _Rows, tensors: dict[str, Any]) -> None:
    theta, numbers = tensors["theta"], tensors["rows"]
    sums: dict[str, float] = {}
    confusion = None
    for first in range(0, len(numbers), 512):
        some = numbers[first:first + 512]
        scores = dict(model.score(theta, *rows[some]))
        counts = scores.pop("confusion", None)
        if counts is not None:
            confusion = numpy.asarray(counts, numpy.int64) + (0 if confusion is None else confusion)
        for key, value in scores.items():
            sums[key] = sums.get(key, 0.0) + float(value) * len(some)
    if confusion is not None and confusion.sum() != len(numbers):
        confusion = None  # later labels were no classes
    says = {key: repr(value / len(numbers)) for key, value in sums.items()}
    says["answer"] = "score"
    _send(channel, says, [] if confusion is None else [("confusion", confusion)])


def _confusion(truth: Any, told: Any, classes: int) -> Any:
    """How many rows of each class are told to be of which."""
    return numpy.bincount(numpy.asarray(truth) * classes + numpy.asarray(told), minlength=classes * classes).reshape(classes, classes)


class _Rows:
    """The rows to learn from, and behind them those for testing."""

    def __init__(self, train: Any, test: Any) -> None:
        self.parts = [train] + ([test] if test is not None else [])
        self.train, self.test = len(train), len(test) if test is not None else 0
        self.whole = [_tensors(part) for part in self.parts]

    def __getitem__(self, numbers: Any) -> tuple[Any, ...]:
        ours = [(numbers < self.train, 0, 0), (numbers >= self.train, 1, self.train)]
        for mine, part, offset in ours:
            if mine.all():
                return self._take(part, numbers - offset)
        items = [self._take(int(n >= self.train), numpy.array([n - (self.train if n >= self.train else 0)])) for n in numbers]
        return tuple(_stack([one[k][0] for one in items]) for k in range(2))

    def _take(self, part: int, numbers: Any) -> tuple[Any, ...]:
        if self.whole[part] is not None:
            return tuple(t[numbers] for t in self.whole[part])
        items = [self.parts[part][int(n)] for n in numbers]
        return tuple(_stack([item[k] for item in items]) for k in range(2))


def _tensors(part: Any) -> Any:
    """What a torch TensorDataset, or a pair of arrays, holds whole; None of anything else."""
    whole = getattr(part, "tensors", None)
    if whole is not None and len(whole) == 2:
        return whole
    return None


def _stack(items: list[Any]) -> Any:
    first = items[0]
    if type(first).__module__.split(".")[0] == "torch":
        import torch
        return torch.stack(items)
    stacked = numpy.stack([numpy.asarray(item) for item in items])
    if "torch" in sys.modules:
        return sys.modules["torch"].as_tensor(stacked)
    return stacked


class _Function:
    """A model whose gradients a function computes."""

    engine, frozen, name = "function", "", "function"
    factors: list[list[str]] = []

    def __init__(self, gradients: Callable[..., Any], parameters: Any, score: Any) -> None:
        if not isinstance(parameters, dict):
            raise TypeError("parameters: give a dictionary of arrays")
        self.function, self.scores, self.given = gradients, score, parameters
        self.start = {key: numpy.asarray(value, numpy.float32) for key, value in parameters.items()}
        self.shapes = [(key, value.shape) for key, value in self.start.items()]

    def initial(self) -> Any:
        return numpy.concatenate([value.ravel() for value in self.start.values()])

    def keep(self, data: bytes) -> None:
        """Takes what was learnt into the arrays of `parameters`, where they are floats of numpy."""
        for (key, _), value in zip(self.shapes, _learnt(data, self.shapes)):
            if isinstance(self.given[key], numpy.ndarray) and self.given[key].dtype.kind == "f":
                self.given[key][...] = value

    def chunk(self, parameters: int) -> int:
        return _chunk(parameters)

    def _state(self, theta: Any) -> dict[str, Any]:
        state, at = {}, 0
        for key, shape in self.shapes:
            size = int(numpy.prod(shape, dtype=int))
            state[key], at = theta[at:at + size].reshape(shape), at + size
        return state

    def gradients(self, theta: Any, xs: Any, ys: Any) -> list[tuple[str, Any]]:
        found = self.function(self._state(theta), xs, ys)
        parts = []
        for k, (key, shape) in enumerate(self.shapes):
            value = numpy.asarray(found[key], numpy.float32)
            if value.shape != (len(xs),) + tuple(shape):
                raise ValueError("gradients of %s have shape %s, and %d rows of %s make %s" % (
                    key, value.shape, len(xs), tuple(shape), (len(xs),) + tuple(shape)))
            parts.append(("rows %d" % k, value.reshape(len(xs), -1)))
        return parts

    def score(self, theta: Any, xs: Any, ys: Any) -> dict[str, float]:
        scores: dict[str, float] = self.scores(self._state(theta), xs, ys) if self.scores else {}
        return scores


def _learnt(data: bytes, shapes: Any) -> list[Any]:
    """The arrays in a safetensors file."""
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    arrays = []
    for key, shape in shapes:
        low, high = header[key]["data_offsets"]
        arrays.append(numpy.frombuffer(data[8 + size + low:8 + size + high], _DTYPES["F32"]).reshape(shape))
    return arrays


def _chunk(parameters: int) -> int:
    """How many rows at once: 64, or fewer where their gradients take more than 128 MB."""
    return max(1, min(64, (1 << 25) // max(1, parameters)))


def _torch_model(net: Any, loss: Any, engine: str) -> Any:
    engines = {"vmap": _VMap, "factors": _Factors, "loop": _Loop}
    if engine not in engines:
        raise ValueError("engine %r: use %s" % (engine, ", ".join(engines)))
    return engines[engine](net, loss)


class _Torch:
    """What all engines for torch modules share."""

    engine = ""
    factors: list[list[str]] = []

    def __init__(self, net: Any, loss: Any) -> None:
        import torch
        self.torch, self.net, self.loss = torch, net, loss
        self.name = type(net).__name__
        for where, module in net.named_modules():
            if isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and self.engine != "loop":
                raise ValueError("%s at %s mixes the rows of a batch: use GroupNorm(%d, %d)" % (
                    type(module).__name__, where, min(4, module.num_features), module.num_features))
        self.learnt = [(key, p) for key, p in net.named_parameters() if p.requires_grad]
        if not self.learnt:
            raise ValueError("the module has no tensor to learn: requires_grad is False of all")
        self.shapes = [(key, tuple(p.shape)) for key, p in self.learnt]
        self.sizes = [p.numel() for _, p in self.learnt]
        self.frozen = self._digest()
        self.start = numpy.concatenate([p.detach().cpu().numpy().astype(numpy.float32).ravel() for _, p in self.learnt])

    def _digest(self) -> str:
        """A digest of all that is not learnt."""
        rest = [(key, p) for key, p in self.net.named_parameters() if not p.requires_grad] + list(self.net.named_buffers())
        if not rest:
            return ""
        digest = hashlib.sha256()
        for key, value in rest:
            array = value.detach().cpu().numpy()
            digest.update(("%s %s %s\n" % (key, array.dtype.str, array.shape)).encode())
            digest.update(numpy.ascontiguousarray(array).tobytes())
        return "sha256:" + digest.hexdigest()

    def initial(self) -> Any:
        return self.start

    def chunk(self, parameters: int) -> int:
        return _chunk(parameters)

    def pieces(self, theta: Any) -> list[Any]:
        """Theta as tensors like those of the module."""
        whole, pieces, at = self.torch.from_numpy(numpy.array(theta)), [], 0
        for (_, p), size in zip(self.learnt, self.sizes):
            pieces.append(whole[at:at + size].reshape(p.shape).to(p))
            at += size
        return pieces

    def keep(self, data: bytes) -> None:
        """Takes what was learnt into the module."""
        self.load(numpy.concatenate([value.ravel() for value in _learnt(data, self.shapes)]))

    def load(self, theta: Any) -> None:
        with self.torch.no_grad():
            for (_, p), piece in zip(self.learnt, self.pieces(theta)):
                p.copy_(piece)

    def on(self, xs: Any, ys: Any) -> tuple[Any, Any]:
        """Rows where the module is."""
        device = self.learnt[0][1].device
        return self.torch.as_tensor(xs).to(device), self.torch.as_tensor(ys).to(device)

    def score(self, theta: Any, xs: Any, ys: Any) -> dict[str, float]:
        torch = self.torch
        self.load(theta)
        xs, ys = self.on(xs, ys)
        training = self.net.training
        self.net.eval()
        try:
            with torch.no_grad():
                out = self.net(xs)
                scores = {"loss": sum(self.loss(out[i:i + 1], ys[i:i + 1]).item() for i in range(len(ys))) / len(ys)} if self._sums() else {
                    "loss": self.loss(out, ys).item()}
                told = self._told(out, ys)
                if told is not None:
                    classes = max(2, out.shape[1] if out.dim() == 2 else 2)
                    scores["confusion"] = _confusion(ys.reshape(len(ys), -1)[:, 0].long().cpu(), told.cpu(), classes)
        finally:
            self.net.train(training)
        return scores

    def _told(self, out: Any, ys: Any) -> Any:
        """The class that each output is for; None of what is no classifier."""
        if ys.numel() != len(ys) or out.dim() > 2:
            return None
        if not ys.is_floating_point() and out.dim() == 2 and out.shape[1] > 1:
            return out.argmax(1)
        if out.numel() == len(ys) and (not ys.is_floating_point() or self._halves(ys)):
            return (out.reshape(len(ys), -1)[:, 0] > 0).long()
        return None

    def _halves(self, ys: Any) -> bool:
        """Whether labels are those of two classes; once they were not, none are."""
        self.binary = getattr(self, "binary", True) and set(ys.unique().tolist()) <= {0.0, 1.0}
        return self.binary

    def _sums(self) -> bool:
        return getattr(self.loss, "reduction", "mean") != "mean"

    def parts(self, grads: Any, count: int) -> list[tuple[str, Any]]:
        """Of every tensor, a row each."""
        return [("rows %d" % k, g.detach().cpu().numpy().reshape(count, -1)) for k, g in enumerate(grads)]


class _VMap(_Torch):
    """Each row is a batch of its own, all of them at once."""

    engine = "vmap"

    def __init__(self, net: Any, loss: Any) -> None:
        super().__init__(net, loss)
        torch = self.torch
        keys = [key for key, _ in self.learnt]
        try:
            from torch.func import functional_call, grad, vmap
            rest = {key: p.detach() for key, p in net.named_parameters() if not p.requires_grad}
            rest.update(net.named_buffers())

            def call(pieces: Any, x: Any) -> Any:
                return functional_call(net, {**rest, **dict(zip(keys, pieces))}, (x,))
        except ImportError:  # before torch 2.0
            from functorch import grad, make_functional_with_buffers, vmap
            bare, every, buffers = make_functional_with_buffers(net)
            places = [i for i, (key, p) in enumerate(net.named_parameters()) if p.requires_grad]
            fixed = [p.detach() for p in every]

            def call(pieces: Any, x: Any) -> Any:
                whole = list(fixed)
                for i, piece in zip(places, pieces):
                    whole[i] = piece
                return bare(whole, buffers, x)

        def one(pieces: Any, x: Any, y: Any) -> Any:
            return loss(call(pieces, x.unsqueeze(0)), y.unsqueeze(0))

        self.each = vmap(grad(one), in_dims=(None, 0, 0))
        self.torch = torch

    def gradients(self, theta: Any, xs: Any, ys: Any) -> list[tuple[str, Any]]:
        xs, ys = self.on(xs, ys)
        return self.parts(self.each(tuple(self.pieces(theta)), xs, ys), len(ys))


class _Loop(_Torch):
    """Each row is a batch of its own, one after the other."""

    engine = "loop"

    def gradients(self, theta: Any, xs: Any, ys: Any) -> list[tuple[str, Any]]:
        self.load(theta)
        xs, ys = self.on(xs, ys)
        each, tensors = [], [p for _, p in self.learnt]
        for i in range(len(ys)):
            each.append(self.torch.autograd.grad(self.loss(self.net(xs[i:i + 1]), ys[i:i + 1]), tensors))
        return self.parts([self.torch.stack(rows) for rows in zip(*each)], len(ys))


class _Factors(_Torch):
    """Of Linear layers, what goes in and the slopes of what comes out: gradients are products of the two."""

    engine = "factors"

    def __init__(self, net: Any, loss: Any) -> None:
        super().__init__(net, loss)
        self.layers: list[Any] = []
        self.factors: list[list[str]] = []
        covered: set[str] = set()
        for where, module in net.named_modules():
            if not isinstance(module, self.torch.nn.Linear) or not module.weight.requires_grad:
                continue
            names = [where + "." + key if where else key for key, p in module.named_parameters(recurse=False) if p.requires_grad]
            self.layers.append(module)
            self.factors.append(names)
            covered.update(names)
        left = [key for key, _ in self.learnt if key not in covered]
        if left:
            raise ValueError("engine factors: %s is of no Linear layer: use engine='vmap'" % left[0])
        self.width = sum(module.in_features + module.out_features for module in self.layers)
        self.seen: dict[int, Any] | None = {}
        for k, module in enumerate(self.layers):
            module.register_forward_hook(self._hook(k))

    def chunk(self, parameters: int) -> int:
        return max(1, min(512, (1 << 22) // int(self.width)))  # factors are short

    def _hook(self, k: int) -> Any:
        def keep(module: Any, inputs: Any, output: Any) -> None:
            if self.seen is None:
                return
            if inputs[0].dim() != 2 or k in self.seen:
                raise ValueError("engine factors: a Linear layer that takes more than one vector of a row, or is used twice: use engine='vmap'")
            self.seen[k] = (inputs[0].detach(), output)
        return keep

    def score(self, theta: Any, xs: Any, ys: Any) -> dict[str, float]:
        self.seen = None
        return super().score(theta, xs, ys)

    def gradients(self, theta: Any, xs: Any, ys: Any) -> list[tuple[str, Any]]:
        torch = self.torch
        self.load(theta)
        xs, ys = self.on(xs, ys)
        self.seen = {}
        out = self.net(xs)
        losses = [self.loss(out[i:i + 1], ys[i:i + 1]) for i in range(len(ys))] if self._sums() else [self.loss(out, ys) * len(ys)]
        kept = [self.seen[k] for k in range(len(self.layers))]
        slopes = torch.autograd.grad(sum(losses), [output for _, output in kept])
        parts = []
        for k, ((inputs, _), slope) in enumerate(zip(kept, slopes)):
            parts.append(("inputs %d" % k, inputs.cpu().numpy()))
            parts.append(("slopes %d" % k, slope.detach().cpu().numpy()))
        return parts
