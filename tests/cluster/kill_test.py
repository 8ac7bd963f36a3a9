#!/usr/bin/env python3
"""A random rank is killed at a random moment of a list of removals: nothing that was acknowledged is lost.

  kill_test.py --program P --mpirun M --plugin L [--times N] [--seed S]

After each kill the workspace must be that of one process after so many removals as its ledger has, must have at least
those that were acknowledged and at most one more, and must verify.  Exit code 77: there is no mpirun.
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

REQUESTS = 12


def digest_and_entries(bench, workspace):
    status = bench.document(0, "status", "--workspace", workspace, "--replay-digest")
    return status["replay_digest"], status["entries"]


def prepare(bench):
    """A workspace, a list of requests, and what one process makes of the first k of them."""
    bench.run(0, "datasets", "generate", "groups.jsonl", "--groups", "400", "--seed", "5")
    bench.run(0, "train", "--data", "groups.jsonl", "--key", "signing.key", "--workspace", "start.unscatter")
    subjects = []
    for line in (bench.folder / "groups.jsonl").read_text().splitlines():
        for node in json.loads(line)["nodes"]:
            if node not in subjects:
                subjects.append(node)
        if len(subjects) >= REQUESTS:
            break
    subjects = subjects[:REQUESTS]
    (bench.folder / "list.jsonl").write_text("".join(json.dumps({"forget": "subject", "id": name}) + "\n"
                                                     for name in subjects))
    shutil.copy(bench.folder / "start.unscatter", bench.folder / "alone.unscatter")
    expected = [digest_and_entries(bench, "start.unscatter")]
    for name in subjects:
        bench.run(0, "forget", "--workspace", "alone.unscatter", "--key", "signing.key", "--subject", name)
        expected.append(digest_and_entries(bench, "alone.unscatter"))
    return expected


def one_kill(bench, own, choose, expected, longest):
    for path in bench.folder.glob("w.unscatter*"):
        path.unlink()
    receipts = bench.folder / "receipts.jsonl"
    receipts.unlink(missing_ok=True)
    for record in bench.folder.glob("signing.key.*.record"):
        record.unlink()
    shutil.copy(bench.folder / "start.unscatter", bench.folder / "w.unscatter")
    job = subprocess.Popen([bench.mpirun, *OPTIONS, "-n", "3", str(own), "forget", "--workspace", "w.unscatter",
                            "--key", "signing.key", "--requests", "list.jsonl", "--batch", "1",
                            "--receipts", "receipts.jsonl"],
                           cwd=bench.folder, env=bench.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True)
    began = time.monotonic()
    which = choose.randrange(3)
    # From the moment when the first rank has opened its receipts on.
    while not receipts.exists() and job.poll() is None:
        time.sleep(0.002)
    time.sleep(choose.uniform(0, longest))
    process = processes_of(str(own)).get(which)
    killed = process is not None
    if killed:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            killed = False
    text, _ = job.communicate(timeout=60)
    acknowledged = len(receipts.read_text().splitlines()) if receipts.exists() else 0
    digest, entries = digest_and_entries(bench, "w.unscatter")
    done = entries - expected[0][1]
    if not acknowledged <= done <= acknowledged + 1:
        sys.exit(f"{acknowledged} removals were acknowledged, and the ledger has {done}\n{text}")
    if digest != expected[done][0]:
        sys.exit(f"after {done} removals the state is not that of one process\n{text}")
    bench.run(0, "verify", "--workspace", "w.unscatter", "--key", "signing.pub")
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
        expected = prepare(bench)
        own = bench.folder / "unscatter"
        shutil.copy(arguments.program, own)
        shutil.copy(arguments.plugin, bench.folder)
        amounts = []
        kills = 0
        for _ in range(arguments.times):
            killed, done, seconds = one_kill(bench, own, choose, expected, longest=0.8)
            kills += killed
            amounts.append(done)
            print(f"killed: {killed}, removals in force: {done} of {REQUESTS}, {seconds:.1f} s", flush=True)
        print(f"{kills} kills of {arguments.times}; removals in force: {sorted(amounts)}")
        if kills == 0:
            sys.exit("no rank was killed in time: nothing was tested")
    return 0


if __name__ == "__main__":
    sys.exit(main())
