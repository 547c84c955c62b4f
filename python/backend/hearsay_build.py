"""Packs the folder above as a wheel, with the standard library alone (PEP 517 and 660).

Build back ends of others would have to be fetched: this one lets ``pip install ./python`` work on a machine without
network. The same files give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
import zipfile
from pathlib import Path
from typing import Any, Dict, Optional

HERE = Path(__file__).resolve().parent.parent
PACKAGE = "hearsay"


def _field(name: str) -> str:
    """A text field of the table [project] of pyproject.toml."""
    table = (HERE / "pyproject.toml").read_text(encoding="utf-8").split("[project]", 1)[1].split("\n[", 1)[0]
    found = re.search(rf'^{re.escape(name)} = "([^"]*)"$', table, re.MULTILINE)
    if not found:
        raise ValueError(f"pyproject.toml: [project] has no {name}")
    return found.group(1)


def _metadata() -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {_field('name')}", f"Version: {_field('version')}", f"Summary: {_field('description')}",
             "License: Apache-2.0", f"Requires-Python: {_field('requires-python')}", "Description-Content-Type: text/markdown"]
    for extra, wants in (("frames", ("numpy", "pandas")), ("learn", ("numpy", "scikit-learn"))):
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {want}; extra == '{extra}'" for want in wants]
    return "\n".join(lines) + "\n\n" + (HERE / "README.md").read_text(encoding="utf-8")


def _package() -> Dict[str, bytes]:
    """The files of the package by their names in a wheel."""
    files = sorted(p for p in (HERE / PACKAGE).iterdir() if p.suffix == ".py" or p.name == "py.typed")
    return {f"{PACKAGE}/{p.name}": p.read_bytes() for p in files}


def _write(folder: str, files: Dict[str, bytes]) -> str:
    """Writes a wheel of files and what must stand beside them; returns its name."""
    info = f"{_field('name')}-{_field('version')}.dist-info"
    name = f"{_field('name')}-{_field('version')}-py3-none-any.whl"
    wheel = "Wheel-Version: 1.0\nGenerator: hearsay\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = {**files, f"{info}/METADATA": _metadata().encode(), f"{info}/WHEEL": wheel.encode()}
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return name


def build_wheel(wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None) -> str:
    """Writes the wheel into the folder and returns its name."""
    return _write(wheel_directory, _package())


def build_editable(wheel_directory: str, config_settings: Optional[Dict[str, Any]] = None, metadata_directory: Optional[str] = None) -> str:
    """Writes a wheel that only points here, for pip install -e."""
    return _write(wheel_directory, {f"__editable__{PACKAGE}.pth": f"{HERE}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: Optional[Dict[str, Any]] = None) -> str:
    """Is not offered: wheels are built from the folder."""
    raise NotImplementedError("install from the folder: python3 -m pip install ./python")
