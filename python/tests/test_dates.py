"""Due dates: where they come from, what is due next, and that expiring is forgetting."""
import datetime
import pickle

import pytest

import unscatter

UTC = datetime.timezone.utc


@pytest.fixture()
def workspace(groups, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", groups[:40]) as made:
        yield made


def test_what_is_due_goes_by_one_update(workspace, groups):
    person = groups[8].node_ids[0]
    workspace.set_due("2027-03-01", graph=3)
    workspace.set_due(datetime.date(2027, 4, 1), subject=person)
    workspace.set_due(datetime.datetime(2028, 1, 1, 13, tzinfo=UTC), graph=groups.ids[5])
    assert workspace.subject(person)["due"] == datetime.datetime(2027, 4, 1, tzinfo=UTC)
    assert workspace.subjects(person)[0].due == datetime.datetime(2027, 4, 1, tzinfo=UTC)
    summary = workspace.due_summary("2027-03-15")
    assert (summary.dates, summary.overdue, summary.oldest) == (3, 1, datetime.datetime(2027, 3, 1, tzinfo=UTC))
    assert summary.next.what.id == person and summary.next.due == datetime.datetime(2027, 4, 1, tzinfo=UTC)
    assert workspace.expire("2027-02-28") is None and len(workspace.ledger) == 1
    assert [date.what.graph for date in workspace.due("2027-03-01")] == [3]
    update = workspace.expire("2027-04-01T00:00:00Z")
    assert len(update.openings) == 2 and update.entry.kind == "forgotten"
    assert not workspace.subject(person)["graphs"] and workspace.due("2027-12-31") == []
    assert workspace.due_summary().next.what.graph == 5


def test_a_date_is_taken_away(workspace):
    workspace.set_due("2027-03-01", graph=3)
    workspace.set_due(None, graph=3)
    assert workspace.due_summary().dates == 0
    with pytest.raises(unscatter.InvalidArgument, match="no due date"):
        workspace.set_due(None, graph=3)
    with pytest.raises(unscatter.NotFound):
        workspace.set_due("2027-03-01", graph=10**6)
    with pytest.raises(unscatter.InvalidArgument, match="one graph or one subject"):
        workspace.set_due("2027-03-01")


@pytest.mark.parametrize("when, sentence", [("soon", "soon"), (datetime.datetime(2027, 1, 1), "time zone"),
                                            (1798761600, "and not int")])
def test_dates_that_could_mean_something_else_are_refused(workspace, when, sentence):
    with pytest.raises(unscatter.InvalidArgument, match=sentence):
        workspace.set_due(when, graph=3)
    assert workspace.due_summary().dates == 0


def test_all_graphs_may_have_a_date(groups, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", groups[:20], expires="2030-01-01") as workspace:
        workspace.add(groups[20:25], keep_for=datetime.timedelta(days=90))
        assert workspace.due_summary().dates == 25
        assert workspace.due_summary("2031-01-01").overdue == 25
        soon = datetime.datetime.now(UTC) + datetime.timedelta(days=91)
        assert len(workspace.due(soon)) == 5
        left = workspace.remaining()
    # The earlier date counts, and a pickle keeps them all.
    copy = pickle.loads(pickle.dumps(left))
    with unscatter.Workspace.create(tmp_path / "again", copy, expires="2029-01-01") as again:
        assert again.due_summary("2029-01-01").overdue == 25 and len(again.due(soon)) == 5
    with pytest.raises(unscatter.InvalidArgument, match="exclude"):
        unscatter.Workspace.create(tmp_path / "no", groups[:20], expires="2030-01-01",
                                   keep_for=datetime.timedelta(days=1))
    assert not (tmp_path / "no").exists()


def test_the_command_line_sees_the_dates(groups, program, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", groups[:20]) as workspace:
        workspace.set_due("2027-03-01", graph=3)
    seen = program("expire", "--workspace", tmp_path / "w", "--until", "2027-03-01", "--dry-run")
    assert [date["graph"] for date in seen["due"]] == [3]
