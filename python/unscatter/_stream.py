"""Files that do not fit memory: one graph after the other."""
from __future__ import annotations

import os
from typing import Iterator, NamedTuple, Optional, Union

from . import _core
from ._core import Graph
from ._progress import ProgressOption, reporter


class StreamedGraph(NamedTuple):
    """A graph of a file.  ``label`` and ``id`` are as the file spells them, or None; ``number`` counts from 0."""

    graph: Graph
    label: Optional[str]
    id: Optional[str]
    number: int
    place: str


class GraphStream(Iterator[StreamedGraph]):
    """The graphs of a file, each read when it is asked for; stream() makes it."""

    def __init__(self, core: _core.CoreStream) -> None:
        self._core = core

    def __iter__(self) -> "GraphStream":
        return self

    def __next__(self) -> StreamedGraph:
        found = self._core.next()
        if found is None:
            raise StopIteration
        return StreamedGraph(*found)


def stream(name_or_path: Union[str, "os.PathLike[str]"], *, symmetrise: bool = False, threads: int = 0,
           progress: ProgressOption = None) -> GraphStream:
    """Reads a data set graph by graph.  JSONL takes the memory of one graph, however long the file is.

    Other formats are read as a whole first.  "-" is JSONL on standard input.  Model.predict_stream() predicts such
    graphs, and Workspace.create(..., stream=True) learns from a file in this way.

    >>> import unscatter
    >>> unscatter.interest_groups(groups=3, seed=1).save("few.jsonl")
    >>> [(one.number, one.label) for one in unscatter.stream("few.jsonl")]
    [(0, 'channel'), (1, 'club'), (2, 'channel')]
    """
    name = os.fspath(name_or_path)
    path = name if name == "-" else os.fspath(_core.find_dataset(name))
    return GraphStream(_core.CoreStream.open(path, symmetrise, threads, reporter(progress)))
