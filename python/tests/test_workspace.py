"""Workspaces: one file format, whoever writes it."""
import json
import pickle

import numpy as np
import pytest

import unscatter


def test_the_same_state_as_through_the_command_line(groups, groups_file, program, tmp_path):
    theirs, ours = tmp_path / "theirs.unscatter", tmp_path / "ours.unscatter"
    person = groups[8].node_ids[0]
    program("train", "--data", groups_file, "--workspace", theirs)
    program("forget", "--workspace", theirs, "--graph", groups.ids[0])
    program("forget", "--workspace", theirs, "--subject", person)
    with unscatter.Workspace.create(ours, unscatter.load(groups_file)) as workspace:
        pass
    for request in ({"graph": groups.ids[0]}, {"subject": person}):
        with unscatter.Workspace.open(ours) as workspace:
            assert workspace.forget(**request).certificate.satisfied
    with unscatter.Workspace.open(ours) as one, unscatter.Workspace.open(theirs) as other:
        assert one.replay_digest() == other.replay_digest()
        assert one.state_digest() == other.state_digest()
        assert one.kept_weights().tobytes() == other.kept_weights().tobytes()
        assert one.certificate.promise.text() == other.certificate.promise.text()
        assert one.remaining().digest() == other.remaining().digest()
    # And the program goes on where Python stopped.
    assert program("verify", "--workspace", ours)["verified"]
    program("forget", "--workspace", ours, "--graph", groups.ids[5])
    with unscatter.Workspace.open(ours, read_only=True) as workspace:
        assert [entry.kind for entry in workspace.ledger] == ["created", "forgotten", "forgotten", "forgotten"]


def test_a_classifier_and_a_workspace_have_the_same_weights(groups, tmp_path):
    model = unscatter.ForgettingClassifier().fit(groups)
    with unscatter.Workspace.create(tmp_path / "w", groups) as workspace:
        assert workspace.kept_weights().tobytes() == model._session.kept_weights.tobytes()


def test_rows_give_the_same_state_as_the_command_line(program, tmp_path):
    random = np.random.default_rng(5)
    rows, y = random.normal(size=(60, 4)) / 3, random.integers(0, 2, 60)
    np.save(tmp_path / "Z.npy", rows)
    np.save(tmp_path / "y.npy", y)
    program("train", "--rows", tmp_path / "Z.npy", "--labels", tmp_path / "y.npy", "--workspace", tmp_path / "theirs")
    with unscatter.Workspace.create(tmp_path / "ours", rows, y) as one:
        with unscatter.Workspace.open(tmp_path / "theirs") as other:
            assert one.kept_weights().tobytes() == other.kept_weights().tobytes()
            assert one.status()["regularisation"] == other.status()["regularisation"]


def test_a_released_model_predicts_as_the_command_line(groups, groups_file, program, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", groups) as workspace:
        text = workspace.release()
        assert workspace.release() == text and workspace.release(fresh=True) != text
    (tmp_path / "model.json").write_text(text)
    program("predict", "--model", tmp_path / "model.json", "--data", groups_file, "--scores", "--out",
            tmp_path / "predictions.csv")
    lines = (tmp_path / "predictions.csv").read_text().splitlines()
    model = unscatter.read_model(text, signer=str(tmp_path / "signing.pub"))
    scores = model.scores(list(groups))
    header = lines[0].split(",")
    predicted = [line.split(",")[header.index("predicted")] for line in lines[1:]]
    assert model.predict(groups).tolist() == predicted
    columns = [header.index(f"score {name}") for name in model.class_names]
    theirs = np.array([[float(line.split(",")[column]) for column in columns] for line in lines[1:]])
    assert scores.tobytes() == theirs.tobytes()


def test_updates_receipts_and_the_ledger(groups, tmp_path):
    path = tmp_path / "w"
    with unscatter.Workspace.create(path, groups[:100]) as workspace:
        added = workspace.add(groups[100:110])
        assert added.entry.kind == "added" and added.certificate.graphs == 110
        corrected = workspace.correct({"correct": "class", "graph": 3, "class": groups.class_names[0]})
        assert corrected.entry.kind == "corrected"
        certificate, exposure = workspace.preview(unscatter.ForgetGraph(0))
        assert certificate.graphs == 109 and exposure.models == 0
        done = workspace.forget(graph=0)
        assert workspace.receipt(done.entry.sequence) == done.receipt
        unscatter.verify_receipt(done.receipt, str(tmp_path / "signing.pub"))
        with pytest.raises(unscatter.Error):
            unscatter.verify_receipt(done.receipt.replace('"graphs": 1', '"graphs": 2'), str(tmp_path / "signing.pub"))
        assert json.loads(done.openings[0])["request"] == {"forget": "graph", "graph": 0}
        person = groups[5].node_ids[0]
        held = workspace.subject(person)
        assert all("due" in graph for graph in held["graphs"])
        assert all(edge["direction"] == "both"                       # groups have no directions
                   for graph in held["graphs"] for node in graph["nodes"] for edge in node["edges"])
        assert held["graphs"] and any(name == person for name, _, _ in workspace.subjects(person))
        workspace.forget(subject=person)
        assert not workspace.subject(person)["graphs"]
        assert workspace.status()["entries"] == 5 and len(workspace.ledger) == 5
        assert workspace.backup(tmp_path / "copy") == workspace.status()["head"]
    verification = workspace.verify(retrain=True)
    assert verification.passed and {"chain", "data", "model"} <= {name for name, _, _ in verification.checks}
    with pytest.raises(unscatter.InvalidArgument, match="closed"):
        workspace.forget(graph=1)


def test_a_pickle_of_a_workspace_is_its_path(groups, tmp_path):
    workspace = unscatter.Workspace.create(tmp_path / "w", groups[:30])
    workspace.close()
    text = pickle.dumps(workspace)
    assert b"user-" not in text and len(text) < 500
    with pickle.loads(text) as again:
        assert again.status()["graphs"] == 30


def test_a_workspace_is_used_by_one_at_a_time(groups, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", groups[:30]):
        with pytest.raises(unscatter.Unavailable):
            unscatter.Workspace.open(tmp_path / "w", wait=0)
