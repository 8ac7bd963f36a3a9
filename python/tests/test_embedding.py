"""Embeddings: the same numbers as the command line, and the manners of scikit-learn."""
import pickle
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import unscatter


@pytest.mark.parametrize("embedder, options", [
    (unscatter.Embedder("portrait"), ["--transform", "portrait"]),
    (unscatter.Embedder(), []),
    (unscatter.Embedder("auto"), ["--embedding", "auto"]),
    (unscatter.Embedder("size*3 + shapes"), ["--embedding", "size*3 + shapes"]),
    (unscatter.ScatteringTransformer(scales=2, layers=2), ["--scales", "2", "--layers", "2"]),
    (unscatter.ScatteringTransformer("itersine", scales=3, features="log-degree"),
     ["--transform", "itersine", "--scales", "3", "--features", "log-degree"]),
])
def test_the_same_bytes_as_the_command_line(embedder, options, groups, groups_file, program, tmp_path):
    out = tmp_path / "Z.npy"
    program("embed", "--data", groups_file, "--out", out, *options)
    rows = embedder.fit_transform(groups)
    assert rows.tobytes() == np.load(out).tobytes()
    sparse = clone(embedder).set_params(sparse=True).fit_transform(list(groups))
    assert np.array_equal(sparse.toarray(), rows)


def test_manners_of_a_transformer(groups):
    embedder = unscatter.Embedder(sparse=True).fit(groups)
    rows = embedder.transform(groups[:5])
    assert rows.shape == (5, embedder.n_features_out_)
    assert len(embedder.get_feature_names_out()) == rows.shape[1]
    copy = pickle.loads(pickle.dumps(embedder))
    assert (copy.transform(groups[:5]) != rows).nnz == 0
    assert clone(embedder).get_params() == embedder.get_params()
    with pytest.raises(unscatter.InvalidArgument, match="no graphs"):
        embedder.transform([[1, 2]])
    with pytest.raises(unscatter.InvalidArgument, match="nonsense"):
        unscatter.Embedder("nonsense").fit(groups)


def test_a_row_depends_on_its_own_graph_only(groups):
    embedder = unscatter.Embedder().fit(groups)
    together = embedder.transform(groups)
    assert np.array_equal(embedder.transform([groups[7]])[0], together[7])


def test_in_a_pipeline_before_another_classifier(groups):
    pipeline = make_pipeline(unscatter.Embedder(sparse=True), LogisticRegression(C=100, max_iter=1000))
    assert pipeline.fit(groups, groups.y).score(groups, groups.y) > 0.8


def work_until(reported, groups, progress):
    """More and more work.  A report comes a tenth of a second after the embedding began, if it takes as long."""
    for count in (2000, 8000, 32000, 128000, 512000):
        big = unscatter.interest_groups(groups=count, users=1000, seed=2)
        unscatter.ScatteringTransformer(scales=5, layers=3, progress=progress).fit(groups).transform(big)
        if reported():
            return


def test_progress_is_reported(groups):
    seen = []
    work_until(lambda: seen, groups, lambda *what: seen.append(what))
    assert seen and all(stage == "embedding" and 0 <= done <= total for stage, done, total in seen)


def test_a_bar_of_tqdm_where_that_is_installed(groups, capsys, monkeypatch):
    pytest.importorskip("tqdm")
    shown = []

    def reported():
        shown.append(capsys.readouterr().err)
        return "embedding" in shown[-1]

    work_until(reported, groups, True)
    assert "embedding" in shown[-1]
    # Without tqdm there is no bar, and no error.
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    unscatter.Embedder(progress=True).fit(groups).transform(groups)
    assert capsys.readouterr().err == ""
