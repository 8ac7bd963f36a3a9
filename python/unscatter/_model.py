"""Predictions of published models.

The compiled class gets these methods here, because they take whatever users have: data sets, lists of graphs, rows.
"""
from __future__ import annotations

import os
from itertools import islice
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._convert import real_numbers
from ._core import Graph, Model
from ._embedding import collected, graphs_only, is_graphs, refuse_foreign
from ._graphs import GraphDataset, class_values, graph_list
from ._progress import ProgressOption, reporter
from ._stream import StreamedGraph, stream


def rows_of(X: Any) -> _core.Dataset:
    """Rows without classes, as the compiled part takes them."""
    rows = real_numbers(X, "rows")
    return _core.rows_dataset("rows", rows, ["0"] * len(rows), [], [])


def scores(self: Model, X: Any, *, threads: int = 0, progress: ProgressOption = None) -> npt.NDArray[np.float64]:
    """Scores of graphs, or of a 2-D array of rows: one column per class, in the order of ``class_names``."""
    report = reporter(progress)
    X = collected(X)
    if not is_graphs(X) and self.transform["family"] == "rows":
        refuse_foreign(X)
        return self.dataset_scores(rows_of(X), threads, report)
    graphs = graphs_only(X)
    if isinstance(graphs, GraphDataset):
        return self.dataset_scores(graphs._core, threads, report)
    return self.graph_scores(list(graphs), threads, report)


def predict(self: Model, X: Any, *, threads: int = 0, progress: ProgressOption = None) -> npt.NDArray[Any]:
    """The class of the largest score."""
    best = np.argmax(scores(self, X, threads=threads, progress=progress), axis=1)
    chosen: npt.NDArray[Any] = class_values(self.class_names)[best]
    return chosen


class Prediction(NamedTuple):
    """Of one graph of a stream.  ``lead`` is how far the largest score is ahead of the second.

    ``number``, ``id`` and ``label`` are those of the stream; the label is None where the file does not say.
    """

    number: int
    id: Optional[str]
    label: Any
    predicted: Any
    lead: float
    scores: npt.NDArray[np.float64]


# So many graphs are embedded together; more would only take memory.
_GRAPHS_TOGETHER = 256


def predict_stream(self: Model, graphs: Union[str, "os.PathLike[str]", Iterable[Union[Graph, StreamedGraph]]], *,
                   threads: int = 0) -> Iterator[Prediction]:
    """Predicts graphs as they come: of a file (as stream() reads it), of a stream, or of any iterator of graphs.

    Some hundred graphs are in memory at a time.  The same numbers as ``unscatter predict``.
    """
    source = stream(graphs, threads=threads) if isinstance(graphs, (str, os.PathLike)) else iter(graphs)
    return _predictions(self, source, threads)


def _predictions(model: Model, source: Iterator[Union[Graph, StreamedGraph]], threads: int) -> Iterator[Prediction]:
    values = class_values(model.class_names)
    known = dict(zip(model.class_names, values))
    count = 0
    while True:
        batch = [one if isinstance(one, StreamedGraph) else StreamedGraph(one, None, None, count + place, "")
                 for place, one in enumerate(islice(source, _GRAPHS_TOGETHER))]
        if not batch:
            return
        count += len(batch)
        choices = model.graph_choices(graph_list([one.graph for one in batch]), threads)
        for one, (place, lead, found) in zip(batch, choices):
            label = None if one.label is None else known.get(one.label, one.label)
            yield Prediction(one.number, one.id, label, values[place], lead, found)


def attach() -> None:
    setattr(Model, "predict_stream", predict_stream)
    setattr(Model, "scores", scores)
    setattr(Model, "predict", predict)
