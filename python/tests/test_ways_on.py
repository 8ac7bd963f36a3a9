"""Training again, exporting and looking inside: the same as through the command line."""
import stat

import numpy as np
import pytest

import unscatter


def same(one, other):
    assert one.replay_digest() == other.replay_digest()
    # Noise in the objective is drawn anew by each training.
    if one.status()["options"]["mechanism"] == "release":
        assert one.state_digest() == other.state_digest()
        assert one.kept_weights().tobytes() == other.kept_weights().tobytes()
    assert one.certificate.promise.text() == other.certificate.promise.text()
    assert one.status()["options"] == other.status()["options"]


# Words of Python, and the same on the command line.
CHOICES = [
    ({"regularisation": 1e-2}, ["--lambda", "0.01"]),
    ({"guarantee": (0.5, 1e-8), "releases": 7, "bias": True}, ["--epsilon", "0.5", "--releases", "7", "--bias"]),
    ({"mechanism": "objective"}, ["--mechanism", "objective"]),
    ({"embedder": "auto"}, ["--embedding", "auto"]),
    ({"features": "log-degree"}, ["--features", "log-degree"]),
    ({"classes": ["club", "channel", "other"]}, ["--classes", "club,channel,other"]),
    ({"loss": "squared", "noise": 0.1}, ["--loss", "squared", "--noise", "0.1"]),
]


@pytest.mark.parametrize("words,options", CHOICES, ids=[option[0] for _, option in CHOICES])
def test_a_retraining_is_that_of_the_command_line(words, options, groups_file, program, tmp_path):
    path = tmp_path / "w"
    with unscatter.Workspace.create(path, groups_file, regularisation=2e-3, releases=20) as workspace:
        workspace.release()
        workspace.forget_many([3, 5])
        workspace.forget(graph=8, node=0)
    program("retrain", "--workspace", path, "--out", tmp_path / "theirs", *options)
    with unscatter.Workspace.open(path) as workspace:
        head = workspace.status()["head"]
        with workspace.retrain(tmp_path / "ours", **words) as ours:
            with unscatter.Workspace.open(tmp_path / "theirs") as theirs:
                same(ours, theirs)
            assert ours.status()["graphs"] == 118 and ours.status()["published"] == 1
            # Noise on models and noise in the objective have no promise together.
            assert (ours.certificate.promise.together is None) == ("mechanism" in words)
            with pytest.raises(unscatter.Error):
                ours.forget(graph=3)
        # The old one is as it was.
        assert workspace.status()["head"] == head
    assert unscatter.Workspace.open(tmp_path / "ours", read_only=True).verify(retrain=True).passed
    assert program("verify", "--workspace", tmp_path / "ours")["verified"]


def test_a_retraining_takes_over_constants_of_public_data(groups, groups_file, program, tmp_path):
    public = unscatter.interest_groups(groups=30, seed=8)
    path = tmp_path / "w"
    with unscatter.Workspace.create(path, groups_file, embedder="paper", features="degree-onehot", public_data=public,
                                    classes="public") as workspace:
        fitted = workspace.status()["features"]
        with workspace.retrain(tmp_path / "ours", regularisation=1e-2) as ours:
            assert ours.status()["features"] == fitted
            assert ours.status()["class_names"] == workspace.status()["class_names"]
        with workspace.retrain(tmp_path / "data", classes="data", fit_constants="private") as private:
            assert ("classes", "private-fit") in private.certificate.promise.constants


def test_a_level_is_kept_and_changed(groups, groups_file, program, tmp_path):
    path = tmp_path / "w"
    with unscatter.Workspace.create(path, groups_file, embedder="paper", features="log-degree", protect="everyone",
                                    per_subject=1, ridge=50.0, classes=["club", "channel"]) as workspace:
        with workspace.retrain(tmp_path / "same", guarantee=(0.5, 1e-8)) as same_level:
            words = same_level.status()["options"]
            assert (words["protect"], words["ridge"], words["per_subject"]) == ("everyone", 50.0, 1)
        with workspace.retrain(tmp_path / "ours", protect="removed") as removed:
            assert removed.status()["options"]["protect"] == "removed"
            workspace.close()
            program("retrain", "--workspace", path, "--out", tmp_path / "theirs", "--protect", "removed")
            with unscatter.Workspace.open(tmp_path / "theirs") as theirs:
                same(removed, theirs)


def test_rows_are_trained_again(tmp_path):
    random = np.random.default_rng(5)
    rows, y = random.normal(size=(60, 4)) / 3, random.integers(0, 2, 60)
    with unscatter.Workspace.create(tmp_path / "w", rows, y) as workspace:
        workspace.forget(row=7)
        with workspace.retrain(tmp_path / "again") as again, \
                unscatter.Workspace.create(tmp_path / "fresh", np.delete(rows, 7, axis=0), np.delete(y, 7)) as fresh:
            assert again.kept_weights().tobytes() == fresh.kept_weights().tobytes()


