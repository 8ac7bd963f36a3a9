"""Forks, spawned workers, threads, signals and memory."""
import concurrent.futures
import multiprocessing
import os
import resource
import shutil
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import unscatter


def _embed(graphs):
    return unscatter.Embedder("auto").fit_transform(graphs).tobytes()


def _forget_and_predict(model, graphs):
    model.forget(graph=0)
    return model.predict(graphs).tolist()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_get_the_same_rows(method, groups):
    # The threads of this process exist before it forks.
    expected = _embed(groups)
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        assert list(pool.map(_embed, [groups, list(groups)], timeout=120)) == [expected, expected]


def test_a_forked_child_goes_on_with_a_session(groups):
    model = unscatter.ForgettingClassifier().fit(groups)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os.write(writing, bytes([len(_forget_and_predict(model, list(groups)))]))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert os.read(reading, 1) == bytes([len(groups)])
    assert model.certificate_.graphs == 120


def test_nothing_but_the_entry_of_the_module_is_visible():
    """Other extensions in the same process may bring the same libraries."""
    if shutil.which("nm") is None or os.environ.get("UNSCATTER_SANITIZED"):
        pytest.skip("there is no nm, or a sanitizer adds names of its own")
    listed = subprocess.run(["nm", "--dynamic", "--defined-only", unscatter._core.__file__], capture_output=True,
                            text=True, check=True).stdout
    assert [line.split()[-1] for line in listed.splitlines()] == ["PyInit__core"]


def test_threads_share_a_classifier(groups):
    model = unscatter.ForgettingClassifier().fit(groups)
    model.release()
    errors = []

    def work(first):
        try:
            for number in range(first, first + 5):
                model.forget(graph=number)
                model.predict(groups[100:])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 10, 20, 30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not errors and model._session.graph_count == 100 and model._session.updates == 20


def test_other_threads_run_while_the_library_works():
    data = unscatter.interest_groups(groups=3000, seed=4)
    embedder = unscatter.ScatteringTransformer(scales=5, threads=1).fit(data)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.002)

    thread = threading.Thread(target=tick)
    thread.start()
    begun = time.perf_counter()
    embedder.transform(data)
    ended = time.perf_counter()
    stop.set()
    thread.join()
    during = [moment for moment in ticks if begun < moment < ended]
    assert len(during) > 0.1 * (ended - begun) / 0.002


def test_ctrl_c_ends_long_work_and_leaves_everything_as_it_was(groups):
    data = unscatter.interest_groups(groups=20000, seed=5)
    embedder = unscatter.ScatteringTransformer(scales=8, layers=4).fit(groups)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        embedder.transform(data)
    assert time.perf_counter() - begun < 5
    assert embedder.transform(groups).shape[0] == len(groups)


def test_ctrl_c_while_a_workspace_is_made_leaves_no_file(tmp_path):
    data = unscatter.interest_groups(groups=20000, seed=5)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        unscatter.Workspace.create(tmp_path / "w", data, embedder=unscatter.ScatteringTransformer(scales=8, layers=4))
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("w")] == []


def press_during(work, after):
    """Ctrl-C while the library is at work: Python learns of it when the library looks, or returns."""
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)).start()
        work()
        time.sleep(10)


def test_ctrl_c_in_a_removal_leaves_everything_as_it_was(tmp_path):
    random = np.random.default_rng(1)
    X, y = random.normal(size=(20000, 40)) / 9, random.integers(0, 4, 20000)
    many = list(range(5000))
    model = unscatter.ForgettingClassifier().fit(X, y)
    certificate, before = model.certificate_, model._session.kept_weights
    with unscatter.Workspace.create(tmp_path / "w", X[:8000], y[:8000]) as workspace:
        # Removals take five times as long and more.  A signal that comes before them does no harm.
        for after in (0.004, 0.008, 0.012):
            press_during(lambda: model.forget_many(many), after)
            assert np.array_equal(model._session.kept_weights, before) and model._session.graph_count == 20000
            assert model.certificate_.distance_upper_bound == certificate.distance_upper_bound
            press_during(lambda: workspace.forget_many(many[:2000]), after)
            assert len(workspace.ledger) == 1 and workspace.status()["graphs"] == 8000
        assert model.forget_many(many).satisfied and workspace.forget_many(many[:2000]).certificate.satisfied


