#!/usr/bin/env python3
"""A random rank is killed at a random moment of a list of removals: nothing that was acknowledged is lost.

  kill_test.py --program P --mpirun M --plugin L [--times N] [--seed S]

After each kill the workspace must be that of one process after so many removals as its ledger has, must have at least
those that were acknowledged and at most one more, and must verify.  Every second time the workspace is a folder of
shards, whose rows the ranks share while they update.  N kills are counted that came before the list had ended (default
10).  Exit code 77: there is no mpirun.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from mpirun_test import OPTIONS, Bench, processes_of  # noqa: E402

REQUESTS = 120
# A folder of shards, and a limit so small that an update which looks at the touched graphs alone is not enough.
SHARDED = ("--shards", "4", "--features", "log-degree", "--transform", "geometric", "--distance-limit", "1e-9")


def digest_and_entries(bench, workspace):
    status = bench.document(0, "status", "--workspace", workspace, "--replay-digest")
    return status["replay_digest"], status["entries"]


class Kind:
    """A workspace to begin with, a list of requests, and what one process makes of the first k of them."""

    def __init__(self, name, expected):
        self.name = name
        self.expected = expected
        self.start = f"start-{name}"
        self.list = f"{name}.jsonl"
        self.ranks = []

    def next_rank(self, choose):
        """Every rank once, in random order, before one comes again."""
        self.ranks = self.ranks or choose.sample(range(3), 3)
        return self.ranks.pop()


def copy(bench, source, target):
    """A workspace is a file or a folder."""
    for path in bench.folder.glob(f"{target}*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    if (bench.folder / source).is_dir():
        shutil.copytree(bench.folder / source, bench.folder / target)
    else:
        shutil.copy(bench.folder / source, bench.folder / target)


def prepare(bench, name, groups, options, requests=REQUESTS):
    data = f"groups-{name}.jsonl"
    kind = Kind(name, [])
    bench.run(0, "datasets", "generate", data, "--groups", groups, "--seed", "5")
    bench.run(0, "train", "--data", data, "--key", "signing.key", "--workspace", kind.start, *options)
    subjects = []
    for line in (bench.folder / data).read_text().splitlines():
        for node in json.loads(line)["nodes"]:
            if node not in subjects:
                subjects.append(node)
        if len(subjects) >= requests:
            break
    subjects = subjects[:requests]
    (bench.folder / kind.list).write_text("".join(json.dumps({"forget": "subject", "id": name}) + "\n"
                                                     for name in subjects))
    copy(bench, kind.start, "alone")
    kind.expected.append(digest_and_entries(bench, kind.start))
    for subject in subjects:
        bench.run(0, "forget", "--workspace", "alone", "--key", "signing.key", "--subject", subject)
        kind.expected.append(digest_and_entries(bench, "alone"))
    return kind


def begin_anew(bench, kind):
    """The workspace as it was before the list.  The path of its receipts."""
    receipts = bench.folder / "receipts.jsonl"
    receipts.unlink(missing_ok=True)
    for record in bench.folder.glob("signing.key.*.record"):
        record.unlink()
    copy(bench, kind.start, "workspace")
    return receipts


def check_what_is_left(bench, kind, receipts, text):
    """How many removals are in force: all that were acknowledged and at most one more, as one process makes them."""
    expected = kind.expected
    acknowledged = len(receipts.read_text().splitlines()) if receipts.exists() else 0
    digest, entries = digest_and_entries(bench, "workspace")
    done = entries - expected[0][1]
    if not acknowledged <= done <= acknowledged + 1:
        sys.exit(f"{acknowledged} removals were acknowledged, and the ledger has {done}\n{text}")
    if digest != expected[done][0]:
        sys.exit(f"after {done} removals the state is not that of one process\n{text}")
    bench.run(0, "verify", "--workspace", "workspace", "--key", "signing.pub")
    return done


def one_kill(bench, own, choose, kind):
    """Without a choice nobody is killed, and the time that the list took is noted."""
    receipts = begin_anew(bench, kind)
    job = subprocess.Popen([bench.mpirun, *OPTIONS, "-n", "3", str(own), "forget", "--workspace", "workspace",
                            "--key", "signing.key", "--requests", kind.list, "--batch", "1",
                            "--receipts", "receipts.jsonl"],
                           cwd=bench.folder, env=bench.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True)
    began = time.monotonic()
    # A rank is looked for before the list begins: that takes as long as many removals.
    processes = {}
    while len(processes) < 3 and job.poll() is None:
        processes = processes_of(str(own))
    # From the moment when the first rank has opened its receipts on.
    while not receipts.exists() and job.poll() is None:
        time.sleep(0.001)
    opened = time.monotonic()
    killed = False
    if choose:
        time.sleep(choose.uniform(0, kind.seconds))
        killed = job.poll() is None
        try:
            os.kill(processes[kind.next_rank(choose)], signal.SIGKILL)
        except ProcessLookupError:
            killed = False
    else:
        while receipts.read_bytes().count(b"\n") < REQUESTS and job.poll() is None:
            time.sleep(0.001)
        kind.seconds = time.monotonic() - opened
    text, _ = job.communicate(timeout=180)
    done = check_what_is_left(bench, kind, receipts, text)
    return killed, done, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    if not arguments.mpirun or arguments.mpirun.endswith("NOTFOUND") or not arguments.plugin:
        print("there is no mpirun, or this build has no MPI")
        return 77
    print(f"seed {arguments.seed}")
    choose = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments, folder)
        kinds = [prepare(bench, "file", "400", ()),
                 prepare(bench, "folder", "2200", SHARDED)]
        own = bench.folder / "unscatter"
        shutil.copy(arguments.program, own)
        shutil.copy(arguments.plugin, bench.folder)
        for kind in kinds:
            one_kill(bench, own, None, kind)
            print(f"{kind.name}: {REQUESTS} removals in {kind.seconds:.2f} s")
        amounts = []
        kills = 0
        tries = 0
        while kills < arguments.times:
            if tries == 3 * arguments.times:
                sys.exit("hardly a rank was killed in time: little was tested")
            kind = kinds[tries % len(kinds)]
            tries += 1
            killed, done, seconds = one_kill(bench, own, choose, kind)
            kills += killed
            amounts.append(done)
            print(f"{kind.name}: {'killed' if killed else 'ended'}, {done} of {REQUESTS} removals, {seconds:.1f} s",
                  flush=True)
        print(f"{kills} kills in {tries} tries; removals in force: {sorted(amounts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
