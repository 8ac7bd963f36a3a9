"""Audits: the same report as that of the library, on copies, with pictures."""
import matplotlib
import numpy as np
import pytest

import unscatter
from unscatter import plot

matplotlib.use("Agg")

# With so many draws an honest session passes at this confidence, but for once in many million runs.
DRAWS, CONFIDENCE = 4000, 0.999999


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(1)
    return random.normal(size=(60, 4)) / 3, random.integers(0, 2, 60)


@pytest.fixture(scope="module")
def audited(rows):
    model = unscatter.ForgettingClassifier(releases=1).fit(*rows)
    return model.audit(games=["removed", "everyone"], draws=DRAWS, removals=3, confidence=CONFIDENCE)


def test_an_honest_session_passes(audited):
    assert audited.passed and audited.failure is None and audited.confidence == CONFIDENCE
    removed, everyone = audited.games
    assert removed.game == "removed" and removed.shift_lower_bound <= removed.promised_shift
    # Without the level everyone, a pair of models tells who was there, and nothing else was promised.
    assert everyone.promised_shift is None and everyone.shift_lower_bound > 1
    assert {control.name for control in audited.controls} == {"null", "planted shift"}
    assert all(fault.flagged or not fault.visible for fault in audited.faults) and audited.faults
    assert sum(removed.histogram.test) == removed.looks[0].draws == sum(removed.histogram.reference)


def test_a_workspace_is_audited_without_a_trace(rows, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", *rows) as workspace:
        before = workspace.state_digest()
        audited = workspace.audit(draws=DRAWS, removals=3, faults=False, confidence=CONFIDENCE)
        assert audited.passed and not audited.faults and len(workspace.ledger) == 1
        assert workspace.state_digest() == before
        with pytest.raises(unscatter.InvalidArgument, match="1000 draws"):
            workspace.audit(draws=10)
        with pytest.raises(unscatter.InvalidArgument, match="nobody"):
            workspace.audit(games=["nobody"])


def test_the_same_removals_and_looks_as_on_the_command_line(rows, program, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", *rows) as workspace:
        ours = workspace.audit(draws=DRAWS, removals=3, seed=7, confidence=CONFIDENCE)
    theirs = program("audit", "--workspace", tmp_path / "w", "--draws", DRAWS, "--removals", 3, "--seed", 7,
                     "--confidence", CONFIDENCE)
    one, other = ours.games[0], theirs["games"][0]
    # Noise is never seeded.  What is removed is, so the known shift is the same, to the last bit.
    assert [look.known_shift for look in one.looks] == [look["known_shift"] for look in other["looks"]]
    assert (one.about, one.promised_shift, one.draws) == (other["about"], other["promised_shift"], other["draws"])
    assert [fault.name for fault in ours.faults] == [fault["name"] for fault in theirs["faults"]]


def test_pictures_of_an_audit(audited):
    axes = plot.audit(audited)
    assert "removed" in axes.get_title()
    assert "everyone" in plot.audit(audited, game=1).get_title()
    with pytest.raises(unscatter.InvalidArgument, match="no game 2"):
        plot.audit(audited, game=2)
    assert audited.svg().startswith("<svg") and audited._repr_html_().startswith("<table>")
    assert repr(audited).startswith("Audit(passed=True")
    with pytest.raises(IndexError):
        audited.svg(5)
