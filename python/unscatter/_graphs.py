"""Collections of graphs."""
from __future__ import annotations

import copyreg
import math
import os
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union, overload

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Graph, InvalidArgument
from ._progress import ProgressOption, reporter

Labels = npt.NDArray[Any]


def _restore_graph(rows: Tuple[Any, ...]) -> Graph:
    return _core.graph_from_rows(*rows)


def _reduce_graph(graph: Graph) -> Tuple[Any, Tuple[Any]]:
    """A graph is data, and its pickle holds all of it.  Classifiers and workspaces never pickle their graphs."""
    states = graph.states
    rows = (np.asarray(graph.offsets), np.asarray(graph.neighbours), graph.weights, graph.directed, graph.attributes,
            graph.labels, graph.positions, graph.node_ids, list(states) if states.any() else None)
    return _restore_graph, (rows,)


copyreg.pickle(Graph, _reduce_graph)


def class_text(label: Any) -> str:
    """How a class is called in files: the text itself, or a number as Python writes it."""
    value = label.item() if isinstance(label, np.generic) else label
    if value is None or isinstance(value, float) and math.isnan(value):
        raise InvalidArgument(f"{label!r} is no class: leave such graphs out, or name a class for them")
    return str(value)


def texts(values: Sequence[Any], what: str) -> List[str]:
    """External ids.  Numbers are refused: in a request a number means a place, so the wrong graph would be forgotten.
    """
    chosen = list(values)
    for value in chosen:
        if not isinstance(value, str):
            raise InvalidArgument(f"{what} are texts, and {value!r} is none: in a request a number means a place; "
                                  "str() makes a text of it")
    return chosen


def graph_list(graphs: Iterable[Any]) -> List[Graph]:
    """Graphs, and nothing else."""
    chosen = list(graphs)
    for place, graph in enumerate(chosen):
        if not isinstance(graph, Graph):
            raise InvalidArgument(f"what stands at place {place} is no Graph but a {type(graph).__name__}: "
                                  "from_networkx(), from_scipy(), from_pyg() and from_arrays() make graphs")
    return chosen


def class_values(names: Sequence[str]) -> Labels:
    """Whole numbers where all names are such, else texts."""
    try:
        numbers = [int(name) for name in names]
    except ValueError:
        return np.array(list(names), dtype=object if not names else None)
    if [str(number) for number in numbers] != list(names):
        return np.array(list(names))
    return np.array(numbers)


