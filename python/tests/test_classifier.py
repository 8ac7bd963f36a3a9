"""The classifier of scikit-learn."""
import importlib.util
import pickle
import unittest

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import unscatter


@pytest.fixture()
def blobs():
    random = np.random.default_rng(7)
    centres = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    y = random.integers(0, 3, 150)
    return centres[y] + 0.2 * random.normal(size=(150, 3)), y


def test_check_estimator_passes_completely():
    skipped, checks = [], 0
    for estimator, check in check_estimator(unscatter.ForgettingClassifier(), generate_only=True):
        checks += 1
        try:
            check(estimator)
        except unittest.SkipTest as reason:
            skipped.append(str(reason))
    assert checks > 40
    # One check leaves out a part of its own where pandas is missing, and says so.
    assert not skipped or importlib.util.find_spec("pandas") is None and len(skipped) == 1, skipped


def test_every_kind_of_request_is_certified(groups):
    model = unscatter.ForgettingClassifier().fit(groups)
    graph = groups[4]
    source, target = graph.edges()[0].tolist()
    requests = [{"graph": 0}, {"graph": groups.ids[1]}, {"graph": 2, "node": 1}, {"graph": 4, "edge": (source, target)},
                {"graph": 5, "features_of": 0}, {"subject": groups[8].node_ids[0]}]
    for request in requests:
        certificate = model.forget(**request)
        assert certificate.satisfied and model.certificate_.graphs == certificate.graphs
    assert certificate.graphs == 118
    many = model.forget_many([unscatter.ForgetGraph(20), unscatter.ForgetGraph(21)])
    assert many.graphs == 116


def test_forgetting_equals_training_without(groups):
    tight = {"distance_limit": 1e-10}
    model = unscatter.ForgettingClassifier(**tight).fit(groups, groups.y)
    model.forget(graph=3)
    others = [i for i in range(len(groups)) if i != 3]
    fresh = unscatter.ForgettingClassifier(**tight).fit(groups[others])
    kept, expected = model._session.kept_weights, fresh._session.kept_weights
    distance = np.linalg.norm(kept - expected)
    limit = model.certificate_.distance_upper_bound + fresh.certificate_.distance_upper_bound
    assert 0 < distance <= limit < 1e-6


def test_a_refusal_changes_nothing_and_names_its_place(groups):
    model = unscatter.ForgettingClassifier().fit(groups)
    before = model._session.kept_weights
    with pytest.raises(unscatter.NotFound) as caught:
        model.forget_many([unscatter.ForgetGraph(0), unscatter.ForgetGraph(10**6)])
    assert caught.value.request == 1
    assert np.array_equal(model._session.kept_weights, before)
    with pytest.raises(unscatter.InvalidArgument, match="one thing"):
        model.forget(graph=1, subject="user")
    with pytest.raises(unscatter.InvalidArgument, match="one thing"):
        model.forget()


def test_a_preview_changes_nothing(groups):
    model = unscatter.ForgettingClassifier().fit(groups)
    before = model._session.kept_weights
    certificate, exposure = model.preview(unscatter.ForgetGraph(0))
    assert certificate.graphs == 119 and exposure.models == 0
    assert np.array_equal(model._session.kept_weights, before) and model.certificate_.graphs == 120


def test_predictions_are_those_of_the_published_model(groups):
    model = unscatter.ForgettingClassifier().fit(groups)
    published = model.release()
    assert published is model.release() and published.release_number == 1
    kept = model._session.kept_weights
    assert not np.array_equal(published.weights, kept)
    rows = unscatter.Embedder().fit(groups).transform(groups)
    expected = rows @ published.weights
    assert np.allclose(model.decision_function(groups), expected[:, 1] - expected[:, 0], atol=1e-12)
    fresh = model.release(fresh=True)
    assert fresh.release_number == 2 and not np.array_equal(fresh.weights, published.weights)
    model.forget(graph=0)
    assert model.exposure_.models == 2 and 0.5 < model.exposure_.best_guess <= 1
    assert not np.array_equal(model.release().weights, fresh.weights)


def test_the_count_of_releases_is_kept(groups):
    model = unscatter.ForgettingClassifier(releases=2).fit(groups)
    model.release()
    model.release(fresh=True)
    with pytest.raises(unscatter.LimitExceeded):
        model.release(fresh=True)
    # The same data again keep the session and its count.
    model.fit(groups)
    with pytest.raises(unscatter.LimitExceeded):
        model.release(fresh=True)


