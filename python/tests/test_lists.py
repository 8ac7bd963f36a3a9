"""Lists of requests: files, batches, refusals, and where a list goes on."""
import json
import os
import signal

import pytest

import unscatter


@pytest.fixture()
def workspace(groups, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", groups[:60]) as made:
        yield made


def graphs(*numbers):
    return [unscatter.ForgetGraph(number) for number in numbers]


def test_a_file_is_read_as_the_command_line_reads_it(groups_file, program, tmp_path):
    lines = [{"forget": "graph", "graph": 3}, {"forget": "node", "graph": 4, "node": 1},
             {"forget": "edge", "graph": 5, "from": 0, "to": 1}, {"forget": "subject", "id": "user-00001"}]
    (tmp_path / "list.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines[:2]))
    (tmp_path / "list.csv").write_text("forget,graph,node\ngraph,3,\nnode,4,1\n")
    listed = unscatter.read_requests(tmp_path / "list.jsonl")
    assert [repr(one) for one in listed] == [repr(one) for one in unscatter.read_requests(tmp_path / "list.csv")]
    assert listed.lines == [1, 2] and len(listed) == 2 and repr(listed[1]) == "node 1 of graph 4"
    program("train", "--data", groups_file, "--workspace", tmp_path / "theirs")
    program("forget", "--workspace", tmp_path / "theirs", "--requests", tmp_path / "list.jsonl")
    with unscatter.Workspace.create(tmp_path / "ours", unscatter.load(groups_file)) as ours:
        assert ours.forget_list(listed).honoured == 2
    with unscatter.Workspace.open(tmp_path / "ours") as ours, unscatter.Workspace.open(tmp_path / "theirs") as theirs:
        assert ours.replay_digest() == theirs.replay_digest()


def test_wrong_lines_are_all_named(tmp_path):
    path = tmp_path / "list.jsonl"
    path.write_text('{"forget": "graph", "graph": 3}\nnonsense\n\n{"forget": "planet"}\n')
    with pytest.raises(unscatter.MalformedInput, match=r"2 wrong lines:\n  line 2: .*\n  line 4: "):
        unscatter.read_requests(path)
    some = unscatter.read_requests(path, skip_wrong=True)
    assert len(some) == 1 and [line for line, _ in some.wrong] == [2, 4]
    assert all(isinstance(error, unscatter.MalformedInput) for _, error in some.wrong)
    with pytest.raises(unscatter.InvalidArgument, match="format"):
        unscatter.read_requests(path, format="xml")
    with pytest.raises(unscatter.NotFound):
        unscatter.read_requests(tmp_path / "nothing")


def test_updates_of_a_batch_each(workspace):
    seen = []
    outcome = workspace.forget_list(graphs(1, 2, 3, 4, 5), batch=2,
                                    acknowledge=lambda done, update: seen.append((done, update.entry.sequence)))
    assert outcome.honoured == 5 and seen == [(2, 1), (4, 2), (5, 3)]
    assert [len(update.openings) for update in outcome.updates] == [2, 2, 1]
    assert workspace.receipt(3) == outcome.updates[2].receipt


def test_a_refusal_ends_the_list_or_is_passed_over(workspace):
    with pytest.raises(unscatter.NotFound) as caught:
        workspace.forget_list(graphs(1, 2, 10**6, 3), batch=2)
    assert caught.value.request == 2
    # What came before it is in force, and the list goes on from there.
    outcome = workspace.forget_list(graphs(1, 2, 10**6, 3), batch=2, skip_refused=True)
    assert (outcome.done_before, outcome.entries_before, outcome.honoured) == (2, [1], 1)
    assert [error.request for error in outcome.refused] == [2]
    assert isinstance(outcome.refused[0], unscatter.NotFound)
    assert workspace.status()["graphs"] == 57


def test_an_exception_after_an_update_leaves_it_in_force(workspace):
    def stop(done, update):
        raise ZeroDivisionError(done)

    with pytest.raises(ZeroDivisionError):
        workspace.forget_list(graphs(1, 2, 3), batch=1, acknowledge=stop)
    assert workspace.status()["graphs"] == 59
    assert workspace.forget_list(graphs(1, 2, 3), batch=1).done_before == 1
    assert workspace.status()["graphs"] == 57


def test_openings_that_cannot_be_handed_out_stop_the_removal(workspace):
    before, kept = workspace.state_digest(), []

    def refuse(update):
        raise OSError("the disk is full")

    for forget in (workspace.forget_many, workspace.forget_list):
        with pytest.raises(OSError, match="disk is full"):
            forget(graphs(1), hand_out=refuse)
    assert workspace.state_digest() == before and len(workspace.ledger) == 1
    update = workspace.forget(graph=1, hand_out=lambda update: kept.extend(update.openings))
    assert kept == update.openings and len(kept) == 1
    assert workspace.forget(graph=2, shred=True).openings == []


def test_ctrl_c_ends_a_list_between_updates(workspace):
    def press(done, update):
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        workspace.forget_list(graphs(*range(20)), batch=1, acknowledge=press)
    done = 60 - workspace.status()["graphs"]
    assert 1 <= done < 20
    assert workspace.forget_list(graphs(*range(20)), batch=1).done_before == done


def test_a_restored_copy_is_brought_up_to_date(groups, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", groups[:30]) as workspace:
        workspace.backup(tmp_path / "copy")
        lines = workspace.forget(graph=1).openings + workspace.forget(graph=2, keep_salts=True).openings
        assert workspace.shred(unscatter.ForgetGraph(2)) == 1
        expected = workspace.remaining().digest()
    os.replace(tmp_path / "copy", tmp_path / "w")
    with unscatter.Workspace.open(tmp_path / "w") as restored:
        assert restored.status()["outdated"]
        with pytest.raises(unscatter.Outdated):
            restored.forget(graph=3)
        assert restored.replay(lines).entry.kind == "replayed"
        assert restored.remaining().digest() == expected
    assert restored.verify().passed


def test_care_for_files(groups, tmp_path):
    with unscatter.Workspace.create(tmp_path / "w", groups[:60]) as workspace:
        workspace.forget_many(graphs(*range(40)))
    before, after = unscatter.compact(tmp_path / "w")
    assert after < before and (tmp_path / "w").stat().st_size == after
    was, present, done = unscatter.upgrade(tmp_path / "w", dry_run=True)
    assert was == present and not done
    assert workspace.verify().passed