def test_an_addition_is_reported_and_can_be_ended(groups, tmp_path):
    many = unscatter.interest_groups(groups=3000, users=3000, seed=6)
    many = unscatter.GraphDataset(list(many), many.y, ids=[f"new-{number}" for number in range(len(many))])
    seen = []

    def report(*what):
        seen.append(what)
        raise ZeroDivisionError

    slow = unscatter.ScatteringTransformer(scales=6, layers=4)
    with unscatter.Workspace.create(tmp_path / "w", groups[:30], embedder=slow) as workspace:
        before = workspace.state_digest()
        with pytest.raises(ZeroDivisionError):
            workspace.add(many, progress=report)
        (stage, done, total), = seen
        assert stage == "embedding" and 0 < done < total == 3000
        assert workspace.state_digest() == before and len(workspace.ledger) == 1
        assert workspace.forget(graph=0).certificate.satisfied


def test_ctrl_c_ends_reading(tmp_path):
    unscatter.interest_groups(groups=20000, seed=5).save(tmp_path / "many.jsonl")

    def report(stage, done, total):
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        unscatter.load(tmp_path / "many.jsonl", threads=1, progress=report)


def test_an_exception_of_the_report_leaves_the_library(groups):
    data = unscatter.interest_groups(groups=20000, seed=5)

    def report(stage, done, total):
        raise ZeroDivisionError(stage)

    with pytest.raises(ZeroDivisionError, match="embedding"):
        unscatter.ScatteringTransformer(scales=8, layers=4, progress=report).fit(groups).transform(data)


@pytest.mark.parametrize("use", [
    lambda workspace: workspace.status(), lambda workspace: workspace.certificate, lambda workspace: workspace.close(),
    lambda workspace: workspace.forget(graph=9), lambda workspace: list(workspace.graphs())])
def test_a_function_that_uses_the_workspace_at_work_is_refused(use, groups, tmp_path):
    """It would wait for itself, for ever."""
    with unscatter.Workspace.create(tmp_path / "w", groups[:30]) as workspace:
        with pytest.raises(unscatter.Unavailable, match="is at work"):
            workspace.forget(graph=1, hand_out=lambda update: use(workspace))
        assert len(workspace.ledger) == 1 and workspace.status()["graphs"] == 30
        with pytest.raises(unscatter.Unavailable, match="is at work"):
            workspace.forget_list([1, 2], batch=1, acknowledge=lambda done, update: use(workspace))
        # The first of them was done before it was acknowledged.
        assert [entry.kind for entry in workspace.ledger] == ["created", "forgotten"]
        # Other threads may use it: they wait for their turn.
        told = []
        thread = threading.Thread(target=lambda: told.append(workspace.status()["graphs"]))
        workspace.forget(graph=3, hand_out=lambda update: thread.start())
        thread.join(60)
        assert told == [28]


def test_a_report_that_uses_the_classifier_at_work_is_refused(groups):
    model = unscatter.ForgettingClassifier().fit(groups)
    for use in (model.release, lambda: model.predict(groups[:2]), lambda: model.kept_graph(0)):
        model.progress = lambda stage, done, total, use=use: use()
        with pytest.raises(unscatter.Unavailable, match="is at work"):
            model.audit(draws=300000)
        model.progress = None
        assert model.predict(groups[:2]).shape == (2,)


def test_fit_and_forget_leave_no_memory_behind():
    """A few hundred cycles here; scripts of docs/python.md run ten thousand."""
    random = np.random.default_rng(3)
    X, y = random.normal(size=(40, 5)), random.integers(0, 2, 40)

    def cycles(count):
        for _ in range(count):
            model = unscatter.ForgettingClassifier(threads=1).fit(X, y)
            model.forget(row=0)
            model.predict(X[:2])

    def resident():
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    if os.environ.get("UNSCATTER_SANITIZED"):
        pytest.skip("a sanitizer keeps freed memory for a while")
    cycles(100)
    before = resident()
    cycles(400)
    # A cycle that kept its 40 rows would leave 640 kB here, and a session far more.
    assert resident() - before < 400_000