def test_a_pickle_holds_the_published_model_and_nothing_private(groups):
    model = unscatter.ForgettingClassifier().fit(groups)
    scores = model.decision_function(groups)
    kept = model._session.kept_weights
    text = pickle.dumps(model)
    assert b"user-" not in text and b"group-" not in text
    # Neither the bytes of the kept weights nor those of a row.
    assert np.asfortranarray(kept).tobytes(order="F")[:64] not in text and kept.tobytes()[:64] not in text
    copy = pickle.loads(text)
    assert np.array_equal(copy.decision_function(groups), scores)
    assert not hasattr(copy, "certificate_") and "_session" not in vars(copy)
    with pytest.raises(unscatter.Unsupported, match="copy of a published model"):
        copy.forget(graph=0)
    # And so on: the copy of a copy is the same model.
    assert np.array_equal(pickle.loads(pickle.dumps(copy)).decision_function(groups), scores)
    assert pickle.loads(pickle.dumps(copy.release())).promise.epsilon == 1


def test_a_class_leaves_with_its_last_row(blobs):
    X, y = blobs
    model = unscatter.ForgettingClassifier().fit(X, y)
    model.forget_many([unscatter.ForgetGraph(int(i)) for i in np.flatnonzero(y == 1)])
    assert model.classes_.tolist() == [0, 2]
    assert set(model.predict(X)) == {0, 2} and model.predict_proba(X).shape == (150, 2)


def test_rows_people_and_ids(blobs):
    X, y = blobs
    ids = [f"row-{i}" for i in range(len(X))]
    people = [f"person-{i % 10}" for i in range(len(X))]
    model = unscatter.ForgettingClassifier("rows:2").fit(X, y, ids=ids, subjects=people)
    assert model.forget(row="row-17").graphs == 149
    assert model.forget(subject="person-3").graphs == 134
    assert model.score(X, y) > 0.9
    assert ("rows", "outside") in model.certificate_.promise.constants
    probabilities = model.predict_proba(X)
    assert np.allclose(probabilities.sum(axis=1), 1) and probabilities.min() >= 0


def test_probabilities_and_decisions_order_rows_alike(blobs):
    """Also where the noise is large: the columns of two classes carry different noise."""
    X, y = blobs
    for _ in range(20):
        model = unscatter.ForgettingClassifier(noise=0.5).fit(X[y < 2], y[y < 2])
        decisions, probabilities = model.decision_function(X), model.predict_proba(X)
        assert (np.diff(probabilities[np.argsort(decisions), 1]) >= 0).all()
        assert np.allclose(probabilities.sum(axis=1), 1)
        assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(X)).all()
    # Without noise to speak of it is the sigmoid of a score, as everywhere.
    quiet = unscatter.ForgettingClassifier(noise=1e-4).fit(X[y < 2], y[y < 2])
    score = quiet.release().scores(X)[:, quiet.classes_.tolist().index(1)]
    assert np.allclose(quiet.predict_proba(X)[:, 1], 1 / (1 + np.exp(-score)), atol=1e-3)


def test_probabilities_need_the_logistic_loss(blobs):
    model = unscatter.ForgettingClassifier(loss="squared").fit(*blobs)
    assert not hasattr(model, "predict_proba")


def test_a_function_of_the_users_own(groups):
    def sizes(graph):
        return [graph.node_count / 50, graph.edge_count / 200, 0.1]

    model = unscatter.ForgettingClassifier(sizes, embedding_guarantee=(2.0, 1e-6)).fit(groups)
    assert model.forget(graph=groups.ids[0]).satisfied
    assert model.certificate_.promise.with_embedding[0] == pytest.approx(3)
    assert len(model.predict(groups)) == len(groups)
    # A copy does not promise more than the original.
    again = pickle.loads(pickle.dumps(model.release())).promise
    assert again.with_embedding == model.certificate_.promise.with_embedding and again.embedding == (2.0, 1e-6)
    assert again.text() == model.certificate_.promise.text()
    with pytest.raises(unscatter.Unsupported, match="as a whole") as caught:
        model.forget(graph=1, node=0)
    assert caught.value.request == 0
    random = np.random.default_rng(1)
    with pytest.raises(unscatter.InvalidArgument, match="two different rows"):
        unscatter.ForgettingClassifier(lambda graph: random.normal(size=3)).fit(groups)


def test_options_reach_the_library(groups):
    model = unscatter.ForgettingClassifier(regularisation=1e-3, guarantee=(0.5, 1e-6), noise=0.1, releases=7)
    model.fit(groups)
    promise = model.certificate_.promise
    assert (promise.epsilon, promise.delta, promise.noise, promise.releases) == (0.5, 1e-6, 0.1, 7)
    assert ("lambda", "stated") in promise.constants
    everyone = unscatter.ForgettingClassifier(protect="everyone", per_subject=1, ridge=50.0, features="soft-degree:16",
                                              classes=["channel", "club"]).fit(groups)
    assert everyone.certificate_.promise.releases == 1 and everyone.certificate_.promise.protect == "everyone"
    with pytest.raises(unscatter.InvalidArgument, match="noise"):
        unscatter.ForgettingClassifier(protect="everyone", ridge=50.0, noise=0.1).fit(groups)
    with pytest.raises(ValueError, match="mechanism|nonsense"):
        unscatter.ForgettingClassifier(mechanism="nonsense").fit(groups)


