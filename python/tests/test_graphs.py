"""Graphs and their neighbours in other packages."""
import pickle
from types import SimpleNamespace

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import unscatter


@st.composite
def networkx_graphs(draw):
    """Directed or not, named or numbered, with and without weights, attributes, labels and positions."""
    graph = networkx.DiGraph() if draw(st.booleans()) else networkx.Graph()
    count = draw(st.integers(1, 9))
    texts = st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=4)
    names = draw(st.lists(texts, min_size=count, max_size=count, unique=True)) if draw(st.booleans()) else None
    names = list(range(count)) if names is None else names
    graph.add_nodes_from(names)
    numbers = st.floats(-1e6, 1e6)
    width = draw(st.integers(0, 3))
    has_label, has_position, has_weight = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
    for name in names:
        if width:
            graph.nodes[name]["attributes"] = draw(st.lists(numbers, min_size=width, max_size=width))
        if has_label:
            graph.nodes[name]["label"] = draw(st.integers(-5, 5))
        if has_position:
            graph.nodes[name]["pos"] = draw(st.lists(numbers, min_size=2, max_size=2))
    pairs = st.tuples(st.sampled_from(names), st.sampled_from(names))
    for source, target in draw(st.lists(pairs, max_size=12)):
        if source != target:
            graph.add_edge(source, target, **({"weight": draw(numbers)} if has_weight else {}))
    return graph


@given(networkx_graphs())
def test_a_networkx_graph_survives_the_round_trip(graph):
    back = unscatter.to_networkx(unscatter.from_networkx(graph))
    assert type(back) is type(graph)
    assert dict(back.nodes(data=True)) == dict(graph.nodes(data=True))
    assert back.adj == graph.adj


@given(networkx_graphs())
def test_scipy_and_pickle_keep_a_graph(graph):
    ours = unscatter.from_networkx(graph)
    assert pickle.loads(pickle.dumps(ours)) == ours
    weighted = True if ours.has_weights else None
    again = unscatter.from_scipy(unscatter.to_scipy(ours), directed=ours.directed, weights=weighted,
                                 attributes=ours.attributes, labels=ours.labels, positions=ours.positions,
                                 ids=ours.node_ids)
    # A matrix without entries has no weights to tell.
    assert again == ours
    fields = SimpleNamespace(**unscatter.to_pyg(ours))
    assert unscatter.from_pyg(fields, directed=ours.directed) == ours


def test_networkx_adjacency_and_ours_agree():
    graph = networkx.gnp_random_graph(30, 0.2, seed=1, directed=True)
    expected = networkx.to_scipy_sparse_array(graph, dtype=float, nodelist=range(30))
    assert (unscatter.to_scipy(unscatter.from_networkx(graph)) != expected).nnz == 0


def test_isolated_nodes_survive():
    graph = unscatter.from_arrays([[0, 1]], nodes=4)
    assert graph.node_count == 4 and graph.edge_count == 1
    assert unscatter.to_networkx(graph).number_of_nodes() == 4


def test_what_cannot_be_kept_is_refused_with_a_reason():
    parallel = networkx.MultiGraph([(0, 1), (0, 1)])
    with pytest.raises(unscatter.Unsupported, match="parallel"):
        unscatter.from_networkx(parallel)
    assert unscatter.from_networkx(networkx.MultiGraph([(0, 1)])).edge_count == 1
    with pytest.raises(unscatter.InvalidArgument, match="itself"):
        unscatter.from_networkx(networkx.Graph([(0, 0), (0, 1)]))
    assert unscatter.from_networkx(networkx.Graph([(0, 0), (0, 1)]), drop_self_loops=True).edge_count == 1
    coloured = networkx.Graph()
    coloured.add_edge(0, 1, colour="red")
    with pytest.raises(unscatter.Unsupported, match="colour"):
        unscatter.from_networkx(coloured)
    assert unscatter.from_networkx(coloured, drop=("colour",)).edge_count == 1
    with pytest.raises(unscatter.Unsupported, match="names would be lost"):
        unscatter.from_networkx(networkx.Graph([(5, 7)]))
    assert unscatter.from_networkx(networkx.Graph([(5, 7)]), ids=str).node_ids == ["5", "7"]
    with pytest.raises(unscatter.InvalidArgument, match="twice"):
        unscatter.from_arrays([[0, 1], [0, 1]], nodes=2)
    with pytest.raises(unscatter.InvalidArgument, match="nodes="):
        unscatter.from_arrays([[0, 1]])
    with pytest.raises(unscatter.InvalidArgument, match="not symmetric"):
        unscatter.from_scipy(sparse.csr_matrix([[0, 1], [0, 0]]))
    some = networkx.Graph([(0, 1), (1, 2)])
    some[0][1]["weight"] = 2.0
    with pytest.raises(unscatter.Unsupported, match="some edges"):
        unscatter.from_networkx(some)


