"""What goes wrong, as one line and one hint, as the program says it."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence


class HearsayError(Exception):
    """Something failed: ``error`` says what, ``hint`` what to do about it.

    ``returncode`` is that of the program where it was the program that failed (1: it failed, 2: it was called wrongly),
    ``command`` how it was called and ``stderr`` the last of what it said.
    """

    def __init__(self, error: str, hint: str = "", *, returncode: Optional[int] = None, command: Sequence[str] = (), stderr: str = "") -> None:
        super().__init__(error)
        self.error = error
        self.hint = hint
        self.returncode = returncode
        self.command = tuple(command)
        self.stderr = stderr

    def __str__(self) -> str:
        return f"{self.error}\nhint: {self.hint}" if self.hint else self.error


class UsageError(HearsayError):
    """The program was called wrongly: exit code 2."""


class BinaryError(HearsayError):
    """There is no program called hearsay, or it is another one, or one that this package does not know."""


class FileError(HearsayError, ValueError):
    """A file or a table is not what it should be."""


class SweepError(HearsayError):
    """Cells of a sweep failed; ``rows`` are all of them, with what each says under ``error``."""

    def __init__(self, error: str, hint: str, rows: List[Dict[str, Any]]) -> None:
        super().__init__(error, hint)
        self.rows = rows
