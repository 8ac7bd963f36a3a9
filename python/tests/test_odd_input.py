"""What users give besides what they should: it works, or one sentence says why not."""
import pickle
from types import SimpleNamespace

import networkx
import numpy as np
import pytest
import scipy.sparse
from sklearn.pipeline import make_pipeline

import unscatter

RING = np.array([[0, 1], [1, 2], [2, 0]])


@pytest.fixture(scope="module")
def model(groups):
    return unscatter.ForgettingClassifier().fit(groups)


# ---- graphs

@pytest.mark.parametrize("edges", [RING.astype(np.int32), RING.astype(np.uint8), np.asfortranarray(RING), RING[::1, :],
                                   RING.tolist(), RING[:, ::-1]])
def test_edges_of_many_types(edges):
    assert unscatter.from_arrays(edges, nodes=3).edges().tolist() == [[0, 1], [0, 2], [1, 2]]
    assert unscatter.from_arrays(iter(edges), nodes=3) == unscatter.from_arrays(edges, nodes=3)


@pytest.mark.parametrize("arguments,sentence", [
    (dict(edges=RING), "isolated nodes; give nodes="),
    (dict(edges=RING.astype(float), nodes=3), "whole numbers"),
    (dict(edges=RING.T, nodes=3), "two columns"),
    (dict(edges=[[0, -1]], nodes=3), "-1 is no node"),
    (dict(edges=[[0, 7]], nodes=3), "graph of 3 nodes"),
    (dict(edges=[[0, 0]], nodes=3), "drop_self_loops=True"),
    (dict(edges=RING, nodes=-1), "number of nodes"),
    (dict(edges=RING, nodes=2.5), "number of nodes"),
    (dict(edges=RING, labels=[1.5, 2, 3]), "labels of nodes are whole numbers"),
    (dict(edges=RING, labels=["C", "N", "O"]), "labels of nodes are whole numbers"),
    (dict(edges=RING, attributes=[["a"], ["b"], ["c"]]), "no numbers"),
    (dict(edges=RING, attributes=[[1], [2, 3], [4]]), "no numbers, or no rows of one length"),
    (dict(edges=RING, attributes=[[1], [2], [np.nan]]), "not finite"),
    (dict(edges=RING, ids=[10, 20, 30]), "ids of nodes are texts"),
    (dict(edges=RING, ids=["a", "b", "b"]), "occurs twice"),
])
def test_a_graph_that_cannot_be_is_refused_with_a_reason(arguments, sentence):
    with pytest.raises(unscatter.Error, match=sentence):
        unscatter.from_arrays(**arguments)


def test_numbers_of_other_types_are_taken():
    attributes = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(3, 2))
    graph = unscatter.from_arrays(RING, attributes=attributes, labels=np.array([1.0, 2.0, 3.0]),
                                  ids=np.array(["a", "b", "c"]))
    assert graph.attributes.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert graph.labels.tolist() == [1, 2, 3] and graph.node_ids == ["a", "b", "c"]
    dense = np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]])
    assert unscatter.from_scipy(dense) == unscatter.from_scipy(scipy.sparse.csc_matrix(dense.astype(np.float32)))


def test_what_is_no_graph_of_networkx_is_named():
    with pytest.raises(unscatter.InvalidArgument, match="one at a time"):
        unscatter.from_networkx([networkx.path_graph(3)])
    with pytest.raises(unscatter.InvalidArgument, match="no graph of NetworkX but a dict"):
        unscatter.from_networkx({})
    with pytest.raises(unscatter.InvalidArgument, match="ids of nodes are texts"):
        unscatter.from_networkx(networkx.path_graph(3), ids=lambda name: name)


def test_an_iterator_of_pyg_objects_is_a_data_set():
    one = SimpleNamespace(edge_index=np.array([[0, 1], [1, 0]]), x=np.ones((3, 2)), y=1)
    assert len(unscatter.from_pyg(one for _ in range(4))) == 4


# ---- data sets

def test_data_sets_are_compared_by_content(groups):
    assert groups[:3] == groups[[0, 1, 2]] and hash(groups[:3]) == hash(groups[[0, 1, 2]])
    assert groups[:3] != groups[1:4] and groups[:3] != list(groups[:3])
    other = unscatter.GraphDataset(list(groups[:3]), ["x", "y", "x"], ids=groups.ids[:3])
    assert other != groups[:3]


@pytest.mark.parametrize("shares,sizes", [
    ({"train": 0.8}, [96, 0, 24]), ({"test": 0.2}, [96, 0, 24]), ({"validation": 0.25}, [90, 30, 0]),
    ({"train": 0.5, "validation": 0.25}, [60, 30, 30]), ({"train": 0.5, "test": 0.25}, [60, 0, 30]),
    ({"validation": 0.25, "test": 0.25}, [60, 30, 30]), ({"train": 1.0}, [120, 0, 0])])
