"""Graphs of PyTorch Geometric, by the names of their fields only: torch is never imported."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union, overload

import numpy as np
import numpy.typing as npt

from ._convert import Drop, from_arrays, may_go, refuse_names, whole_numbers
from ._core import Graph, InvalidArgument, Unsupported
from ._graphs import GraphDataset

# "label" and "node_ids" are those of to_pyg().
_NAMES = frozenset(("edge_index", "x", "y", "pos", "edge_weight", "edge_attr", "num_nodes", "batch", "ptr", "label",
                    "node_ids"))


def _array(tensor: Any) -> Optional[npt.NDArray[Any]]:
    if tensor is None:
        return None
    if hasattr(tensor, "detach"):
        tensor = tensor.detach().cpu().numpy()
    return np.asarray(tensor)


def _names(data: Any) -> List[str]:
    keys = getattr(data, "keys", None)
    if keys is None:
        return [name for name in vars(data) if not name.startswith("_")]
    return list(keys() if callable(keys) else keys)


def _is_symmetric(edges: npt.NDArray[Any], weights: Optional[npt.NDArray[Any]]) -> bool:
    values = [1.0] * len(edges) if weights is None else weights.tolist()
    there: Dict[Tuple[int, int], float] = {}
    for (source, target), value in zip(edges.tolist(), values):
        there[source, target] = there.get((source, target), 0.0) + value
    return all(there.get((target, source)) == value for (source, target), value in there.items())


def _edge_weights(data: Any, edges: npt.NDArray[Any], drop: Drop) -> Optional[npt.NDArray[Any]]:
    weights = _array(getattr(data, "edge_weight", None))
    columns = _array(getattr(data, "edge_attr", None))
    if columns is None or may_go("edge_attr", drop):
        return weights
    if weights is not None:
        raise Unsupported("edge_attr stands beside edge_weight, and edges here have one weight; drop=('edge_attr',) "
                          "leaves it out")
    if columns.size != len(edges) or columns.shape[0] != len(edges):
        raise Unsupported("edge_attr has more than one number per edge, and edges here have a weight only; "
                          "drop=('edge_attr',) leaves it out")
    return columns.reshape(-1)


def _node_count(data: Any, x: Optional[npt.NDArray[Any]], pos: Optional[npt.NDArray[Any]]) -> int:
    nodes = getattr(data, "num_nodes", None)
    if nodes is not None:
        return int(nodes)
    for part in (x, pos):
        if part is not None:
            return len(part)
    raise InvalidArgument("neither num_nodes nor x tells the number of nodes")


def _one_graph(data: Any, directed: Optional[bool], ids: Optional[Sequence[str]], drop: Drop,
               drop_self_loops: bool, drop_duplicates: bool) -> Graph:
    if not hasattr(data, "edge_index"):
        raise InvalidArgument(f"this is no object with edge_index but a {type(data).__name__}")
    refuse_names("field", [name for name in _names(data) if name not in _NAMES], drop)
    batch = _array(getattr(data, "batch", None))
    if batch is not None and batch.size and batch.min() != batch.max():
        raise Unsupported("this is a batch of several graphs: give its to_data_list()")
    index = _array(data.edge_index)
    if index is None or index.ndim != 2 or index.shape[0] != 2:
        raise InvalidArgument("edge_index has no two rows")
    edges = np.ascontiguousarray(index.T)
    weights = _edge_weights(data, edges, drop)
    x, pos = _array(getattr(data, "x", None)), _array(getattr(data, "pos", None))
    if pos is not None and (pos.ndim != 2 or pos.shape[1] != 2):
        if not may_go("pos", drop):
            raise Unsupported("pos has other than two coordinates; put them into x, or drop=('pos',) leaves them out")
        pos = None
    label = _array(getattr(data, "label", None))
    return from_arrays(edges, nodes=_node_count(data, x, pos), weights=weights,
                       directed=not _is_symmetric(edges, weights) if directed is None else directed, attributes=x,
                       labels=None if label is None else whole_numbers(list(label)), positions=pos,
                       ids=getattr(data, "node_ids", None) if ids is None else ids, drop_self_loops=drop_self_loops,
                       drop_duplicates=drop_duplicates)


def _class_of(data: Any) -> Any:
    """``y`` of a graph: one whole number or text."""
    value = _array(getattr(data, "y", None))
    if value is None or value.size != 1:
        raise Unsupported("y is not one class per graph; convert graph by graph, and give the classes to GraphDataset")
    found = value.reshape(-1)[0]
    if isinstance(found, (float, np.floating)):
        raise Unsupported(f"y is {found}, which is no class: classes are whole numbers or texts")
    return found


@overload  # a list, which Any would take as well
def from_pyg(data: Sequence[Any], *, directed: Optional[bool] = None,  # type: ignore[misc]
             ids: Optional[Sequence[str]] = None, drop: Drop = (), drop_self_loops: bool = False,
             drop_duplicates: bool = False) -> GraphDataset: ...


@overload
def from_pyg(data: Any, *, directed: Optional[bool] = None, ids: Optional[Sequence[str]] = None, drop: Drop = (),
             drop_self_loops: bool = False, drop_duplicates: bool = False) -> Graph: ...


def from_pyg(data: Any, *, directed: Optional[bool] = None, ids: Optional[Sequence[str]] = None, drop: Drop = (),
             drop_self_loops: bool = False, drop_duplicates: bool = False) -> Union[Graph, GraphDataset]:
    """A graph from an object with ``edge_index`` and, where it has them, ``x``, ``pos``, ``edge_weight``.

    ``x`` becomes the attributes.  ``edge_attr`` of one column counts as weights; more columns are refused.
    ``directed``: if it is not given, a graph whose edges all stand there in both directions is undirected, as PyTorch
    Geometric writes it.  ``ids`` are external ids of the nodes.  ``drop`` names fields that may go.
    ``drop_duplicates=True`` makes parallel edges one, whose weight is the sum.

    A list of such objects becomes a GraphDataset with their ``y`` as classes; ``ids`` are then those of the graphs.

    >>> from types import SimpleNamespace
    >>> import numpy, unscatter
    >>> data = SimpleNamespace(edge_index=numpy.array([[0, 1], [1, 0]]), x=numpy.ones((2, 3)), y=1)
    >>> unscatter.from_pyg(data), unscatter.from_pyg([data, data]).y.tolist()
    (Graph(2 nodes, 1 edges), [1, 1])
    """
    if hasattr(data, "edge_index") and not isinstance(data, (list, tuple)):
        return _one_graph(data, directed, ids, drop, drop_self_loops, drop_duplicates)
    if isinstance(data, Iterator):
        data = list(data)
    if not hasattr(data, "__len__") or not hasattr(data, "__getitem__"):
        raise InvalidArgument("this is neither an object with edge_index nor a list of such objects")
    many = [data[place] for place in range(len(data))]
    graphs = [_one_graph(one, directed, None, drop, drop_self_loops, drop_duplicates) for one in many]
    return GraphDataset(graphs, [_class_of(one) for one in many], ids=ids)


def to_pyg(graph: Graph) -> Dict[str, Any]:
    """The fields of a ``torch_geometric.data.Data`` as NumPy arrays; from_pyg() gives the same graph back.

    ``label`` are labels of nodes, and ``node_ids``, a list of texts, external ids.
    """
    weights = graph.edge_weights()
    edges = graph.edges()
    if not graph.directed:
        edges = np.concatenate([edges, edges[:, ::-1]])
        weights = None if weights is None else np.concatenate([weights, weights])
    fields: Dict[str, Any] = {"edge_index": np.ascontiguousarray(edges.T), "num_nodes": graph.node_count}
    parts = {"edge_weight": weights, "x": graph.attributes, "pos": graph.positions, "label": graph.labels}
    fields.update({name: np.array(part) for name, part in parts.items() if part is not None})
    if graph.node_ids is not None:
        fields["node_ids"] = list(graph.node_ids)
    return fields