def test_a_retraining_that_cannot_be_leaves_nothing(groups, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", groups[:30]) as workspace:
        with pytest.raises(unscatter.InvalidArgument, match="exists"):
            workspace.retrain(tmp_path / "w")
        with pytest.raises(unscatter.InvalidArgument, match="alpha"):
            workspace.retrain(tmp_path / "other", alpha=1.0)
        with pytest.raises(unscatter.InvalidArgument, match="nonsense"):
            workspace.retrain(tmp_path / "other", nonsense=1.0)
        assert workspace.status()["entries"] == 1
    with pytest.raises(unscatter.InvalidArgument, match="closed"):
        workspace.retrain(tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_an_old_copy_is_neither_exported_nor_trained_again(groups, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", groups[:30]) as workspace:
        workspace.backup(tmp_path / "copy")
        workspace.forget(graph=3)
    (tmp_path / "copy").replace(tmp_path / "w")
    with unscatter.Workspace.open(tmp_path / "w") as workspace:
        with pytest.raises(unscatter.Outdated):
            workspace.export(tmp_path / "left.jsonl")
        with pytest.raises(unscatter.Outdated):
            workspace.retrain(tmp_path / "again")
    assert not (tmp_path / "left.jsonl").exists() and not (tmp_path / "again").exists()


def test_an_export_is_that_of_the_command_line(groups, tmp_path, program):
    with unscatter.Workspace.create(tmp_path / "w", groups) as workspace:
        workspace.forget(graph=5)
        workspace.forget(graph=9, features_of=1)
        workspace.export(tmp_path / "ours.jsonl")
        assert unscatter.load(tmp_path / "ours.jsonl") == workspace.remaining()
        with pytest.raises(unscatter.InvalidArgument, match="replace=True"):
            workspace.export(tmp_path / "ours.jsonl")
        workspace.export(tmp_path / "ours.jsonl", replace=True)
    assert stat.S_IMODE((tmp_path / "ours.jsonl").stat().st_mode) == 0o600
    program("export", "--workspace", tmp_path / "w", "--out", tmp_path / "theirs.jsonl")
    assert (tmp_path / "ours.jsonl").read_bytes() == (tmp_path / "theirs.jsonl").read_bytes()


def test_graphs_are_those_that_the_command_line_lists(groups, tmp_path, program):
    with unscatter.Workspace.create(tmp_path / "w", groups) as workspace:
        workspace.forget(graph=5)
        workspace.forget(graph=9, node=0)
        ours = list(workspace.graphs())
        assert workspace.graph(9) == workspace.graph(groups.ids[9])
        assert workspace.graph(9).graph.node_count == groups[9].node_count - 1
        assert workspace.graph(9).nodes_at_creation == groups[9].node_count
        for missing in (5, groups.ids[5], 1000, "nobody"):
            with pytest.raises(unscatter.NotFound):
                workspace.graph(missing)
    theirs = program("graphs", "--workspace", tmp_path / "w", "--limit", "0")["graphs"]
    assert [(one.number, one.id, one.label, one.nodes_at_creation, one.graph.node_count, one.graph.edge_count)
            for one in ours] == [(one["number"], one["id"], one["class"], one["nodes_at_creation"], one["nodes"],
                                  one["edges"]) for one in theirs]


def test_keys_and_quick_checks(groups, tmp_path, program):
    digits = unscatter.public_key()
    assert digits == program("key")["public_key"] and len(digits) == 64
    with unscatter.Workspace.create(tmp_path / "w", groups[:30]) as workspace:
        receipt = workspace.forget(graph=0).receipt
        assert workspace.status()["signer"] == digits
    unscatter.verify_receipt(receipt, digits)
    ours, theirs = unscatter.check(tmp_path / "w"), program("check", "--workspace", tmp_path / "w")
    assert ours.passed and [name for name, _, _ in ours.checks] == [one["name"] for one in theirs["checks"]]
    with open(tmp_path / "w", "r+b") as file:
        for place in range(5000, (tmp_path / "w").stat().st_size, 1000):
            file.seek(place)
            file.write(b"damage")
    assert not unscatter.check(tmp_path / "w").passed


def test_status_tells_the_options(groups, tmp_path):
    words = dict(regularisation=2e-3, guarantee=(2.0, 1e-7), noise=0.05, releases=9, loss="squared", bias=True)
    with unscatter.Workspace.create(tmp_path / "w", groups[:30], **words) as workspace:
        told = workspace.status()["options"]
        assert {word: told[word] for word in words} == words
        # They are the words that make the same again.
        with unscatter.Workspace.create(tmp_path / "again", groups[:30], **told) as again:
            assert again.status()["options"] == told