def test_shares_of_a_split_that_are_not_given_take_the_rest(shares, sizes, groups):
    parts = groups.split(seed=1, **shares)
    assert [len(part) for part in parts] == sizes
    names = [name for part in parts for name in (part.ids or [])]
    assert len(set(names)) == len(names) == sum(sizes)


def test_a_split_of_more_than_all_is_refused(groups):
    with pytest.raises(unscatter.InvalidArgument, match="add up"):
        groups.split(seed=1, train=0.8, test=0.4)


def test_things_that_are_no_graphs_are_named(groups):
    for wrong in ([1, 2], [networkx.path_graph(3)], [groups[0], "graph"]):
        with pytest.raises(unscatter.InvalidArgument, match="no Graph but a"):
            unscatter.GraphDataset(wrong)
    # A number as an id would be taken for a place by every request.
    with pytest.raises(unscatter.InvalidArgument, match="means a place"):
        unscatter.GraphDataset(list(groups[:2]), ids=[17, 18])


# ---- estimators

def test_graphs_from_generators_arrays_and_columns_of_pandas(groups):
    pandas = pytest.importorskip("pandas")
    expected = unscatter.ForgettingClassifier().fit(groups)._session.kept_weights.tobytes()
    graphs = list(groups)
    objects = np.empty(len(graphs), dtype=object)
    objects[:] = graphs
    for X in ((graph for graph in graphs), tuple(graphs), objects, pandas.Series(graphs)):
        model = unscatter.ForgettingClassifier().fit(X, pandas.Series(groups.y))
        assert model._session.kept_weights.tobytes() == expected
    rows = unscatter.Embedder().fit_transform(groups)
    assert (unscatter.Embedder().fit_transform(graph for graph in graphs) == rows).all()
    assert (model.predict(graph for graph in graphs) == model.predict(groups)).all()


def test_classes_keep_their_type(groups):
    graphs = list(groups)
    for labels in (np.arange(120) % 2, (np.arange(120) % 2).astype(bool), np.array(["x", "y"] * 60, dtype=object),
                   [1.0, 2.0] * 60):
        model = unscatter.ForgettingClassifier().fit(graphs, labels)
        assert model.classes_.tolist() == sorted(set(np.asarray(labels).tolist()))
        assert set(model.predict(graphs).tolist()) <= set(np.asarray(labels).tolist())


def test_nothing_is_predicted_for_nothing(model, groups):
    for nothing in ([], groups[:0]):
        assert model.predict(nothing).shape == (0,) and model.predict_proba(nothing).shape == (0, 2)


def test_a_data_set_brings_its_classes_to_score(model, groups):
    assert model.score(groups) == model.score(list(groups), groups.y)
    with pytest.raises(ValueError):
        model.score(list(groups))


@pytest.mark.parametrize("X,sentence", [
    (lambda groups: groups[0], "one graph: give a list"),
    (lambda groups: [networkx.path_graph(3)] * 4, "from_networkx"),
    (lambda groups: [SimpleNamespace(edge_index=None)] * 4, "from_pyg"),
    (lambda groups: [scipy.sparse.eye(3)] * 4, "from_scipy"),
])
def test_graphs_of_other_packages_are_named(X, sentence, model, groups, tmp_path):
    for work in (lambda: model.predict(X(groups)), lambda: unscatter.Embedder().fit(X(groups)),
                 lambda: unscatter.ForgettingClassifier().fit(X(groups), [0, 1, 0, 1]),
                 lambda: unscatter.Workspace.create(tmp_path / "w", X(groups), [0, 1, 0, 1])):
        with pytest.raises(unscatter.InvalidArgument, match=sentence):
            work()


@pytest.mark.parametrize("words", [{"guarantee": "x"}, {"guarantee": {"epsilon": 1}}, {"guarantee": (1.0,)},
                                   {"regularisation": "x"}, {"releases": 1.5}, {"releases": -1}, {"loss": 3}])
def test_an_option_of_another_type_is_named(words, groups):
    with pytest.raises(unscatter.InvalidArgument, match=f"{next(iter(words))} does not take"):
        unscatter.ForgettingClassifier(**words).fit(groups)


def test_a_constant_of_another_type_is_named(groups):
    with pytest.raises(unscatter.InvalidArgument, match="scales does not take 'many'"):
        unscatter.ScatteringTransformer(scales="many").fit(groups)