def test_alpha_is_the_noise_in_the_objective_as_on_the_command_line(groups, groups_file, program, tmp_path):
    program("train", "--data", groups_file, "--workspace", tmp_path / "theirs", "--mechanism", "objective", "--alpha",
            0.2, "--lambda", 1e-3)
    choices = {"mechanism": "objective", "alpha": 0.2, "regularisation": 1e-3}
    with unscatter.Workspace.open(tmp_path / "theirs", read_only=True) as theirs:
        stated = theirs.certificate.promise.text()
        assert theirs.status()["regularisation"] == 1e-3
    assert unscatter.ForgettingClassifier(**choices).fit(groups).certificate_.promise.text() == stated
    # Without a mechanism that has it, alpha is refused, and the sentence names the word for lambda.
    with pytest.raises(unscatter.InvalidArgument, match="regularisation is regularisation"):
        unscatter.ForgettingClassifier(alpha=1e-3).fit(groups)
    for misplaced in ({"noise": 0.1}, {"releases": 5}, {"distance_limit": 1e-3}):
        with pytest.raises(unscatter.InvalidArgument, match="mechanism='release'"):
            unscatter.ForgettingClassifier(mechanism="objective", **misplaced).fit(groups)
    with pytest.raises(unscatter.InvalidArgument, match="no option 'lambda_'"):
        unscatter.Workspace.create(tmp_path / "no", groups, lambda_=1e-3)
    assert not (tmp_path / "no").exists()


def test_constants_from_public_data(groups, groups_file, program, tmp_path):
    public = unscatter.interest_groups(groups=40, seed=9)
    public.save(tmp_path / "public.jsonl")
    words = ["--transform", "geometric", "--features", "degree-onehot"]
    program("train", "--data", groups_file, "--workspace", tmp_path / "theirs", "--public-data",
            tmp_path / "public.jsonl", "--classes", "public", *words)
    transformer = unscatter.ScatteringTransformer("geometric", features="degree-onehot", public_data=public)
    with unscatter.Workspace.open(tmp_path / "theirs", read_only=True) as theirs:
        features, kept = theirs.status()["features"], theirs.kept_weights()
        stated = theirs.certificate.promise.constants
    assert ("classes", "public-data") in stated and ("degree-onehot", "public-data") in stated
    with unscatter.Workspace.create(tmp_path / "ours", unscatter.load(groups_file), embedder=transformer,
                                    classes="public") as ours:
        assert ours.status()["features"] == features and ours.kept_weights().tobytes() == kept.tobytes()
        assert ours.certificate.promise.constants == stated
    model = unscatter.ForgettingClassifier(transformer, public_data=public, classes="public").fit(groups)
    assert model._session.kept_weights.tobytes() == kept.tobytes()
    assert pickle.loads(pickle.dumps(model)).predict(groups[:5]).tolist() == model.predict(groups[:5]).tolist()
    assert clone(model).fit(groups).certificate_.satisfied
    for wrong, sentence in (({"fit_constants": "once", "public_data": public}, "two places"),
                            ({"classes": "public"}, "needs public_data"), ({"classes": "club"}, "give a list"),
                            ({"public_data": list(public)}, "GraphDataset"), ({"fit_constants": "often"}, "often")):
        with pytest.raises(unscatter.InvalidArgument, match=sentence):
            unscatter.ForgettingClassifier(features="soft-degree:8", **wrong).fit(groups)
    with pytest.raises(unscatter.Error, match="degree-onehot"):
        unscatter.ForgettingClassifier("paper", features="degree-onehot").fit(groups)


def test_grid_search_clone_and_joblib(groups):
    model = unscatter.ForgettingClassifier(unscatter.ScatteringTransformer(scales=2))
    assert clone(model).get_params()["embedder__scales"] == 2
    search = GridSearchCV(model, {"regularisation": [1e-4, 1e-3], "embedder__scales": [2, 3]}, cv=2)
    assert search.fit(list(groups), groups.y).best_score_ > 0.6
    assert search.best_estimator_.forget(graph=0).satisfied
    two = cross_val_score(unscatter.ForgettingClassifier(), list(groups), groups.y, cv=2, n_jobs=2)
    assert len(two) == 2 and min(two) > 0.6


def test_behind_an_embedder_in_a_pipeline(groups):
    pipeline = make_pipeline(unscatter.Embedder(), unscatter.ForgettingClassifier())
    pipeline.fit(groups, groups.y)
    assert pipeline.score(groups, groups.y) > 0.7
    assert pipeline[-1].forget(row=0).satisfied


