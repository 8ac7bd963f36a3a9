"""Predictions of published models.

The compiled class gets these methods here, because they take whatever users have: data sets, lists of graphs, rows.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Model
from ._embedding import is_graphs
from ._graphs import GraphDataset, class_values
from ._progress import ProgressOption, reporter


def rows_of(X: Any) -> _core.Dataset:
    """Rows without classes, as the compiled part takes them."""
    rows = np.asarray(X, dtype=np.float64)
    return _core.rows_dataset("rows", rows, ["0"] * len(rows), [], [])


def scores(self: Model, X: Any, *, threads: int = 0, progress: ProgressOption = None) -> npt.NDArray[np.float64]:
    """Scores of graphs, or of a 2-D array of rows: one column per class, in the order of ``class_names``."""
    report = reporter(progress)
    if isinstance(X, GraphDataset):
        return self.dataset_scores(X._core, threads, report)
    if is_graphs(X):
        return self.graph_scores(list(X), threads, report)
    return self.dataset_scores(rows_of(X), threads, report)


def predict(self: Model, X: Any, *, threads: int = 0, progress: ProgressOption = None) -> npt.NDArray[Any]:
    """The class of the largest score."""
    best = np.argmax(scores(self, X, threads=threads, progress=progress), axis=1)
    chosen: npt.NDArray[Any] = class_values(self.class_names)[best]
    return chosen


def attach() -> None:
    setattr(Model, "scores", scores)
    setattr(Model, "predict", predict)