def test_a_row_that_is_not_finite_is_named(groups):
    with pytest.raises(unscatter.InvalidArgument, match="not finite"):
        unscatter.ForgettingClassifier(lambda graph: [np.nan]).fit(groups)


@pytest.mark.parametrize("row", [["a"], [[1], [2, 3]], np.array([1 + 2j]), unscatter.Embedder()])
def test_what_an_embedder_gives_in_place_of_a_row_is_named(row, groups):
    with pytest.raises(unscatter.InvalidArgument, match="the embedder gave for graph 0"):
        unscatter.ForgettingClassifier(lambda graph: row).fit(groups)
    with pytest.raises(unscatter.InvalidArgument, match="there is no graph"):
        unscatter.ForgettingClassifier(lambda graph: [1.0]).fit(groups[:0])


def test_rows_that_are_no_numbers_are_named(tmp_path):
    model = unscatter.ForgettingClassifier().fit(np.eye(4), [0, 1, 0, 1]).release()
    for rows in ([["a"]], np.ones((2, 4)) + 1j, [[1], [2, 3]]):
        with pytest.raises(unscatter.InvalidArgument, match="^rows are"):
            model.scores(rows)
        with pytest.raises(unscatter.InvalidArgument, match="^rows are"):
            unscatter.Workspace.create(tmp_path / "w", rows, [0, 1])


def test_numbers_as_ids_of_rows_are_refused():
    X, y = np.eye(4), [0, 1, 0, 1]
    for words in ({"ids": [7, 8, 9, 10]}, {"subjects": [1, 1, 2, 2]}):
        with pytest.raises(unscatter.InvalidArgument, match="are texts"):
            unscatter.ForgettingClassifier().fit(X, y, **words)


def test_tables_of_pandas_come_out(groups):
    pandas = pytest.importorskip("pandas")
    plain = unscatter.ScatteringTransformer(scales=2).fit(groups)
    table = unscatter.ScatteringTransformer(scales=2).set_output(transform="pandas").fit_transform(groups)
    assert isinstance(table, pandas.DataFrame) and list(table.columns) == list(plain.get_feature_names_out())
    assert (table.to_numpy() == plain.transform(groups)).all()
    pipeline = make_pipeline(unscatter.ScatteringTransformer(scales=2)).set_output(transform="pandas")
    assert isinstance(pipeline.fit_transform(list(groups)), pandas.DataFrame)
    with pytest.raises(unscatter.InvalidArgument, match="dense"):
        unscatter.Embedder(sparse=True).set_output(transform="pandas").fit_transform(groups)


# ---- requests

def test_a_number_or_a_text_alone_names_a_graph(groups):
    model = unscatter.ForgettingClassifier().fit(groups)
    model.forget(3)
    model.forget(groups.ids[4])
    model.forget_many([5, np.int64(6), groups.ids[7], unscatter.ForgetGraph(8)])
    assert [model.kept_graph(number) is None for number in range(2, 10)] == [False] + 6 * [True] + [False]
    for asked in (dict(graph=10), dict(graph=10, node=0), dict(subject=groups[10].node_ids[0])):
        preview, _ = model.preview(**asked)
        assert preview.satisfied
    assert model.preview(10)[0].graphs == model.preview([10])[0].graphs == 113
    assert model.kept_graph(10) is not None


@pytest.mark.parametrize("words", [dict(graph=-1), dict(graph=True), dict(graph=3.0), dict(graph=3, node=-1),
                                   dict(subject=3), dict(row=None), dict(graph=3, edge=(1, 2, 3)),
                                   dict(graph=3, edge="ab"), dict(request=True), dict(request={"graph": 3}),
                                   dict(request=3, node=1), dict(graph=3, edge=5)])
def test_a_request_that_names_nothing_is_refused(words, model):
    with pytest.raises(unscatter.InvalidArgument):
        model.forget(**words)
    with pytest.raises(unscatter.InvalidArgument):
        model.preview(**{("requests" if word == "request" else word): value for word, value in words.items()})


def test_a_list_that_holds_no_requests_is_refused(model):
    for wrong in ("abc", 7, [{"graph": 8}], [[1, 2]]):
        with pytest.raises(unscatter.InvalidArgument):
            model.forget_many(wrong)
    with pytest.raises(unscatter.InvalidArgument) as caught:
        model.forget_many([1, 2, None])
    assert caught.value.request == 2


@pytest.mark.parametrize("number", [2**63, 2**64, 2**70])
def test_a_number_that_no_graph_can_have_is_not_found(number, model):
    for words in (dict(graph=number), dict(graph=3, node=number), dict(row=number)):
        with pytest.raises(unscatter.NotFound):
            model.forget(**words)
    with pytest.raises(unscatter.NotFound) as caught:
        model.forget_many([3, number])
    assert caught.value.request == 1


