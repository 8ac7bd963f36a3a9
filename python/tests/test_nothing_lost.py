"""Graphs of other packages: what they hold arrives, or one sentence says what would be lost."""
import math
import random
from types import SimpleNamespace

import networkx
import numpy as np
import pytest
from scipy import sparse

import unscatter

RING = np.array([[0, 1], [1, 2], [2, 0]])


def path(**data):
    """Three nodes in a line, with this edge data."""
    graph = networkx.path_graph(3)
    for name, value in data.items():
        networkx.set_edge_attributes(graph, value, name)
    return graph


# ---- NetworkX

@pytest.mark.parametrize("kind", [networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph])
def test_views_are_the_graphs_that_they_show(kind):
    whole = kind(networkx.gnp_random_graph(12, 0.4, seed=1, directed=kind().is_directed()))
    networkx.set_edge_attributes(whole, {edge: float(sum(edge[:2])) for edge in whole.edges}, "weight")
    networkx.set_node_attributes(whole, {node: node % 3 for node in whole}, "label")
    views = [whole.subgraph(range(6)), networkx.restricted_view(whole, range(6, 12), []), whole.copy(as_view=True),
             whole.edge_subgraph([edge for edge in whole.edges if max(edge[:2]) < 6])]
    for view in views:
        copy = kind(view)
        assert unscatter.from_networkx(view, ids=str) == unscatter.from_networkx(copy, ids=str)
    assert unscatter.from_networkx(views[0]).node_count == 6


def test_graphs_of_all_four_classes_keep_every_edge():
    chance = random.Random(5)
    for trial in range(200):
        kind = chance.choice([networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph])
        graph, count = kind(), chance.randint(1, 12)
        name = chance.choice([int, np.int64, "n{}".format])
        names = [name(number) for number in range(count)]
        chance.shuffle(names)
        graph.add_nodes_from(names)
        for source, target in {(chance.choice(names), chance.choice(names)) for _ in range(20)}:
            if source != target and not graph.has_edge(source, target):
                graph.add_edge(source, target, weight=chance.choice([float, np.float32, int])(chance.randint(-3, 9)))
        back = unscatter.to_networkx(unscatter.from_networkx(graph))
        assert set(back) == set(graph), trial
        assert back.number_of_edges() == graph.number_of_edges(), trial
        for source, target, weight in graph.edges(data="weight"):
            assert back[source][target]["weight"] == weight, trial


def test_data_of_the_graph_itself_is_refused():
    graph = networkx.path_graph(3)
    graph.graph["label"] = "club"
    with pytest.raises(unscatter.Unsupported, match="graph data 'label'"):
        unscatter.from_networkx(graph)
    assert unscatter.from_networkx(graph, drop=("label",)).edge_count == 2
    named = networkx.MultiGraph()
    named.add_edge(0, 1, key="friend")
    with pytest.raises(unscatter.Unsupported, match="friend"):
        unscatter.from_networkx(named)
    assert unscatter.from_networkx(named, drop=("key",)).edge_count == 1


def test_one_name_to_drop_is_one_name():
    graph = path(a=1)
    # "a" is a part of "age", and was not named.
    with pytest.raises(unscatter.Unsupported, match="'a' cannot be kept"):
        unscatter.from_networkx(graph, drop="age")
    assert unscatter.from_networkx(graph, drop="a").edge_count == 2
    networkx.set_node_attributes(graph, 30.0, "age")
    assert unscatter.from_networkx(graph, attributes="age", drop="a").attributes.tolist() == 3 * [[30.0]]


@pytest.mark.parametrize("weight", [None, "heavy", 1 + 2j, np.array([1.0, 2.0]), 10**400],
                         ids=["None", "text", "complex", "array", "huge"])
def test_a_weight_that_is_no_number_is_named(weight):
    with pytest.raises(unscatter.InvalidArgument, match="weight of the edge from 0 to 1 .* no number"):
        unscatter.from_networkx(path(weight=weight))


def test_node_data_that_are_no_numbers_are_refused():
    graph = path()
    for value in ("young", None, [1, 2], 10**400):
        networkx.set_node_attributes(graph, {node: value for node in graph}, "age")
        with pytest.raises(unscatter.Error, match="attributes are|not finite"):
            unscatter.from_networkx(graph, attributes=("age",))


# ---- matrices

FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", ["matrix", "array"])
def test_matrices_of_every_format_and_type(form, kind):
    dense = np.array([[0, 2, 0, 0], [2, 0, 3, 0], [0, 3, 0, 0], [0, 0, 0, 0]], dtype=float)
    expected = unscatter.from_scipy(dense)
    for name in ("int8", "uint8", "int32", "uint64", "float32", "float64", "longdouble", ">f8", ">i4", "complex128"):
        matrix = getattr(sparse, f"{form}_{kind}")(sparse.coo_matrix(dense)).astype(name)
        assert unscatter.from_scipy(matrix) == expected, name
    assert unscatter.from_scipy(getattr(sparse, f"{form}_{kind}")(sparse.coo_matrix(dense != 0))).edge_weights() is None


def test_entries_that_are_stored_twice_are_their_sum():
    rows, columns = [0, 0, 1, 1, 2], [1, 1, 0, 2, 1]
    coo = sparse.coo_matrix(([1.0, 2.0, 3.0, 5.0, 5.0], (rows, columns)), shape=(3, 3))
    csr = sparse.csr_matrix(([1.0, 2.0, 5.0, 3.0, 5.0], [1, 1, 2, 0, 1], [0, 2, 4, 5]), shape=(3, 3))
    for matrix in (coo, csr):
        stored = matrix.nnz
        assert unscatter.from_scipy(matrix) == unscatter.from_scipy(matrix.toarray())
        assert unscatter.from_scipy(matrix).edge_weights().tolist() == [3.0, 5.0]
        assert matrix.nnz == stored                      # the matrix of the caller stays as it was


