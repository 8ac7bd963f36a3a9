"""Files that do not fit memory: graphs one after the other, predictions and training on them."""
import itertools
import os
import signal
import threading

import numpy as np
import pytest

import unscatter


def test_a_stream_gives_what_load_gives(groups_file):
    data = unscatter.load(groups_file)
    streamed = list(unscatter.stream(groups_file))
    assert [one.graph for one in streamed] == list(data)
    assert [one.label for one in streamed] == data.y.tolist()
    assert [one.id for one in streamed] == data.ids
    assert [one.number for one in streamed] == list(range(len(data)))
    assert streamed[2].place.endswith("line 3")


def test_a_wrong_line_ends_a_stream_where_it_stands(groups_file):
    lines = groups_file.read_text(encoding="utf-8").splitlines()
    lines[5] = "{"
    groups_file.write_text("\n".join(lines), encoding="utf-8")
    read = unscatter.stream(groups_file)
    assert len(list(itertools.islice(read, 5))) == 5
    with pytest.raises(unscatter.MalformedInput, match="line 6"):
        next(read)


def test_predictions_of_a_stream_are_those_of_the_command_line(groups, groups_file, program, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", groups[:80]) as workspace:
        (tmp_path / "model.json").write_text(workspace.release())
    program("predict", "--model", tmp_path / "model.json", "--data", groups_file, "--scores", "--out",
            tmp_path / "predictions.csv")
    header, *lines = [line.split(",") for line in (tmp_path / "predictions.csv").read_text().splitlines()]
    model = unscatter.read_model((tmp_path / "model.json").read_text())
    ours = list(model.predict_stream(groups_file))
    assert len(ours) == len(lines) == len(groups)
    for one, line in zip(ours, lines):
        theirs = dict(zip(header, line))
        assert (str(one.number), one.id, one.label, one.predicted) == (
            theirs["number"], theirs["id"], theirs["label"], theirs["predicted"])
        assert one.lead == float(theirs["lead"])
        assert one.scores.tolist() == [float(theirs[f"score {name}"]) for name in model.class_names]


def test_predictions_come_before_the_stream_ends(groups):
    model = unscatter.ForgettingClassifier().fit(groups).release()
    taken = itertools.count()

    def endless():
        for graph in itertools.cycle(groups):
            next(taken)
            yield graph

    first = list(itertools.islice(model.predict_stream(endless()), 3))
    assert [one.predicted for one in first] == model.predict(groups[:3]).tolist()
    assert first[2].number == 2 and first[2].label is None
    assert next(taken) < 1000
    with pytest.raises(unscatter.InvalidArgument, match="from_networkx"):
        next(model.predict_stream(iter([7])))


def test_training_on_a_stream_gives_the_same_workspace(groups_file, program, tmp_path):
    program("train", "--data", groups_file, "--workspace", tmp_path / "theirs", "--stream")
    with unscatter.Workspace.create(tmp_path / "streamed", groups_file, stream=True) as streamed, \
            unscatter.Workspace.create(tmp_path / "read", groups_file) as read, \
            unscatter.Workspace.open(tmp_path / "theirs") as theirs:
        for other in (read, theirs):
            assert streamed.replay_digest() == other.replay_digest()
            assert streamed.state_digest() == other.state_digest()
            assert streamed.kept_weights().tobytes() == other.kept_weights().tobytes()
            assert streamed.certificate.promise.text() == other.certificate.promise.text()
            assert streamed.status()["name"] == other.status()["name"]
        assert streamed.forget(graph=0).certificate.satisfied
    assert unscatter.Workspace.open(tmp_path / "streamed", read_only=True).verify().passed


def test_streamed_training_takes_classes_dates_and_public_data(groups, groups_file, tmp_path):
    public = unscatter.interest_groups(groups=30, seed=8)
    options = dict(features="degree-onehot", embedder="paper", public_data=public, classes=["channel", "club", "other"],
                   expires="2030-01-01", regularisation=1e-2)
    with unscatter.Workspace.create(tmp_path / "a", groups_file, stream=True, **options) as streamed, \
            unscatter.Workspace.create(tmp_path / "b", groups_file, **options) as read:
        assert streamed.status()["class_names"] == ["channel", "club", "other"]
        assert streamed.state_digest() == read.state_digest()
        assert streamed.due_summary("2029-01-01") == read.due_summary("2029-01-01")
        assert streamed.due_summary("2029-01-01").dates == len(groups)
        assert streamed.certificate.promise.constants == read.certificate.promise.constants


def test_what_cannot_be_streamed_is_refused(groups, groups_file, tmp_path):
    with pytest.raises(unscatter.InvalidArgument, match="path"):
        unscatter.Workspace.create(tmp_path / "w", groups, stream=True)
    with pytest.raises(unscatter.InvalidArgument, match="own classes"):
        unscatter.Workspace.create(tmp_path / "w", groups_file, groups.y, stream=True)
    with pytest.raises(unscatter.Unsupported, match="everyone"):
        unscatter.Workspace.create(tmp_path / "w", groups_file, stream=True, protect="everyone", ridge=1.0)
    with pytest.raises(unscatter.NotFound):
        unscatter.Workspace.create(tmp_path / "w", tmp_path / "missing.jsonl", stream=True)
    assert not (tmp_path / "signing.key").exists() and not (tmp_path / "w").exists()


def test_ctrl_c_while_a_file_is_streamed_leaves_no_workspace(tmp_path):
    data = tmp_path / "many.jsonl"
    unscatter.interest_groups(groups=20000, seed=5).save(data)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        unscatter.Workspace.create(tmp_path / "w", data, stream=True,
                                   embedder=unscatter.ScatteringTransformer(scales=8, layers=4))
    assert not (tmp_path / "w").exists()


def test_rows_of_a_stream_are_not_kept(groups_file):
    """A stream that is dropped half way holds no file open that the next one would need."""
    for _ in range(2000):
        assert isinstance(next(unscatter.stream(groups_file)).graph, unscatter.Graph)
    assert np.mean([one.graph.node_count for one in unscatter.stream(groups_file)]) > 1
