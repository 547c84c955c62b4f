"""Fields of a table, read as the program reads them: which stand for nothing, which are numbers, which are categories."""

from __future__ import annotations

import math
import re
from typing import Any, Optional, Sequence

_DECIMAL = re.compile(r"[+-]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][+-]?\d[\d_]*)?", re.ASCII)
_HEXADECIMAL = re.compile(r"[+-]?0[xX][0-9a-fA-F_]*\.?[0-9a-fA-F_]*[pP][+-]?\d[\d_]*", re.ASCII)
_UNDERSCORE = re.compile(r"(?<![0-9a-fA-FxX])_|_(?![0-9a-fA-F])")
_MISSING = set(
    "? na n/a <na> nan nat null (null) [null] none nil - -- . \\n #n/a #na #null! #value! #div/0! #ref! #name? #num! "
    "na_character_ na_integer_ na_real_".split()
)
_BLANKS = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def finite(field: str) -> Optional[float]:
    """The number that a field is, in the grammar of the program; None of what is none, too large, infinite or NaN."""
    if len(field) > 10_000 or _UNDERSCORE.search(field):
        return None
    digits = field.replace("_", "")
    try:
        if _DECIMAL.fullmatch(field):
            value = float(digits)
        elif _HEXADECIMAL.fullmatch(field):
            value = float.fromhex(digits)
        else:
            return None
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def is_missing(field: str, categories: Optional[Sequence[str]], listed: Sequence[str] = ()) -> bool:
    """Whether a field stands for a value that nobody knows: what the model lists, or a usual word. What is a category is one."""
    if listed and category_of(listed, field) >= 0:
        return True
    if categories is not None and category_of(categories, field) >= 0:
        return False
    return field == "" or field.lower() in _MISSING


def category_of(categories: Sequence[str], field: str) -> int:
    """The number of a category: the same text or, as spreadsheets write 1.0 for 1, the one number that is the same; else -1."""
    if field in categories:
        return categories.index(field)
    value = finite(field)
    if value is None:
        return -1
    same = [k for k, text in enumerate(categories) if finite(text) == value]
    return same[0] if len(same) == 1 else -1


def class_key(text: str) -> Any:
    """What labels are compared by: 1, +1 and 1.0 are the same."""
    value = finite(text)
    return text if value is None else value


def field_of(value: Any) -> str:
    """A cell as a file would have it: what is missing is empty, texts lose the blanks around them."""
    if isinstance(value, str):
        return value.strip(_BLANKS)
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(value, bytes):
        return field_of(value.decode("utf-8", "replace"))
    if hasattr(value, "item"):
        value = value.item()  # a number of numpy
    if isinstance(value, float):
        return "" if value != value else repr(value)
    return str(value)
