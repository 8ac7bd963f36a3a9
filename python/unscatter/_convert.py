"""Graphs from and to other packages.  What cannot be kept is refused with a reason, and never dropped silently."""
from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Graph, InvalidArgument, Unsupported
from ._graphs import texts

Drop = Union[Tuple[str, ...], List[str], str]


def real_numbers(values: Any, what: str) -> npt.NDArray[np.float64]:
    """Numbers as the library has them.  What would be lost on the way is refused: imaginary parts, masks."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():  # type: ignore[no-untyped-call]
        raise InvalidArgument(f"{what} are masked in places: fill them, or leave them out")
    try:
        array = np.asarray(values)
        if np.iscomplexobj(array):
            if array.imag.any():
                raise InvalidArgument(f"{what} are complex numbers: their imaginary parts would be lost")
            array = array.real
        return np.asarray(array, dtype=np.float64)
    except InvalidArgument:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidArgument(f"{what} are no numbers, or no rows of one length: {error}") from None


def from_arrays(edges: npt.ArrayLike, *, nodes: Optional[int] = None, weights: Optional[npt.ArrayLike] = None,
                directed: bool = False, attributes: Optional[npt.ArrayLike] = None,
                labels: Optional[npt.ArrayLike] = None, positions: Optional[npt.ArrayLike] = None,
                ids: Optional[Sequence[str]] = None, drop_self_loops: bool = False,
                drop_duplicates: bool = False) -> Graph:
    """A graph from an edge list of two columns.

    ``nodes`` is needed where no other argument tells their number: an edge list does not know isolated nodes.  An
    undirected edge stands there once, or once per direction.  ``attributes`` has a row of numbers per node,
    ``labels`` a whole number, ``positions`` two coordinates, ``ids`` an external id.

    >>> import unscatter
    >>> unscatter.from_arrays([[0, 1], [1, 2]], nodes=4, ids=["ann", "bob", "eve", "kim"])
    Graph(4 nodes, 2 edges)
    """
    if nodes is None:
        parts: List[Any] = [part for part in (attributes, labels, positions, ids) if part is not None]
        nodes = len(parts[0]) if parts else None
    if nodes is None:
        raise InvalidArgument("the number of nodes is not known: an edge list does not tell isolated nodes; "
                              "give nodes=")
    if not isinstance(nodes, (int, np.integer)) or nodes < 0:
        raise InvalidArgument(f"the number of nodes is a whole number, and {nodes!r} is none")
    try:
        ends = np.asarray(list(edges) if isinstance(edges, Iterator) else edges)
    except ValueError as error:
        raise InvalidArgument(f"edges are no matrix with two columns: {error}") from None
    if ends.size == 0:
        ends = np.zeros((0, 2), dtype=np.int64)
    if not np.issubdtype(ends.dtype, np.integer):
        raise InvalidArgument(f"edges are of type {ends.dtype} and not whole numbers")
    return _core.graph_from_edges(
        nodes, ends, None if weights is None else real_numbers(weights, "weights of edges"), directed,
        _matrix(attributes), whole_numbers(labels), _places(positions),
        None if ids is None else texts(ids, "ids of nodes"), drop_self_loops, drop_duplicates)


def _matrix(values: Optional[npt.ArrayLike]) -> Optional[npt.NDArray[np.float64]]:
    if values is None:
        return None
    matrix = real_numbers(values, "attributes")
    return matrix.reshape(-1, 1) if matrix.ndim == 1 else matrix


def _places(values: Optional[npt.ArrayLike]) -> Optional[npt.NDArray[np.float64]]:
    if values is None:
        return None
    places = real_numbers(values, "positions")
    if places.ndim != 2 or places.shape[1] != 2:
        raise InvalidArgument(f"positions are two coordinates per node, and no array of shape {places.shape}")
    return places


def may_go(name: str, drop: Drop) -> bool:
    """Whether ``drop`` names this: one name, several, or "all"."""
    return drop == "all" or name in ((drop,) if isinstance(drop, str) else drop)


def refuse_names(what: str, names: Sequence[str], drop: Drop) -> None:
    left = sorted(str(name) for name in names if not may_go(name, drop))
    if left:
        raise Unsupported(f"{what} '{left[0]}' cannot be kept: graphs here have attributes (numbers), a label, a "
                          f"position and edge weights; name it in attributes= or in drop=")


# ---- NetworkX

def _node_names(names: List[Any], ids: Optional[Callable[[Any], str]]) -> Optional[List[str]]:
    """External ids, or None if the nodes are 0, 1, 2, ..., which need none."""
    if ids is not None:
        return texts([ids(name) for name in names], "ids of nodes")
    if all(isinstance(name, str) for name in names):
        return names
    whole = all(isinstance(name, (int, np.integer)) and not isinstance(name, bool) for name in names)
    if whole and sorted(names) == list(range(len(names))):
        return None
    raise Unsupported("nodes are neither texts nor the numbers 0, 1, 2, ...: their names would be lost; ids=str keeps "
                      "them as texts")


def _node_data(nodes: Dict[Any, Dict[str, Any]], names: List[Any], columns: Sequence[str],
               drop: Drop) -> Dict[str, Any]:
    """The parts of a graph that nodes have, by the arguments of from_arrays()."""
    if not any(nodes.values()) and not columns:
        return {}
    found: Dict[str, Any] = {}
    used = set(columns)

    def collect(part: str, key: str) -> None:
        given = [nodes[name][key] for name in names if key in nodes[name]]
        if not given:
            return
        if len(given) != len(names):
            raise Unsupported(f"some nodes have '{key}' and others have not")
        used.add(key)
        found[part] = given

    if columns:
        missing = [(name, key) for name in names for key in columns if key not in nodes[name]]
        if missing:
            raise Unsupported(f"node {missing[0][0]!r} has no '{missing[0][1]}'")
        found["attributes"] = [[nodes[name][key] for key in columns] for name in names]
    else:
        collect("attributes", "attributes")
    collect("labels", "label")
    collect("positions", "pos")
    keys = {key for data in nodes.values() for key in data}
    refuse_names("node data", sorted(str(key) for key in keys - used), drop)
    return found


def from_networkx(graph: Any, *, attributes: Sequence[str] = (), ids: Optional[Callable[[Any], str]] = None,
                  drop: Drop = (), drop_self_loops: bool = False) -> Graph:
    """A graph of NetworkX, undirected or directed.

    Nodes are texts, which become external ids, or 0, 1, 2, ....  Node data "attributes" (a list of numbers), "label"
    (a whole number) and "pos" (two numbers) are kept, and "weight" of edges.  ``attributes`` names node data that
    become the attributes instead.  Other data, also of the graph itself (``graph.graph``), are refused, unless ``drop``
    names them or is "all".  Parallel edges are refused.

    >>> import networkx, unscatter
    >>> unscatter.from_networkx(networkx.path_graph(3))
    Graph(3 nodes, 2 edges)
    """
    if not hasattr(graph, "adjacency") or not hasattr(graph, "is_multigraph"):
        raise InvalidArgument(f"this is no graph of NetworkX but a {type(graph).__name__}"
                              + ("; from_networkx() takes one at a time" if isinstance(graph, (list, tuple)) else ""))
    refuse_names("graph data", list(graph.graph), drop)
    attributes = (attributes,) if isinstance(attributes, str) else attributes
    directed = bool(graph.is_directed())
    adjacency = dict(graph.adjacency())
    if graph.is_multigraph():
        adjacency = _simple(adjacency, drop)
    elif not all(isinstance(row, dict) for row in adjacency.values()):
        # A view, such as graph.subgraph(nodes).
        adjacency = {name: dict(row.items()) for name, row in adjacency.items()}
    names = list(adjacency)
    texts = _node_names(names, ids)
    if texts is None and names != list(range(len(names))):
        # Numbers in another order: the number is the place.
        names.sort()
        adjacency = {name: adjacency[name] for name in names}
    edges, weights, without, others = _core.read_adjacency(adjacency, directed)
    if others:
        refuse_names("edge data", sorted(others), drop)
    if len(weights) and without:
        raise Unsupported("some edges have a weight and others have not")
    parts = _node_data(graph.nodes, names, attributes, drop) if _has_node_data(graph, attributes) else {}
    return _core.graph_from_edges(
        len(names), edges, weights if len(weights) else None, directed, _matrix(parts.get("attributes")),
        whole_numbers(parts.get("labels")), _places(parts.get("positions")), texts, drop_self_loops, False)


def _has_node_data(graph: Any, attributes: Sequence[str]) -> bool:
    return bool(attributes) or any(data for _, data in graph.nodes(data=True))


def whole_numbers(values: Optional[npt.ArrayLike]) -> Optional[npt.NDArray[np.int64]]:
    """Labels of nodes.  Numbers such as 2.0 are taken; 1.5 would lose a half."""
    if values is None:
        return None
    array = np.asarray(values)
    if np.issubdtype(array.dtype, np.floating) and (array == np.floor(array)).all() and (abs(array) < 2**53).all():
        array = array.astype(np.int64)
    if np.issubdtype(array.dtype, np.unsignedinteger) and (array > np.iinfo(np.int64).max).any():
        raise Unsupported("labels of nodes are whole numbers below 2^63; others go into attributes")
    if not np.issubdtype(array.dtype, np.integer) and not array.dtype == bool:
        raise Unsupported("labels of nodes are whole numbers; others go into attributes")
    return array.astype(np.int64)


def _simple(adjacency: Dict[Any, Dict[Any, Dict[Any, Any]]], drop: Drop) -> Dict[Any, Dict[Any, Any]]:
    simple: Dict[Any, Dict[Any, Any]] = {}
    for name, row in adjacency.items():
        simple[name] = {}
        for other, parallel in row.items():
            if len(parallel) > 1:
                raise Unsupported(f"there are {len(parallel)} parallel edges between {name!r} and {other!r}: a graph "
                                  "here has one; merge them first")
            key, data = next(iter(parallel.items()))
            if not isinstance(key, int):
                refuse_names("the key of an edge,", [str(key)], "all" if may_go("key", drop) else ())
            simple[name][other] = data
    return simple


def to_networkx(graph: Graph) -> Any:
    """A Graph or DiGraph of NetworkX, such that from_networkx() gives the same graph back."""
    import networkx

    made = networkx.DiGraph() if graph.directed else networkx.Graph()
    names: Sequence[Any] = graph.node_ids if graph.node_ids is not None else range(graph.node_count)
    made.add_nodes_from(names)
    for key, values in (("attributes", graph.attributes), ("pos", graph.positions), ("label", graph.labels)):
        if values is not None:
            for name, value in zip(names, values.tolist()):
                made.nodes[name][key] = value
    weights = graph.edge_weights()
    for place, (source, target) in enumerate(graph.edges().tolist()):
        data = {} if weights is None else {"weight": float(weights[place])}
        made.add_edge(names[source], names[target], **data)
    return made


# ---- SciPy

def from_scipy(matrix: Any, *, directed: bool = False, weights: Optional[bool] = None,
               attributes: Optional[npt.ArrayLike] = None, labels: Optional[npt.ArrayLike] = None,
               positions: Optional[npt.ArrayLike] = None, ids: Optional[Sequence[str]] = None,
               drop_self_loops: bool = False) -> Graph:
    """A graph from an adjacency matrix; entry (i, j) is the edge i -> j.

    A dense matrix of NumPy is taken as well.  ``weights``: whether entries are weights.  If it is not given, they
    are, unless all of them are 1.  A zero that a sparse matrix stores is an edge of weight 0.  Entries that it stores
    several times are their sum, as everywhere in SciPy.

    >>> import scipy.sparse, unscatter
    >>> unscatter.from_scipy(scipy.sparse.csr_matrix([[0, 1], [1, 0]]))
    Graph(2 nodes, 1 edges)
    """
    if not hasattr(matrix, "tocoo"):
        from scipy import sparse

        dense = real_numbers(matrix, "entries of the matrix")
        if dense.ndim != 2:
            raise InvalidArgument(f"an adjacency matrix is square, and this array has {dense.ndim} dimensions")
        matrix = sparse.coo_matrix(dense)
    coo = matrix.tocoo()
    if not coo.has_canonical_format:
        coo = coo.copy() if coo is matrix else coo
        coo.sum_duplicates()
    if coo.shape[0] != coo.shape[1]:
        raise InvalidArgument(f"an adjacency matrix is square, and this one is {coo.shape[0]} x {coo.shape[1]}")
    edges = np.stack([coo.row, coo.col], axis=1).astype(np.int64)
    values = real_numbers(coo.data, "entries of the matrix")
    if not directed:
        difference = abs(coo.tocsr() - coo.tocsr().T)
        if difference.nnz and difference.max() != 0:
            raise InvalidArgument("the matrix is not symmetric: directed=True keeps both directions apart")
    weighted = bool(np.any(values != 1)) if weights is None else weights
    return from_arrays(edges, nodes=coo.shape[0], weights=values if weighted else None, directed=directed,
                       attributes=attributes, labels=labels, positions=positions, ids=ids,
                       drop_self_loops=drop_self_loops)


def to_scipy(graph: Graph) -> Any:
    """The adjacency matrix as compressed sparse rows; entry (i, j) is the edge i -> j.

    Weights of an undirected graph are not copied, so nobody can write to them; ``.copy()`` is a matrix of your own.
    """
    from scipy import sparse

    weights = graph.weights
    data = np.ones(len(graph.neighbours)) if weights is None else weights
    # Row i lists where edges come from, so this is the transposed matrix.
    incoming = sparse.csr_matrix((data, graph.neighbours, graph.offsets), shape=(graph.node_count,) * 2)
    return incoming.T.tocsr() if graph.directed else incoming