class GraphDataset(Sequence[Graph]):
    """Graphs with their classes, as a sequence: ``data[3]`` is a graph, ``data[:10]`` a smaller data set.

    Graphs of a data set share its memory.  ``y`` has one class per graph.

    >>> import unscatter
    >>> path = unscatter.from_arrays([[0, 1], [1, 2]], nodes=3)
    >>> data = unscatter.GraphDataset([path, path.without_edge(0, 1)], y=["long", "short"])
    >>> data[1].edge_count, list(data[:1].y)
    (1, ['long'])
    """

    def __init__(self, graphs: Iterable[Graph], y: Optional[Iterable[Any]] = None, *,
                 ids: Optional[Sequence[str]] = None, name: str = "graphs") -> None:
        chosen = graph_list(graphs)
        # Graphs of which no class is known are of one class, which says nothing.
        labels = ["0"] * len(chosen) if y is None else [class_text(label) for label in y]
        self._core = _core.make_dataset(name, chosen, labels, [] if ids is None else texts(ids, "ids of graphs"))

    @classmethod
    def _of(cls, core: _core.Dataset) -> "GraphDataset":
        made = cls.__new__(cls)
        made._core = core
        return made

    @property
    def name(self) -> str:
        """What files call it."""
        return self._core.name

    @property
    def class_names(self) -> List[str]:
        """The classes as files spell them."""
        return self._core.class_names

    @property
    def ids(self) -> Optional[List[str]]:
        """External ids of the graphs, if they have some."""
        return self._core.graph_ids or None

    @property
    def y(self) -> Labels:
        """The class of each graph: whole numbers where all names are such, else texts."""
        values = class_values(self.class_names)
        chosen: Labels = values[np.asarray(self._core.labels)]
        return chosen

    def __len__(self) -> int:
        return len(self._core)

    def __iter__(self) -> Iterator[Graph]:
        return (self._core.graph(i) for i in range(len(self)))

    @overload
    def __getitem__(self, which: int) -> Graph: ...

    @overload
    def __getitem__(self, which: Union[slice, Sequence[int], npt.NDArray[Any]]) -> "GraphDataset": ...

    def __getitem__(self, which: Any) -> Union[Graph, "GraphDataset"]:
        if isinstance(which, (int, np.integer)):
            return self._core.graph(int(which))
        chosen = np.arange(len(self))[which]
        return GraphDataset._of(self._core.subset([int(i) for i in chosen]))

    def split(self, *, seed: int, train: Optional[float] = None, validation: Optional[float] = None,
              test: Optional[float] = None) -> Tuple["GraphDataset", "GraphDataset", "GraphDataset"]:
        """Three random parts: to learn from, to choose by, to test on.  The same for the same seed everywhere.

        Of ``train`` and ``test``, one that is not given takes the rest; ``validation`` that is not given is 0.  Without
        any of them the shares are the library's.

        >>> import unscatter
        >>> data = unscatter.interest_groups(groups=50, seed=1)
        >>> [len(part) for part in data.split(seed=1, test=0.2)]
        [40, 0, 10]
        """
        if train is not None or validation is not None or test is not None:
            validation = 0.0 if validation is None else validation
            if train is None:
                test = 0.0 if test is None else test
                train = max(0.0, 1 - validation - test)
            elif test is None:
                test = max(0.0, 1 - train - validation)
        parts = _core.random_split(len(self), train, validation, test, seed)
        first, second, third = (GraphDataset._of(self._core.subset(part)) for part in parts)
        return first, second, third

    def summary(self) -> Dict[str, Any]:
        """Counts by which a person sees whether the right data was read."""
        return self._core.summary()

    def digest(self) -> str:
        """A digest of graphs, features, ids and labels."""
        return self._core.digest()

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes JSONL, which load() and the command line read."""
        self._core.write_jsonl(os.fspath(path))

    def __eq__(self, other: object) -> bool:
        """The same graphs, features, ids and classes, in the same order; the name does not count."""
        if not isinstance(other, GraphDataset):
            return NotImplemented
        return self is other or (len(self) == len(other) and self.digest() == other.digest())

    def __hash__(self) -> int:
        return hash(self.digest())

    def __repr__(self) -> str:
        return f"GraphDataset({self.name!r}, {len(self)} graphs, classes {', '.join(self.class_names)})"

    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        labels = [self._core.label(i) for i in range(len(self))]
        return _restore_dataset, (self.name, list(self), labels, self._core.graph_ids, self.class_names,
                                  self._core.due_dates)


def _restore_dataset(name: str, graphs: List[Graph], labels: List[str], ids: List[str], classes: List[str],
                     due_dates: Tuple[List[Optional[int]], Dict[str, int]]) -> GraphDataset:
    core = _core.make_dataset(name, graphs, labels, ids)
    return GraphDataset._of(core.with_classes(classes).with_due_dates(*due_dates))


def load(name_or_path: Union[str, "os.PathLike[str]"], *, symmetrise: bool = False, threads: int = 0,
         progress: ProgressOption = None) -> GraphDataset:
    """Reads a data set: a path, or the name of one that is on this machine, as on the command line."""
    path = _core.find_dataset(os.fspath(name_or_path))
    return GraphDataset._of(_core.read_dataset(path, symmetrise, threads, reporter(progress)))


def interest_groups(*, groups: Optional[int] = None, users: Optional[int] = None, noise: Optional[float] = None,
                    seed: Optional[int] = None) -> GraphDataset:
    """Synthetic social groups for trials: users meet in groups, and links tell a club from a channel."""
    return GraphDataset._of(_core.interest_groups(groups, users, noise, seed))
