"""The program hearsay as a process: found, asked for its version, run, watched, and ended when Python is."""

from __future__ import annotations

import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from typing import IO, Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from ._files import parse_json
from .claims import number
from .errors import BinaryError, FileError, HearsayError, UsageError

Progress = Union[bool, Callable[[str], None], None]
"""False or None: nothing is shown; True: what the program says goes to stderr; or a function that takes each line."""

OnScore = Optional[Callable[[int, int, Dict[str, float]], Any]]
"""A function that is called as ``on_score(trial, step, scores)`` for every score of a run as it appears; or None."""

KNOWN_MAJOR = 0
"""Releases with this major version are known to this package; later ones may say things differently."""

_KEPT_LINES = 50
_GRACE_SECONDS = 10.0
_STDOUT_MOST = 1 << 30


def binary() -> str:
    """The path of the program: what HEARSAY names, else ``hearsay`` on the PATH. BinaryError where there is none."""
    named = os.environ.get("HEARSAY")
    found = shutil.which(named) if named else shutil.which("hearsay")
    if found is None:
        what = f"HEARSAY={named} is no program" if named else "the program hearsay is not on the PATH"
        raise BinaryError(what, "build it (go build -o hearsay ./cmd/hearsay) and put it on the PATH, or name it in the environment as HEARSAY")
    return found


def version() -> str:
    """What ``hearsay --version`` says of itself, such as v0.3.1, or (devel) of one that was built by hand."""
    path = binary()
    info = os.stat(path)
    return _version(path, info.st_size, info.st_mtime_ns)


@functools.lru_cache(maxsize=8)
def _version(path: str, size: int, changed: int) -> str:
    """Asks the program once as long as it is the same file."""
    try:
        said = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=120, text=True, errors="replace").stdout
    except (OSError, subprocess.TimeoutExpired) as err:
        raise BinaryError(f"{path} does not say its version: {err}", "name another program in the environment as HEARSAY") from None
    match = re.fullmatch(r"hearsay version (\S{1,100})\s*(?:\nbuilt by [^\n]*\s*)?", said)
    if not match:
        raise BinaryError(f"{path} is not hearsay: asked for its version it says {said[:60]!r}", "name the right program in the environment as HEARSAY")
    major = re.match(r"v(\d+)\.", match.group(1))
    if major and int(major.group(1)) > KNOWN_MAJOR:
        raise BinaryError(f"{path} is version {match.group(1)}, which this package does not know", "install the package that comes with it")
    return match.group(1)


def execute(arguments: Sequence[str], progress: Progress = None, timeout: Optional[float] = None, accept: Tuple[int, ...] = (0,),
            on_score: OnScore = None) -> Tuple[int, bytes, str]:
    """Runs ``hearsay arguments...`` and returns its exit code, its stdout and the last of its stderr.

    An exit code that is not accepted is raised as the error and the hint that the program gave. Whatever ends the
    waiting (Ctrl-C, a time limit in seconds, an exception in ``progress`` or ``on_score``) ends the program too, as Ctrl-C would, which
    leaves nothing half written.
    """
    version()
    command = [binary(), *arguments]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **_own_group())
    assert process.stdout is not None and process.stderr is not None
    stdout = _Reader(process.stdout)
    timer = _limit(process, timeout)
    lines: List[str] = []
    try:
        _follow(process.stderr, lines, _shower(progress), on_score)
        stdout.join()
        code = process.wait()
    except BaseException:
        _end(process)
        raise
    finally:
        timer.cancel()
        process.stderr.close()
    said = "\n".join(lines)
    if timer.expired:
        raise HearsayError(f"stopped after {timeout:g} seconds", "give more time, or a smaller task", command=command, stderr=said)
    if code not in accept:
        raise complaint(code, command, lines)
    return code, stdout.data, said


def call_json(arguments: Sequence[str], progress: Progress = None, timeout: Optional[float] = None) -> Any:
    """The one JSON value that ``hearsay arguments... --json`` prints."""
    _, data, _ = execute([*arguments, "--json"], progress, timeout)
    return parse_json(data, "the answer of hearsay " + (arguments[0] if arguments else ""))


def _own_group() -> Any:
    """A group of its own: Ctrl-C in a terminal reaches Python alone, which hands it on exactly once."""
    if os.name == "nt":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined]
    return {"start_new_session": True}


class _Reader(threading.Thread):
    """Reads stdout to its end, so that neither pipe fills up while the other is waited for."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self.data = b""
        self._pipe = pipe
        self.start()

    def run(self) -> None:
        with self._pipe:
            self.data = self._pipe.read(_STDOUT_MOST)
            while self._pipe.read(1 << 20):
                pass  # more than any answer has; what is cut off is no JSON, and refused as such


class _Limit:
    """Ends a process after some time."""

    def __init__(self, process: "subprocess.Popen[bytes]", seconds: Optional[float]) -> None:
        self.expired = False
        self._timer = threading.Timer(seconds, self._end, [process]) if seconds is not None else None
        if self._timer:
            self._timer.daemon = True
            self._timer.start()

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        self.expired = True
        _end(process)

    def cancel(self) -> None:
        if self._timer:
            self._timer.cancel()


def _limit(process: "subprocess.Popen[bytes]", seconds: Optional[float]) -> _Limit:
    return _Limit(process, seconds)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Asks a process to stop as Ctrl-C does, and after a while makes it."""
    if process.poll() is not None:
        return
    try:
        process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT) if os.name == "nt" else signal.SIGINT)
        process.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    except OSError:
        pass
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def _shower(progress: Progress) -> Optional[Callable[[str], None]]:
    if callable(progress):
        return progress
    return (lambda line: print(line, file=sys.stderr, flush=True)) if progress else None


def _follow(pipe: IO[bytes], lines: List[str], show: Optional[Callable[[str], None]], on_score: OnScore) -> None:
    """Reads stderr line by line to its end, hands on scores, keeps the last of the others and shows each that is no complaint."""
    for raw in iter(lambda: pipe.readline(1 << 16), b""):
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if on_score is not None and line.startswith('score {"trial":'):
            on_score(*_score(line))
            continue
        lines.append(line[:10_000])
        del lines[:-_KEPT_LINES]
        if show is not None and not line.startswith(("error: ", "hint: ")):
            show(line)


def _score(line: str) -> Tuple[int, int, Dict[str, float]]:
    """A trial, a step, and the scores of that; scores that do not exist are left out."""
    said = parse_json(line[len("score ") :].encode(), "a score of hearsay run")
    if not isinstance(said, dict):
        raise FileError(f"a score of hearsay run is {line[:60]!r}", "name another program in the environment as HEARSAY")
    trial, step = (int(number(said, key)) for key in ("trial", "step"))
    return trial, step, {key: number(said, key) for key, value in said.items() if value is not None and key not in ("trial", "step")}


def complaint(code: int, command: Sequence[str], lines: Sequence[str]) -> HearsayError:
    """What the program says as an exception."""
    said = {"error": "", "hint": ""}
    for line in lines:
        for key in said:
            if line.startswith(key + ": "):
                said[key] = line[len(key) + 2 :]
    error = said["error"] or (f"hearsay was ended by signal {-code}" if code < 0 else f"hearsay failed with exit code {code} and said nothing")
    kind = UsageError if code == 2 else HearsayError
    return kind(error, said["hint"], returncode=code, command=command, stderr="\n".join(lines))