def test_numbers_beyond_the_nodes_name_nobody():
    graph = unscatter.from_arrays([[0, 1]], nodes=3)
    for number in (3, -1, 2**32, 2**32 + 1):
        with pytest.raises((unscatter.Error, OverflowError)):
            graph.without_node(number)
        with pytest.raises((unscatter.Error, OverflowError)):
            graph.without_edge(0, number)


def test_numbers_in_another_order_keep_their_places():
    graph = networkx.Graph()
    graph.add_nodes_from([2, 0, 1])
    graph.add_edge(2, 0)
    assert unscatter.from_networkx(graph).edges().tolist() == [[0, 2]]


def test_node_data_by_name_become_attributes():
    graph = networkx.Graph()
    graph.add_node("ann", age=30, income=2.5)
    graph.add_node("bob", age=40, income=1.5)
    ours = unscatter.from_networkx(graph, attributes=("age", "income"))
    assert np.array_equal(ours.attributes, [[30, 2.5], [40, 1.5]])
    with pytest.raises(unscatter.Unsupported, match="income"):
        unscatter.from_networkx(graph, attributes=("age",))


def test_a_graph_of_pytorch_geometric_by_its_fields():
    data = SimpleNamespace(edge_index=np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), x=np.arange(6.0).reshape(3, 2), y=1,
                           pos=np.zeros((3, 2)))
    graph = unscatter.from_pyg(data)
    assert not graph.directed and graph.edge_count == 2
    fields = unscatter.to_pyg(graph)
    assert unscatter.from_pyg(SimpleNamespace(**fields)) == graph
    many = unscatter.from_pyg([data, data], ids=["a", "b"])
    assert isinstance(many, unscatter.GraphDataset) and many[1] == graph and many.y.tolist() == [1, 1]
    data.batch = np.array([0, 0, 1])
    with pytest.raises(unscatter.Unsupported, match="to_data_list"):
        unscatter.from_pyg(data)
    data.batch, data.y = None, np.array([0.5])
    with pytest.raises(unscatter.Unsupported, match="no class"):
        unscatter.from_pyg([data])
    data.edge_index = np.array([[0, 1], [1, 2]])
    assert unscatter.from_pyg(data).directed
    data.edge_attr = np.zeros((2, 3))
    with pytest.raises(unscatter.Unsupported, match="edge_attr"):
        unscatter.from_pyg(data)
    data.mask = np.zeros(3)
    with pytest.raises(unscatter.Unsupported, match="mask"):
        unscatter.from_pyg(data, drop=("edge_attr",))


def test_arrays_are_views_that_nobody_can_write():
    graph = unscatter.from_arrays([[0, 1]], attributes=[[1.0], [2.0]])
    for array in (graph.attributes, graph.offsets, graph.neighbours):
        assert not array.flags.owndata and not array.flags.writeable
    values = graph.attributes
    del graph
    assert values.tolist() == [[1.0], [2.0]]
    with pytest.raises(ValueError):
        values[0] = 3


def test_a_data_set_is_a_sequence(groups):
    assert len(groups) == 120 and isinstance(groups[0], unscatter.Graph)
    assert groups[-1] == groups[119] and len(list(groups)) == 120
    part = groups[10:20]
    assert isinstance(part, unscatter.GraphDataset) and part[0] == groups[10]
    assert list(part.y) == list(groups.y[10:20]) and part.ids == groups.ids[10:20]
    assert groups[np.array([5, 3])][1] == groups[3]
    with pytest.raises(IndexError):
        groups[120]
    assert pickle.loads(pickle.dumps(groups[:1])).class_names == groups.class_names
    train, validation, test = groups.split(seed=1, train=0.5, validation=0.25, test=0.25)
    assert (len(train), len(validation), len(test)) == (60, 30, 30)
    copy = pickle.loads(pickle.dumps(groups))
    assert copy.digest() == groups.digest()


def test_a_data_set_is_read_back(groups, groups_file):
    assert unscatter.load(groups_file).digest() == groups.digest()
    with pytest.raises(unscatter.NotFound) as caught:
        unscatter.load("no such data set")
    assert caught.value.code == "not-found" and isinstance(caught.value, (unscatter.Error, LookupError))


def test_every_code_has_an_exception():
    kinds = [kind for kind in vars(unscatter).values() if isinstance(kind, type) and issubclass(kind, unscatter.Error)]
    codes = {kind.code for kind in kinds if kind is not unscatter.Error}
    assert len(codes) == 11


def test_classes_are_numbers_where_all_names_are():
    graph = unscatter.from_arrays([[0, 1]], nodes=2)
    assert unscatter.GraphDataset([graph, graph], [1, -1]).y.tolist() == [1, -1]
    assert unscatter.GraphDataset([graph, graph], ["01", "2"]).y.tolist() == ["01", "2"]
