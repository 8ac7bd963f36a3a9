"""Choices on public data: the same as `unscatter tune`."""
import os
import signal
import threading

import pytest

import unscatter

CHOICES = [
    ({}, []),
    ({"noises": [0.01, 0.1], "folds": 3, "seed": 4}, ["--noises", "0.01,0.1", "--folds", "3", "--seed", "4"]),
    ({"hold_out": 0.4, "losses": ["logistic"]}, ["--hold-out", "0.4", "--losses", "logistic"]),
    ({"protect": "everyone", "per_subject": 1, "graphs": 5000, "guarantee": (2.0, 1e-6), "releases": 3},
     ["--protect", "everyone", "--per-subject", "1", "--graphs", "5000", "--epsilon", "2", "--delta", "1e-6",
      "--releases", "3"]),
]


@pytest.fixture(scope="module")
def public():
    return unscatter.interest_groups(groups=80, users=200, seed=9)


@pytest.mark.parametrize("words,options", CHOICES, ids=["removed", "noises", "hold_out", "everyone"])
def test_the_same_choice_as_the_command_line(words, options, public, program, tmp_path):
    public.save(tmp_path / "public.jsonl")
    recipes = ["size + shapes", "auto"]
    ours = unscatter.tune(public, recipes=recipes, lambdas=[1e-4, 1e-3], **words)
    theirs = program("tune", "--public-data", tmp_path / "public.jsonl", "--recipes", ",".join(recipes), "--lambdas",
                     "1e-4,1e-3", *options)

    def line(one):
        return unscatter.TuneLine(one["recipe"], one["loss"], one["lambda"], one["noise_stddev"], one["accuracy"],
                                  one["coordinates"])

    assert ours.lines == [line(one) for one in theirs["lines"]]
    assert ours.chosen == line(theirs["chosen"])
    assert (ours.folds, ours.held_out, ours.uncertainty) == (theirs["folds"], theirs["held_out"],
                                                             theirs["uncertainty"])
    words = ours.options
    assert words["embedder"] in theirs["command"] and words["loss"] in theirs["command"]
    if "protect" in words:
        assert words["ridge"] == ours.chosen.regularisation * 5000
        assert f"--ridge {words['ridge']:g}" in theirs["command"]
        assert (words["guarantee"], words["per_subject"], words["releases"]) == ((2.0, 1e-6), 1, 3)
    else:
        assert f"--lambda {words['regularisation']:g} --noise {words['noise']:g}" in theirs["command"]


def test_what_was_chosen_trains(public, groups, tmp_path):
    tuning = unscatter.tune(public, recipes=["size + shapes"], lambdas=[1e-4, 1e-3])
    model = unscatter.ForgettingClassifier(**tuning.options).fit(groups)
    assert model.certificate_.promise.noise == tuning.chosen.noise
    with unscatter.Workspace.create(tmp_path / "w", groups, **tuning.options) as workspace:
        assert workspace.status()["regularisation"] == tuning.chosen.regularisation
        assert workspace.kept_weights().tobytes() == model._session.kept_weights.tobytes()


@pytest.mark.parametrize("words,sentence", [
    ({"protect": "everyone", "noises": [0.1]}, "noises does not go"),
    ({"per_subject": 1}, "per_subject belongs"),
    ({"guarantee": (1.0, 1e-6)}, "guarantee belongs"),
    ({"releases": 2}, "releases belongs"),
    ({"graphs": 100}, "graphs belongs"),
    ({"folds": 2, "hold_out": 0.3}, "two ways"),
    ({"recipes": ["nonsense"]}, "nonsense"),
    ({"recipes": "auto"}, "recipes does not take"),
    ({"losses": ["nonsense"]}, "nonsense"),
])
def test_what_makes_no_sense_is_refused(words, sentence, public):
    with pytest.raises(unscatter.InvalidArgument, match=sentence):
        unscatter.tune(public, **words)


def test_a_list_of_graphs_and_one_class_are_refused(public):
    with pytest.raises(unscatter.InvalidArgument, match="GraphDataset"):
        unscatter.tune(list(public))
    with pytest.raises(unscatter.InvalidArgument, match="two classes"):
        unscatter.tune(public[public.y == "club"])


def test_progress_and_ctrl_c():
    stages = set()
    many = unscatter.interest_groups(groups=3000, users=3000, seed=9)

    def report(stage, done, total):
        stages.add(stage)
        if len(stages) > 0:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        unscatter.tune(many, progress=report)
    assert stages == {"tune"}
    assert threading.active_count() < 50