def test_a_stored_zero_is_an_edge():
    matrix = sparse.csr_matrix(([0.0, 0.0, 5.0, 5.0], [1, 0, 2, 1], [0, 1, 3, 4]), shape=(3, 3))
    graph = unscatter.from_scipy(matrix)
    assert graph.edges().tolist() == [[0, 1], [1, 2]] and graph.edge_weights().tolist() == [0.0, 5.0]
    assert unscatter.from_scipy(unscatter.to_scipy(graph)) == graph


@pytest.mark.parametrize("matrix", [np.array([[0, 1 + 5j], [1 + 5j, 0]]), np.zeros((2, 2, 2)), [["a", "b"], ["c", "d"]],
                                    sparse.csr_matrix(np.array([[0, 1 + 5j], [1 + 5j, 0]]))])
def test_a_matrix_that_would_lose_something_is_refused(matrix):
    with pytest.raises(unscatter.InvalidArgument):
        unscatter.from_scipy(matrix)


# ---- arrays

MASKED = np.ma.masked_array([[1.0], [2.0], [3.0]], mask=[[True], [False], [False]])


@pytest.mark.parametrize("arguments,sentence", [
    (dict(attributes=np.array([1 + 2j, 3, 4])), "imaginary"),
    (dict(attributes=MASKED), "masked"),
    (dict(attributes=[[10**400], [1], [2]]), "attributes are no numbers"),
    (dict(nodes=3, weights=np.array([1 + 2j, 1, 1])), "imaginary"),
    (dict(nodes=3, weights=["x", "y", "z"]), "weights of edges are no numbers"),
    (dict(nodes=3, positions=[["a", "b"]] * 3), "positions are no numbers"),
    (dict(nodes=3, positions=[0, 1, 2, 3, 4, 5]), "two coordinates per node"),
    (dict(nodes=3, positions=[[0]] * 6), "two coordinates per node"),
    (dict(nodes=3, positions=[[0, 1, 2]] * 2), "two coordinates per node"),
    (dict(labels=np.array([1, 2, 2**63 + 1], dtype=np.uint64)), "below 2\\^63"),
])
def test_numbers_that_would_become_others_are_refused(arguments, sentence):
    with pytest.raises(unscatter.Error, match=sentence):
        unscatter.from_arrays(RING, **arguments)


def test_an_edge_list_of_uneven_rows_is_refused():
    with pytest.raises(unscatter.InvalidArgument, match="two columns"):
        unscatter.from_arrays([[0, 1], [2]], nodes=3)


def test_arrays_of_any_layout_are_taken():
    wide = np.arange(24.0).reshape(6, 4)
    read_only = np.arange(6.0).reshape(3, 2)
    read_only.flags.writeable = False
    for attributes in (wide[::2, ::2], wide[:3, ::-1], np.asfortranarray(wide[:3]), read_only, wide[:3].astype(">f4"),
                       np.ma.masked_array(wide[:3])):
        assert unscatter.from_arrays(RING, attributes=attributes).attributes.tolist() == attributes.tolist()
    assert unscatter.from_arrays(RING.astype(">i2"), nodes=3).edge_count == 3


# ---- PyTorch Geometric

def pyg(**fields):
    return SimpleNamespace(edge_index=np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3, **fields)


def test_fields_that_are_named_to_drop_go():
    three = np.zeros((3, 3))
    with pytest.raises(unscatter.Unsupported, match="drop=\\('pos',\\)"):
        unscatter.from_pyg(pyg(pos=three))
    assert unscatter.from_pyg(pyg(pos=three), drop=("pos",)).positions is None
    assert unscatter.from_pyg(pyg(pos=three), drop="pos").positions is None
    with pytest.raises(unscatter.Unsupported, match="'mask'"):
        unscatter.from_pyg(pyg(mask=three), drop="train_mask")


def test_edge_data_of_another_shape_are_no_weights():
    # Four numbers for four edges, and yet not one per edge.
    with pytest.raises(unscatter.Unsupported, match="more than one number"):
        unscatter.from_pyg(pyg(edge_attr=np.ones((2, 2))))
    with pytest.raises(unscatter.Unsupported, match="beside edge_weight"):
        unscatter.from_pyg(pyg(edge_attr=np.ones((4, 1)), edge_weight=np.ones(4)))
    assert unscatter.from_pyg(pyg(edge_attr=np.array([[1], [1], [2], [2]]))).edge_weights().tolist() == [1.0, 2.0]


def test_parallel_edges_become_one_if_that_is_asked_for():
    twice = SimpleNamespace(edge_index=np.array([[0, 0, 1, 1], [1, 1, 0, 0]]), num_nodes=2,
                            edge_weight=np.array([1.0, 2.0, 2.0, 1.0]))
    with pytest.raises(unscatter.InvalidArgument, match="drop_duplicates=True"):
        unscatter.from_pyg(twice)
    graph = unscatter.from_pyg(twice, drop_duplicates=True)
    assert not graph.directed and graph.edge_weights().tolist() == [3.0]


@pytest.mark.parametrize("wrong", ["abc", [7], [pyg(y=0), 7], [{}]])
def test_what_is_no_object_of_pyg_is_named(wrong):
    with pytest.raises(unscatter.InvalidArgument, match="no object with edge_index"):
        unscatter.from_pyg(wrong)


# ---- classes

def test_a_missing_class_is_no_class():
    graph = unscatter.from_arrays(RING, nodes=3)
    for missing in (None, math.nan, np.float32("nan")):
        with pytest.raises(unscatter.InvalidArgument, match="is no class"):
            unscatter.GraphDataset([graph, graph], ["club", missing])
