#!/usr/bin/env python3
"""The program by mpirun, beside the program as one process.

  mpirun_test.py same_results|same_life|memory|service|lost_rank|refused --program P --mpirun M --plugin L

Exit code 77: there is no mpirun, or this build has no MPI.
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

RANKS = (1, 2, 3, 4, 7)
OPTIONS = ("--oversubscribe", "--allow-run-as-root", "--bind-to", "none")


class Bench:
    def __init__(self, arguments, folder):
        self.program = arguments.program
        self.mpirun = arguments.mpirun
        self.folder = pathlib.Path(folder)
        self.environment = {name: value for name, value in os.environ.items()
                            if not re.match(r"OMPI_|PMI|SLURM|UNSCATTER_", name)}
        self.environment["HOME"] = str(folder)
        # Long, so that a machine that stands still for a while is not taken for a lost rank.
        self.environment["UNSCATTER_RANK_TIMEOUT"] = "60"

    def run(self, ranks, *words, expected=0):
        """Standard output of the program: as one process (0), or as so many ranks."""
        command = [self.program, *map(str, words)]
        if ranks:
            command = [self.mpirun, *OPTIONS, "-n", str(ranks), *command]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              timeout=300, check=False)
        if done.returncode != expected:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout, done.stderr

    def document(self, ranks, *words):
        return json.loads(self.run(ranks, *words, "--json")[0])

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()


def without_times(value):
    """What a report says beside times, names of files and ids that are drawn."""
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items()
                if not re.search(r"seconds|time|out$|workspace$|^id$|key|signer|created|stages|record", key)}
    if isinstance(value, list):
        return [without_times(part) for part in value]
    return value


def check(what, one, other):
    if one != other:
        sys.exit(f"not equal: {what}\n{str(one)[:2000]}\n{str(other)[:2000]}")


def same_results(bench):
    bench.run(0, "datasets", "generate", "groups.jsonl", "--groups", "900", "--seed", "5")
    bench.run(0, "datasets", "generate", "open.jsonl", "--groups", "500", "--seed", "6")
    embed = ("embed", "--data", "groups.jsonl", "--force")
    train = ("train", "--data", "groups.jsonl", "--key", "signing.key", "--force")
    bench.run(0, *embed, "--out", "one.npy")
    bench.run(0, *embed, "--embedding", "auto", "--out", "one.csv")
    bench.run(0, *train, "--workspace", "one.unscatter")
    bench.run(0, *train, "--workspace", "stream.unscatter", "--stream")
    # The last graph changes the constants of the features, which are those of all graphs.
    lines = (bench.folder / "groups.jsonl").read_text().splitlines()
    last = json.loads(lines[-1])
    last["node_labels"] = list(range(len(last["nodes"])))
    (bench.folder / "late.jsonl").write_text("\n".join([*lines, *lines[:-1], json.dumps(last)]) + "\n")
    late = ("embed", "--data", "late.jsonl", "--force")
    bench.run(0, *late, "--out", "late-one.npy")
    if len(bench.bytes_of("late-one.npy")) <= 2 * len(bench.bytes_of("one.npy")):
        sys.exit("the last graph changes no constant")
    digest = bench.document(0, "status", "--workspace", "one.unscatter", "--replay-digest")["replay_digest"]
    bench.run(0, "release", "--workspace", "one.unscatter", "--key", "signing.key", "--out", "model.json")
    predict = ("predict", "--data", "open.jsonl", "--scores", "--force")
    bench.run(0, *predict, "--model", "model.json", "--out", "one-model.csv", "--quiet")
    bench.run(0, *predict, "--workspace", "one.unscatter", "--kept", "--out", "one-kept.jsonl", "--quiet")
    tune = ("tune", "--public-data", "open.jsonl", "--recipes", "social", "--folds", "2")
    tuned = without_times(bench.document(0, *tune))
    streamed = bench.document(0, "status", "--workspace", "stream.unscatter", "--replay-digest")["replay_digest"]
    forget = ("forget", "--subject", "user-01332", "--key", "signing.key")
    readers = [("status",), ("certificate",), ("graphs",), ("subjects",), ("verify", "--key", "signing.pub")]
    shown = {words: bench.run(0, *words, "--workspace", "stream.unscatter")[0] for words in readers[:-1]}
    verified = without_times(bench.document(0, *readers[-1], "--workspace", "stream.unscatter"))
    removed = None
    for ranks in RANKS:
        name = f"of-{ranks}"
        bench.run(ranks, *embed, "--out", f"{name}.npy")
        check("embeddings", bench.bytes_of("one.npy"), bench.bytes_of(f"{name}.npy"))
        check("their table", bench.bytes_of("one.graphs.csv"), bench.bytes_of(f"{name}.graphs.csv"))
        bench.run(ranks, *late, "--out", f"late-{name}.npy")
        check("constants that change late", bench.bytes_of("late-one.npy"), bench.bytes_of(f"late-{name}.npy"))
        bench.run(ranks, *embed, "--embedding", "auto", "--out", f"{name}.csv")
        check("embeddings of a recipe", bench.bytes_of("one.csv"), bench.bytes_of(f"{name}.csv"))
        bench.run(ranks, *train, "--workspace", f"{name}.unscatter")
        check("training", digest,
              bench.document(0, "status", "--workspace", f"{name}.unscatter", "--replay-digest")["replay_digest"])
        bench.run(ranks, *train, "--workspace", f"{name}-stream.unscatter", "--stream")
        check("streamed training", streamed, bench.document(
            ranks, "status", "--workspace", f"{name}-stream.unscatter", "--replay-digest")["replay_digest"])
        bench.run(ranks, *predict, "--model", "model.json", "--out", f"{name}-model.csv", "--quiet")
        check("predictions of a model", bench.bytes_of("one-model.csv"), bench.bytes_of(f"{name}-model.csv"))
        bench.run(ranks, *predict, "--workspace", f"{name}.unscatter", "--kept", "--out", f"{name}-kept.jsonl",
                  "--quiet")
        check("predictions of kept weights", bench.bytes_of("one-kept.jsonl"), bench.bytes_of(f"{name}-kept.jsonl"))
        check("tuning", tuned, without_times(bench.document(ranks, *tune)))
        for words, text in shown.items():
            check(" ".join(words), text, bench.run(ranks, *words, "--workspace", "stream.unscatter")[0])
        check("verification", verified,
              without_times(bench.document(ranks, *readers[-1], "--workspace", "stream.unscatter")))
        # A removal and what it leaves.
        bench.run(ranks, *forget, "--workspace", f"{name}.unscatter")
        after = bench.document(ranks, "status", "--workspace", f"{name}.unscatter", "--replay-digest")["replay_digest"]
        if after == digest:
            sys.exit("a removal changed nothing")
        removed = removed or after
        check("removal", removed, after)
    # Errors are the same too, and the exit code is that of the first rank.
    (bench.folder / "wrong.jsonl").write_text("{}\n" * 3)
    alone = bench.run(0, "embed", "--data", "wrong.jsonl", expected=1)[1]
    many = bench.run(3, "embed", "--data", "wrong.jsonl", expected=1)[1]
    # The launcher adds sentences of its own.
    check("error", alone.splitlines(), [line for line in many.splitlines() if line.startswith("unscatter:")])
    bench.run(3, "embed", "--no-such-option", expected=2)


def life_of(bench, ranks, name):
    """Commands that change a folder of shards, and what each leaves.  The rows are worth sharing, and the limit is so
    small that most updates need all of them."""
    key = ("--key", "signing.key")
    here = ("--workspace", name)
    bench.run(ranks, "train", "--data", "many.jsonl", *here, *key, "--shards", "4", "--features", "log-degree",
              "--transform", "geometric", "--distance-limit", "1e-9", "--expires", "2027-03-01")
    bench.run(0, "expire", *here, *key, "--clear", "--graph", "17")
    left = []

    def changed(what):
        status = bench.document(ranks, "status", *here, "--replay-digest")
        said = bench.document(ranks, "certificate", *here)
        # Digests of an entry are salted, so two workspaces never have the same.
        left.append((what, status["replay_digest"], status["graphs"], said["kind"], said["certificate"],
                     said["assumptions"]))

    changed("train")
    for what, words in (
            ("one subject", ("forget", "--subject", "user-00042")),
            ("a list", ("forget", "--requests", "list.jsonl", "--batch", "40")),
            ("a whole graph", ("forget", "--graph", "2998")),
            ("a correction", ("correct", "--graph", "16", "--label", "channel")),
            ("an edge", ("correct", "--graph", "2000", "--drop-edge", "edge")),
            ("an addition", ("add", "--data", "more.jsonl")),
            ("a date", ("expire", "--set", "2026-01-02", "--graph", "1234")),
            ("an expiry", ("expire", "--until", "2026-02-01"))):
        words = [part for word in words for part in (bench.edge if word == "edge" else [word])]
        bench.run(ranks, *words, *here, *key)
        changed(what)
    bench.run(ranks, "release", *here, *key, "--out", f"{name}.json")
    bench.run(ranks, "predict", "--model", f"{name}.json", "--data", "more.jsonl", "--out", f"{name}.csv", "--quiet")
    verified = without_times(bench.document(ranks, "verify", *here, "--key", "signing.pub"))
    if not verified["verified"]:
        sys.exit(f"{name} does not verify: {verified}")
    left.append(("verify", [check["name"] for check in verified["checks"]]))
    bench.run(ranks, "export", *here, "--out", f"{name}.jsonl")
    left.append(("export", bench.bytes_of(f"{name}.jsonl")))
    bench.run(ranks, "renew", *here, *key, "--force")
    bench.run(ranks, "compact", *here)
    bench.run(ranks, "check", *here)
    bench.run(ranks, "audit", *here, "--draws", "1000", "--removals", "5")
    changed("renewal, compaction and audit")
    bench.run(ranks, "retrain", *here, *key, "--out", f"{name}-again")
    left.append(("retrain", bench.document(ranks, "status", "--workspace", f"{name}-again",
                                           "--replay-digest")["replay_digest"]))
    return left


def same_life(bench):
    """A folder of shards goes through every command that changes it, by one process and by many."""
    bench.run(0, "datasets", "generate", "many.jsonl", "--groups", "3000", "--users", "2000", "--seed", "7")
    bench.run(0, "datasets", "generate", "more.jsonl", "--groups", "40", "--users", "2000", "--seed", "8")
    text = (bench.folder / "more.jsonl").read_text().replace('"group-', '"new-')
    (bench.folder / "more.jsonl").write_text(text)
    groups = [json.loads(line) for line in (bench.folder / "many.jsonl").read_text().splitlines()]
    bench.edge = [",".join(map(str, groups[2000]["edges"][0]))]
    (bench.folder / "list.jsonl").write_text("".join(
        json.dumps({"forget": "node", "graph": 19 * i, "node": 1}) + "\n" for i in range(120)))
    alone = life_of(bench, 0, "alone")
    for ranks in RANKS[1:]:
        for expected, found in zip(alone, life_of(bench, ranks, f"shards-of-{ranks}"), strict=True):
            check(expected[0], expected, found)


# Runs a program and writes down the most memory that it had, one file per rank.
MEASURE = """
import os, resource, subprocess, sys
code = subprocess.run(sys.argv[2:], check=False).returncode
rank = os.environ.get("OMPI_COMM_WORLD_RANK", "0")
with open(sys.argv[1] + "." + rank, "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""


def most_memory(bench, ranks, *words):
    """Of every rank, in kB."""
    with tempfile.TemporaryDirectory() as folder:
        program = bench.program
        command = [sys.executable, "-c", MEASURE, f"{folder}/peak", program, *map(str, words)]
        if ranks > 1:
            command = [bench.mpirun, *OPTIONS, "-n", str(ranks), *command]
        done = subprocess.run(command, cwd=bench.folder, env=bench.environment, capture_output=True, text=True,
                              timeout=300, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        return [int(pathlib.Path(f"{folder}/peak.{rank}").read_text()) for rank in range(ranks)]


def memory(bench):
    """What a rank needs grows with its share of the data, on the first rank too."""
    bench.run(0, "datasets", "generate", "long.jsonl", "--groups", "20000", "--users", "40000", "--seed", "5")
    lines = (bench.folder / "long.jsonl").read_text().splitlines(keepends=True)
    (bench.folder / "short.jsonl").write_text("".join(lines[:4000]))
    wide = ("--features", "log-degree", "--transform", "geometric", "--layers", "4", "--scales", "6", "--moments", "4",
            "--threads", "1")  # 1,036 coordinates: rows are most of the memory
    train = ("train", "--workspace", "w.unscatter", "--key", "signing.key", "--stream", "--force", *wide)
    # What does not depend on the number of graphs falls out of the difference.
    grown = {}
    for ranks in (1, 4):
        short = most_memory(bench, ranks, *train, "--data", "short.jsonl")
        long = most_memory(bench, ranks, *train, "--data", "long.jsonl")
        grown[ranks] = [more - less for more, less in zip(long, short, strict=True)]
        print(f"train, ranks {ranks}: {grown[ranks]} kB more for 16,000 graphs more", flush=True)
    # A quarter, and something for what comes in pieces.
    if max(grown[4]) > 0.45 * grown[1][0]:
        sys.exit("a rank needs more than its share of a training")
    # These let go of a graph as soon as its line is written.
    bench.run(0, "release", "--workspace", "w.unscatter", "--key", "signing.key", "--out", "model.json")
    for words in (("embed", "--out", "z.npy", "--force", *wide),
                  ("predict", "--model", "model.json", "--out", "p.csv", "--force", "--threads", "1")):
        for ranks in (1, 4):
            short = most_memory(bench, ranks, *words, "--data", "short.jsonl")
            long = most_memory(bench, ranks, *words, "--data", "long.jsonl")
            more = [more - less for more, less in zip(long, short, strict=True)]
            print(f"{words[0]}, ranks {ranks}: {more} kB more", flush=True)
            if max(more) > 0.45 * grown[1][0]:
                sys.exit(f"{words[0]} keeps what it has written")


def processes_of(program):
    """Ranks of a running job, by rank."""
    found = {}
    for folder in pathlib.Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            if os.readlink(folder / "exe") != program:
                continue
            environment = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        for entry in environment:
            if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(entry.split(b"=")[1])] = int(folder.name)
    return found


def ask(port, token, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, json.dumps(body) if body else None,
                       {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Prefer": "wait=30"})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def service(bench):
    """The service of the first rank honours requests with rows that the ranks share, and ends by SIGTERM to all."""
    own = bench.folder / "unscatter"
    shutil.copy(bench.program, own)
    for plugin in ("unscatter-mpi.so", "unscatter-network.so"):
        shutil.copy(pathlib.Path(bench.program).parent / plugin, bench.folder)
    bench.program = str(own)
    bench.run(0, "datasets", "generate", "many.jsonl", "--groups", "3000", "--users", "2000", "--seed", "7")
    for name in ("alone", "shared"):
        bench.run(0, "train", "--data", "many.jsonl", "--workspace", name, "--key", "signing.key", "--shards", "4",
                  "--features", "log-degree", "--transform", "geometric", "--distance-limit", "1e-9")
    left = []
    for ranks, name in ((0, "alone"), (3, "shared")):
        token = bench.run(0, "token", "--workspace", name, "--scopes", "submit,read")[0].split()[0]
        command = [bench.program, "serve", "--workspace", name, "--key", "signing.key", "--listen", "127.0.0.1:0"]
        if ranks:
            command = [bench.mpirun, *OPTIONS, "-n", str(ranks), *command]
        job = subprocess.Popen(command, cwd=bench.folder, env=bench.environment, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True)
        text = ""
        # A launcher may say something of its own before.
        while (port := re.search(r"serving .*127\.0\.0\.1:(\d+)", text)) is None:
            line = job.stdout.readline()
            if not line:
                sys.exit(f"{name}: the service did not begin\n{text}")
            text += line
        port = int(port[1])
        for subject in ("user-00042", "user-00007"):
            status, answer = ask(port, token, "POST", "/v1/requests", {"forget": "subject", "id": subject})
            if status not in (200, 201, 202) or answer["state"] != "done":
                sys.exit(f"{name}: {status} {answer}")
        # As launchers do it: every rank hears the signal, and the first one decides.
        targets = processes_of(str(own)).values() if ranks else [job.pid]
        if ranks and len(targets) != ranks:
            sys.exit(f"{len(targets)} ranks of {ranks}")
        for process in targets:
            os.kill(process, signal.SIGTERM)
        text, _ = job.communicate(timeout=180)
        if job.returncode != 0:
            sys.exit(f"{name}: exit code {job.returncode}\n{text}")
        left.append(bench.document(0, "status", "--workspace", name, "--replay-digest")["replay_digest"])
        bench.run(0, "verify", "--workspace", name, "--key", "signing.pub")
    check("what the service did", left[0], left[1])


def lost_rank(bench):
    """A rank that is killed or stopped ends the job with its name, and no file is left half written."""
    own = bench.folder / "unscatter"  # no other test has processes of this name
    shutil.copy(bench.program, own)
    shutil.copy(pathlib.Path(bench.program).parent / "unscatter-mpi.so", bench.folder)
    bench.run(0, "datasets", "generate", "groups.jsonl", "--groups", "100", "--seed", "5")
    bench.environment["UNSCATTER_RANK_TIMEOUT"] = "5"
    bench.program = str(own)
    began = time.monotonic()
    bench.run(3, "datasets", "list")
    patience = max(1.5, 2 * (time.monotonic() - began))  # to come to its input, on this machine
    for which, how, words in ((1, signal.SIGKILL, "rank 1 with PID"), (2, signal.SIGSTOP, "rank 2 on "),
                              (0, signal.SIGSTOP, "rank 0 on "), (0, signal.SIGKILL, "rank 0 with PID")):
        # It waits for its standard input, which never ends.
        read_end, write_end = os.pipe()
        job = subprocess.Popen([bench.mpirun, *OPTIONS, "-n", "3", str(own), "embed", "--data", "/dev/stdin", "--out",
                                "lost.npy"], cwd=bench.folder, env=bench.environment, stdin=read_end,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        deadline = time.monotonic() + 60
        while len(processes_of(str(own))) < 3:
            if time.monotonic() > deadline:
                sys.exit("the job does not start")
            time.sleep(0.1)
        time.sleep(patience)
        if job.poll() is not None:
            sys.exit(f"the job ended by itself: {job.communicate()[0]}")
        os.kill(processes_of(str(own))[which], how)
        began = time.monotonic()
        try:
            text, _ = job.communicate(timeout=120)
        finally:
            os.close(read_end)
            os.close(write_end)
            for process in processes_of(str(own)).values():
                os.kill(process, signal.SIGKILL)
        if job.returncode == 0 or words not in text:
            sys.exit(f"rank {which}, {how}: exit code {job.returncode}\n{text}")
        if (bench.folder / "lost.npy").exists():
            sys.exit("a file was left")
        print(f"rank {which}, {how.name}: {time.monotonic() - began:.1f} s")


def refused(bench):
    """A job that was asked to be distributed and is not is refused, with one sentence."""
    for variables, words in (({"OMPI_COMM_WORLD_SIZE": "8", "OMPI_COMM_WORLD_RANK": "0"}, "Open MPI started 8 ranks"),
                             ({"PMI_SIZE": "4", "PMI_RANK": "0"}, "MPICH started 4 ranks")):
        done = subprocess.run([bench.program, "datasets"], env={**bench.environment, **variables}, capture_output=True,
                              text=True, timeout=120, check=False)
        if done.returncode != 1 or words not in done.stderr or "sees 1" not in done.stderr or done.stdout:
            sys.exit(f"{variables}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    # Without its plug-in: one sentence, although three ranks have the same problem.
    own = bench.folder / "unscatter"
    shutil.copy(bench.program, own)
    done = subprocess.run([bench.mpirun, *OPTIONS, "-n", "3", str(own), "datasets"], env=bench.environment,
                          capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 1 or done.stderr.count("this program has no MPI") > 1:
        sys.exit(f"no plug-in: {done.returncode}\n{done.stdout}\n{done.stderr}")
    # The laboratory runs in one process.
    done = subprocess.run([bench.mpirun, *OPTIONS, "-n", "2", bench.program, "bench"], env=bench.environment,
                          capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 1 or "start it without mpirun" not in done.stderr:
        sys.exit(f"bench: {done.returncode}\n{done.stdout}\n{done.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["same_results", "same_life", "memory", "service", "lost_rank", "refused"])
    parser.add_argument("--program", required=True)
    parser.add_argument("--mpirun", required=True)
    parser.add_argument("--plugin", required=True)
    arguments = parser.parse_args()
    if not arguments.mpirun or arguments.mpirun.endswith("NOTFOUND") or not arguments.plugin:
        print("there is no mpirun, or this build has no MPI")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        globals()[arguments.what](Bench(arguments, folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
