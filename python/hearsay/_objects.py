"""Graphs, matrices and tables that stand in a spec in place of the paths of files: they are written for as long as a command runs."""

from __future__ import annotations

import contextlib
import csv
import os
import shutil
import tempfile
from collections.abc import Mapping
from typing import Any, Dict, Iterator, List, Tuple
from xml.sax.saxutils import quoteattr

from .errors import HearsayError


class Held:
    """The folder of objects that became files."""

    def __init__(self) -> None:
        self.folder = ""
        self.paths: Dict[int, str] = {}
        self.kept: List[Any] = []  # so that no other object gets the id of one of them

    def spec(self, spec: Mapping[str, Any]) -> Dict[str, Any]:
        """The spec with paths in place of objects."""
        return {key: self.value(key, value) for key, value in spec.items()}

    def value(self, key: str, value: Any) -> Any:
        """A value of a key, with a path in place of an object."""
        if key == "graph":
            return self.graph(value)
        if key == "data.path":
            return self.path(value, self._table, ".csv") if _is_table(value) else value
        if key == "data" and _is_table(value):
            return {"source": "csv", "path": self.path(value, self._table, ".csv")}
        if key == "data" and isinstance(value, Mapping):
            given: Dict[str, Any] = dict(value)
            if _is_table(given.get("path")):
                given = {"source": "csv", **given, "path": self.value("data.path", given["path"])}
            return given
        return value

    def graph(self, value: Any) -> Any:
        """A graph's file: of networkx, or a symmetric matrix of numpy or scipy."""
        if callable(getattr(value, "edges", None)) and callable(getattr(value, "nodes", None)):
            return self.path(value, _networkx, ".graphml")
        if _is_matrix(value):
            return self.path(value, _adjacency, ".graphml")
        return value

    def table(self, value: Any) -> str:
        """A table's file: of a data frame, or a list of dictionaries."""
        if _is_table(value):
            return self.path(value, self._table, ".csv")
        return self.path(value, _rows, ".csv") if isinstance(value, list) else str(os.fspath(value))

    def path(self, value: Any, write: Any, ending: str) -> str:
        """The file of an object, written once."""
        if id(value) not in self.paths:
            if not self.folder:
                self.folder = tempfile.mkdtemp(prefix="hearsay-")
            path = os.path.join(self.folder, f"{len(self.paths) + 1}{ending}")
            write(value, path)
            self.paths[id(value)] = path
            self.kept.append(value)
        return self.paths[id(value)]

    @staticmethod
    def _table(value: Any, path: str) -> None:
        value.to_csv(path, index=False)


@contextlib.contextmanager
def held() -> Iterator[Held]:
    """Objects that become files, which are gone afterwards."""
    objects = Held()
    try:
        yield objects
    finally:
        if objects.folder:
            shutil.rmtree(objects.folder, ignore_errors=True)


def _is_table(value: Any) -> bool:
    return callable(getattr(value, "to_csv", None)) and hasattr(value, "columns")


def _is_matrix(value: Any) -> bool:
    shape = getattr(value, "shape", None)
    return isinstance(shape, tuple) and len(shape) == 2 and (callable(getattr(value, "tocoo", None)) or callable(getattr(value, "tolist", None)))


def _rows(rows: List[Any], path: str) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, list(rows[0]) if rows else [])
        out.writeheader()
        out.writerows(rows)


def _networkx(graph: Any, path: str) -> None:
    if graph.is_directed():
        raise HearsayError("the graph is directed, and neighbours talk both ways", "give graph.to_undirected()")
    nodes = list(graph.nodes())
    number = {node: k for k, node in enumerate(nodes)}
    names = [] if nodes == list(range(len(nodes))) else [str(node) for node in nodes]
    if len(set(names)) < len(names):
        raise HearsayError("two nodes of the graph are called the same as texts", "relabel them: networkx.convert_node_labels_to_integers(graph)")
    _write(path, len(nodes), names, [(number[edge[0]], number[edge[1]]) for edge in graph.edges()])


def _adjacency(matrix: Any, path: str) -> None:
    if matrix.shape[0] != matrix.shape[1]:
        raise HearsayError(f"a matrix of {matrix.shape[0]} x {matrix.shape[1]} is no graph", "give one with a row and a column for each node")
    if callable(getattr(matrix, "tocoo", None)):
        entries = matrix.tocoo()
        found = {(int(u), int(v)): value for u, v, value in zip(entries.row, entries.col, entries.data) if value != 0}
    else:
        found = {(u, v): value for u, row in enumerate(matrix.tolist()) for v, value in enumerate(row) if value != 0}
    for (u, v), value in found.items():
        if u == v:
            raise HearsayError(f"the matrix has {value} at row {u} and column {u}, and nobody is a neighbour of itself", "give one with zeros on its diagonal")
        if (v, u) not in found:
            raise HearsayError(f"the matrix has {value} at row {u} and column {v}, and 0 at row {v} and column {u}", "give a symmetric one: neighbours talk both ways")
    _write(path, matrix.shape[0], [], sorted((u, v) for u, v in found if u < v))


def _write(path: str, nodes: int, names: List[str], edges: List[Tuple[int, int]]) -> None:
    """A GraphML file; names are ids, and without any ids are numbers."""
    ids = [quoteattr(name) for name in names] or [quoteattr(str(k)) for k in range(nodes)]
    with open(path, "w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">\n')
        file.writelines(f"<node id={one}/>\n" for one in ids)
        file.writelines(f"<edge source={ids[u]} target={ids[v]}/>\n" for u, v in edges)
        file.write("</graph></graphml>\n")
