"""Reads files that others made: regular ones of a bounded size, strict JSON, tables of plain values.

Nothing that is read is ever run: no pickle, no eval, no import of a name that a file has.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import stat
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Union

from .errors import FileError

MOST_JSON = 256 << 20
"""Bytes of a JSON file that are read."""
MOST_TABLE = 2 << 30
"""Bytes of a CSV file that are read."""
MOST_DIGITS = 400
"""Digits of a number in JSON: more say nothing that a float can hold."""

PathLike = Union[str, "os.PathLike[str]"]
Rows = List[Dict[str, Any]]


def read_bytes(path: PathLike, most: int) -> bytes:
    """The bytes of a regular file of at most so many; FileError for anything else."""
    try:
        handle = os.open(os.fspath(path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise FileError(f"there is no {path}", "give the folder of a result, or a file in it") from None
    except OSError as err:
        raise FileError(f"cannot open {path}: {err.strerror or err}", "check the name and your rights") from None
    with os.fdopen(handle, "rb") as file:
        info = os.fstat(file.fileno())
        if not stat.S_ISREG(info.st_mode):
            raise FileError(f"{path} is no regular file", "give the folder of a result, or a file in it")
        data = file.read(most + 1) if info.st_size <= most else b""
        if info.st_size > most or len(data) > most:
            raise FileError(f"{path} has more than {most} bytes", "no result is as long; take the original")
        return data


def parse_json(text: bytes, name: str) -> Any:
    """Strict JSON: NaN, infinities, endless numbers, repeated keys and very deep nesting are refused."""

    def constant(word: str) -> Any:
        raise ValueError(f"{word} is no JSON")

    def number(digits: str) -> float:
        if len(digits) > MOST_DIGITS:
            raise ValueError("a number of more than %d digits" % MOST_DIGITS)
        value = float(digits)
        if not math.isfinite(value):
            raise ValueError(f"the number {digits[:20]} is too large")
        return value

    def integer(digits: str) -> Union[int, float]:
        return int(digits) if len(digits) <= 30 else number(digits)

    def once(pairs: List[Any]) -> Dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key stands twice in one object")
        return found

    try:
        return json.loads(text.decode("utf-8"), parse_constant=constant, parse_float=number, parse_int=integer, object_pairs_hook=once)
    except (ValueError, RecursionError) as err:
        said = "it is nested too deeply" if isinstance(err, RecursionError) else str(err)
        raise FileError(f"{name} is not JSON as hearsay writes it: {said}", "take the original file") from None


def read_json(path: PathLike) -> Dict[str, Any]:
    """The object in a JSON file."""
    value = parse_json(read_bytes(path, MOST_JSON), str(path))
    if not isinstance(value, dict):
        raise FileError(f"{path} holds no object", "take the original file")
    return value


def read_csv(path: PathLike, text: Iterable[str] = ()) -> Rows:
    """The rows of a table by column: numbers where a field is one, None where it is empty, and text in the columns named."""
    data = read_bytes(path, MOST_TABLE)
    try:
        lines = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True)
        header = next(lines, None)
        if not header:
            raise FileError(f"{path} is empty", "take the original file")
        if len(set(header)) != len(header):
            raise FileError(f"{path}: two columns have one name", "take the original file")
        kept = [name in set(text) for name in header]
        rows: Rows = []
        for line in lines:
            if len(line) != len(header):
                raise FileError(f"{path} line {lines.line_num} has {len(line)} fields instead of {len(header)}", "take the original file")
            rows.append({name: _value(field, keep) for name, field, keep in zip(header, line, kept)})
        return rows
    except (csv.Error, UnicodeDecodeError) as err:
        raise FileError(f"{path} is no table: {err}", "take the original file") from None


def _value(field: str, keep: bool) -> Any:
    """A field as what it is."""
    if keep:
        return field
    if field == "":
        return None
    if field in ("true", "false"):
        return field == "true"
    try:
        return int(field) if len(field) <= 18 and field.lstrip("-").isdecimal() else float(field)
    except ValueError:
        return field


def frame(rows: Rows, columns: Optional[List[str]] = None) -> Any:
    """A pandas data frame of the rows, or without pandas the rows themselves: a list of dictionaries."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows, columns=columns)


def name_of(path: PathLike) -> Path:
    """The path as one."""
    return Path(os.fspath(path))