def test_ctrl_c_at_the_very_end_of_an_update_leaves_a_true_model(blobs):
    """The signal came while the library was at work, and Python sees it when the update has been made."""
    X, y = blobs

    class Late:
        def __init__(self, session):
            self.session = session

        def __getattr__(self, name):
            return getattr(self.session, name)

        def forget(self, *arguments):
            self.session.forget(*arguments)
            raise KeyboardInterrupt

    model = unscatter.ForgettingClassifier().fit(X, y)
    model.release()
    session = model._session
    model._session = Late(session)
    with pytest.raises(KeyboardInterrupt):
        model.forget_many([int(i) for i in np.flatnonzero(y == 1)])
    model._session = session
    assert model.certificate_.graphs == session.graph_count == (y != 1).sum()
    assert model.exposure_.models == 1 and model.classes_.tolist() == [0, 2]
    assert set(model.predict(X)) == {0, 2}


def state(model):
    """What a user sees of a model that is trained."""
    return (model.classes_.tolist(), model.certificate_.graphs, model._session.kept_weights.tobytes(),
            {name for name in vars(model) if name.endswith("_") or name.startswith("_")})


def interrupted(*_):
    raise KeyboardInterrupt


@pytest.mark.parametrize("other", ["rows", "graphs"])
def test_a_fit_that_fails_or_is_interrupted_changes_nothing(other, blobs, groups, monkeypatch):
    X, y = blobs
    model = unscatter.ForgettingClassifier().fit(X, y)
    expected, before = model.decision_function(X), state(model)
    random = np.random.default_rng(2)
    others = {"rows": (random.normal(size=(50, 7)), random.integers(0, 9, 50)), "graphs": (groups, groups.y)}[other]
    for raised in (unscatter.InvalidArgument, KeyboardInterrupt):
        with monkeypatch.context() as patch, pytest.raises(raised):
            if raised is KeyboardInterrupt:
                patch.setattr(unscatter._core.Session, "create", interrupted)
            else:
                model.set_params(mechanism="nonsense")
            model.fit(*others)
        model.set_params(mechanism=None)
        assert state(model) == before and model.n_features_in_ == 3
        assert np.array_equal(model.decision_function(X), expected)
        assert model.forget(row=0).satisfied
        model.fit(X, y)
        expected, before = model.decision_function(X), state(model)
    embedder = unscatter.Embedder("size + shapes").fit(groups)
    with pytest.raises(unscatter.InvalidArgument):
        embedder.set_params(embedding="nonsense").fit(groups)
    assert pickle.loads(pickle.dumps(embedder)).transform(groups[:3]).shape == embedder.transform(groups[:3]).shape


def test_other_stated_classes_are_another_fit(blobs):
    X, y = blobs
    model = unscatter.ForgettingClassifier(classes=[0, 1, 2]).fit(X, y)
    session = model._session
    for classes in ([0, 1, 2, 3], [0, 1, 2]):
        model.set_params(classes=classes).fit(X, y)
        assert model._session is not session and model.classes_.tolist() == classes
        session = model._session
        assert model.fit(X, y)._session is session


@pytest.mark.parametrize("embedder", ["auto", "size + shapes"])
def test_features_that_a_recipe_would_not_use_are_refused(embedder, groups, groups_file, tmp_path):
    """They took the place of the form of the data: "auto" then embedded graphs with labels as if they had none."""
    everyone = dict(protect="everyone", ridge=20.0, per_subject=30, classes=["club", "channel"])
    for words in ({}, everyone):
        with pytest.raises(unscatter.InvalidArgument, match="a recipe names its own features"):
            unscatter.ForgettingClassifier(embedder, features="log-degree", **words).fit(groups)
    with pytest.raises(unscatter.InvalidArgument, match="a recipe names its own features"):
        unscatter.Embedder(embedder, features="log-degree").fit(groups)
    for words in ({"stream": True}, {}):
        with pytest.raises(unscatter.InvalidArgument, match="a recipe names its own features"):
            unscatter.Workspace.create(tmp_path / "w", groups_file, embedder=embedder, features="log-degree", **words)
    with unscatter.Workspace.create(tmp_path / "w", groups_file, embedder=embedder) as workspace:
        with pytest.raises(unscatter.InvalidArgument, match="a recipe names its own features"):
            workspace.retrain(tmp_path / "again", embedder=embedder, features="log-degree")
    # The form of the data may be stated.
    stated = unscatter.ForgettingClassifier("auto", features="form:bare", **everyone).fit(groups)
    assert ("form", "stated") in stated.certificate_.promise.constants


def test_constants_that_a_portrait_does_not_have_are_refused(groups):
    for words in ({"scales": 3}, {"operator": "column"}, {"linear": True}):
        with pytest.raises(unscatter.InvalidArgument, match="family='portrait'"):
            unscatter.ScatteringTransformer("portrait", **words).fit(groups)