def test_requests_are_values():
    same = [unscatter.ForgetGraph(3), unscatter.ForgetNode(3, "ann"), unscatter.ForgetFeatures(3, 1),
            unscatter.ForgetEdge("g", 1, 2), unscatter.ForgetSubject("ann")]
    again = [unscatter.ForgetGraph(3), unscatter.ForgetNode(3, "ann"), unscatter.ForgetFeatures(3, 1),
             unscatter.ForgetEdge("g", 1, 2), unscatter.ForgetSubject("ann")]
    assert same == again and len({*same, *again}) == 5
    assert pickle.loads(pickle.dumps(same)) == same
    assert unscatter.ForgetGraph(3) != unscatter.ForgetGraph("3") and unscatter.ForgetGraph(3) != 3


def test_all_errors_are_one_tree():
    kinds = [kind for kind in vars(unscatter).values() if isinstance(kind, type) and issubclass(kind, BaseException)]
    assert len(kinds) == 12
    assert all(issubclass(kind, unscatter.Error) for kind in kinds)
    codes = [kind.code for kind in kinds if kind is not unscatter.Error]
    assert len(set(codes)) == len(codes) and all(codes)
    assert issubclass(unscatter.InvariantViolation, RuntimeError)


# ---- what belongs to graphs, and what to rows

def test_an_id_of_two_graphs_is_refused_where_it_could_be_forgotten(groups, tmp_path):
    """A request that names it would leave one of them, with a certificate."""
    twice = unscatter.GraphDataset(list(groups[:6]), groups.y[:6], ids=["x", "x", "y", "z", "u", "v"])
    for work in (lambda: unscatter.ForgettingClassifier().fit(twice),
                 lambda: unscatter.ForgettingClassifier().fit(list(groups[:2]), [0, 1], ids=["x", "x"]),
                 lambda: unscatter.ForgettingClassifier(lambda graph: [1.0]).fit(twice),
                 lambda: unscatter.Workspace.create(tmp_path / "w", twice),
                 lambda: unscatter.Workspace.create(tmp_path / "w", groups[[0, 1, 2, 0]])):
        with pytest.raises(unscatter.InvalidArgument, match="occurs twice"):
            work()
    with unscatter.Workspace.create(tmp_path / "w", groups[:20]) as workspace:
        with pytest.raises(unscatter.InvalidArgument, match="occurs twice"):
            workspace.add(twice)
        assert workspace.status()["graphs"] == 20
    # Graphs without an id are not two of one id.
    assert unscatter.ForgettingClassifier().fit(list(groups[:4]), [0, 1, 0, 1], ids=["", "", "a", "b"]).forget("a")


@pytest.mark.parametrize("embedder", ["auto", "portrait", "paper", unscatter.Embedder()])
def test_rows_are_not_embedded_as_graphs(embedder, tmp_path):
    X, y = np.eye(6), [0, 1] * 3
    with pytest.raises(unscatter.InvalidArgument, match="rows are embeddings already"):
        unscatter.ForgettingClassifier(embedder).fit(X, y)
    with pytest.raises(unscatter.InvalidArgument, match="rows are embeddings already"):
        unscatter.Workspace.create(tmp_path / "w", X, y, embedder=embedder)
    with unscatter.Workspace.create(tmp_path / "w", X, y, embedder="rows:2") as workspace:
        assert workspace.status()["transform"]["row_scale"] == 2


def test_a_model_of_graphs_takes_graphs_only(model, groups):
    released = model.release()
    for wrong in (np.eye(4), [networkx.path_graph(3)], [[1.0, 2.0]], groups[0]):
        with pytest.raises(unscatter.InvalidArgument, match="no graphs|one graph"):
            released.scores(wrong)
    assert released.scores([]).shape == (0, 2) and released.predict(groups[:0]).shape == (0,)
    rows = unscatter.ForgettingClassifier().fit(np.eye(4), [0, 1, 0, 1]).release()
    with pytest.raises(unscatter.InvalidArgument, match="from_networkx"):
        rows.scores([networkx.path_graph(4)])
    assert rows.scores(np.eye(4)).shape == (4, 2)


def test_due_dates_and_salts_are_named_as_requests_are(groups, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", groups[:20]) as workspace:
        for words in (dict(graph=True), dict(graph=-1), dict(subject=3)):
            with pytest.raises(unscatter.InvalidArgument):
                workspace.set_due("2030-01-01", **words)
        assert workspace.due_summary().dates == 0
        workspace.forget(3, keep_salts=True)
        with pytest.raises(unscatter.InvalidArgument, match="no request"):
            workspace.shred(None)
        assert workspace.shred(3) == 1
