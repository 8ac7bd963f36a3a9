"""Rows that a function of the user's own makes of graphs."""
from __future__ import annotations

from typing import Callable, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _core
from ._convert import real_numbers
from ._core import Graph, InvalidArgument

RowFunction = Callable[[Graph], npt.ArrayLike]
# How many graphs a function is called on twice, to see whether it gives the same row.
_GRAPHS_CHECKED = 3
NOT_FOR_ROWS = ("rows are embeddings already: an embedder of graphs does not go with them; \"rows:SCALE\" divides them "
                "by a stated number")


def transform_of_rows(embedding: Optional[str]) -> _core.Transform:
    """"rows", or "rows:SCALE"."""
    transform = _core.Transform("rows" if embedding is None else embedding, {})
    if transform.family != "rows":
        raise InvalidArgument(NOT_FOR_ROWS)
    return transform


def _row(function: RowFunction, graph: Graph, place: int) -> npt.NDArray[np.float64]:
    return real_numbers(function(graph), f"what the embedder gave for graph {place}: these").reshape(-1)


def rows_by(function: RowFunction, graphs: Sequence[Graph], check: bool) -> npt.NDArray[np.float64]:
    """The row of each graph, one graph at a time."""
    rows = [_row(function, graph, place) for place, graph in enumerate(graphs)]
    if not rows:
        raise InvalidArgument("there is no graph to make a row of")
    for place, row in enumerate(rows):
        if not np.isfinite(row).all():
            raise InvalidArgument(f"the embedder gave graph {place} a row with a number that is not finite")
    for place in range(min(_GRAPHS_CHECKED, len(rows)) if check else 0):
        again = _row(function, graphs[place], place)
        if not np.array_equal(rows[place], again):
            raise InvalidArgument(f"the embedder gave graph {place} two different rows: a row has to be a function of "
                                  "its graph alone (no dropout, no statistics of a batch)")
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise InvalidArgument(f"the embedder gave rows of different widths: {sorted(widths)}")
    return np.stack(rows)
