"""The same bytes through Python, through C++ and on the command line, from the first key to the published model.

Each of the three goes the same steps, a process for each.  libfixed_draws.so gives all of them the same random bytes
and the same time, step by step.  Then nothing is left that may differ.
"""
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

STEPS = ("create", "list", "one", "release", "look")
WAYS = pathlib.Path(__file__).parent / "ways"
# On the command line, what SETTINGS says in ways/in_python.py and setting_of() in ways/in_cpp.cc.
SETTINGS = {"default": (), "recipe": ("--embedding", "auto"),
            "objective": ("--mechanism", "objective", "--alpha", "0.05", "--bias")}
FACTS = ("satisfied", "binding", "rung", "newton_steps", "graphs", "residual_upper_bound", "distance_upper_bound",
         "shift_upper_bound")
# Compared number by number; the others byte by byte.
CERTIFICATES = ("create.json", "one.json", "look.json")
BYTES = ("signing.key", "signing.pub", "workspace", "openings", "receipt", "model", "embeddings", "weights", "digests")


@pytest.fixture(scope="session")
def helpers():
    folder = os.environ.get("UNSCATTER_TEST_HELPERS")
    if not folder or not os.environ.get("UNSCATTER_PROGRAM"):
        pytest.skip("UNSCATTER_TEST_HELPERS and UNSCATTER_PROGRAM name no programs")
    return pathlib.Path(folder)


class Way:
    """One of the three, with a folder of its own."""

    def __init__(self, setting, folder, helpers):
        self.setting, self.folder, self.library = setting, folder, helpers / "libfixed_draws.so"
        self.cpp = helpers / "in_cpp"

    def call(self, step, *command):
        # AddressSanitizer may be preloaded already, and has to stay first.
        preloaded = " ".join(filter(None, (os.environ.get("LD_PRELOAD"), str(self.library))))
        environment = {**os.environ, "LD_PRELOAD": preloaded, "UNSCATTER_KEY": str(self.folder / "signing.key"),
                       "UNSCATTER_FIXED_TIME": str(1800000000 + 60 * STEPS.index(step))}
        done = subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True,
                              check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


class Cpp(Way):
    def step(self, step):
        self.call(step, self.cpp, step, self.setting, self.folder)


class Python(Way):
    def step(self, step):
        self.call(step, sys.executable, "-B", WAYS / "in_python.py", step, self.setting, self.folder)


class Program(Way):
    def run(self, step, command, *arguments):
        return json.loads(self.call(step, os.environ["UNSCATTER_PROGRAM"], command, *arguments, "--json"))

    def save_certificate(self, name, shown):
        promise = {key: value for key, value in shown.items() if key not in (*FACTS, "bounds")}
        chosen = {**{key: shown[key] for key in FACTS}, "promise": promise}
        (self.folder / name).write_text(json.dumps(chosen))

    def step(self, step):
        data, workspace = self.folder / "groups.jsonl", ("--workspace", self.folder / "workspace")
        openings = ("--openings", self.folder / "openings")
        if step == "create":
            made = self.run(step, "train", "--data", data, *workspace, *SETTINGS[self.setting])
            self.save_certificate("create.json", made["certificate"])
        elif step == "list":
            self.run(step, "forget", *workspace, "--requests", self.folder / "list.jsonl", "--batch", 2, *openings)
        elif step == "one":
            done = self.run(step, "forget", *workspace, "--graph", 9, "--node", 0, "--receipt",
                            self.folder / "receipt", *openings)
            self.save_certificate("one.json", done["certificate"])
        elif step == "release":
            self.run(step, "release", *workspace, "--out", self.folder / "model")
        else:
            self.look(step, data, workspace)

    def look(self, step, data, workspace):
        embedding = SETTINGS[self.setting] if self.setting == "recipe" else ()
        self.run(step, "embed", "--data", data, "--out", self.folder / "Z.npy", *embedding)
        (self.folder / "embeddings").write_bytes(np.load(self.folder / "Z.npy").tobytes())
        status = self.run(step, "status", *workspace, "--replay-digest")
        (self.folder / "digests").write_text(f"{status['replay_digest']}\n{status['state_digest']}\n")
        self.save_certificate("look.json", status["certificate"])


def requests(groups):
    edge = groups[4].edges()[0]
    return [{"forget": "features", "graph": 1, "node": 0}, {"forget": "node", "graph": groups.ids[2], "node": 1},
            {"forget": "edge", "graph": 4, "from": int(edge[0]), "to": int(edge[1])}, {"forget": "graph", "graph": 7},
            {"forget": "subject", "id": groups[11].node_ids[2]}]


def live(way, folder, groups, setting, helpers):
    """All steps of one way; what it wrote, by name."""
    folder.mkdir()
    groups.save(folder / "groups.jsonl")
    (folder / "list.jsonl").write_text("".join(json.dumps(line) + "\n" for line in requests(groups)))
    one = way(setting, folder, helpers)
    for step in STEPS:
        one.step(step)
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    for name in CERTIFICATES:
        written[name] = json.loads(written[name])
    return written


@pytest.mark.parametrize("setting", SETTINGS)
def test_python_cpp_and_the_program_give_the_same_bytes(setting, groups, helpers, tmp_path):
    written = {way: live(way, tmp_path / way.__name__, groups, setting, helpers) for way in (Cpp, Python, Program)}
    # The program shows no weights as they are kept.  The digest of the state is over their bits, and its workspace, in
    # which they are, is compared.
    assert "weights" not in written[Program]
    written[Program]["weights"] = written[Cpp]["weights"]
    # The record against rollback has the workspace's id in its name.
    records = [name for name in written[Cpp] if name.endswith(".record")]
    assert len(records) == 1
    for way in (Python, Program):
        differing = [name for name in (*BYTES, *CERTIFICATES, *records) if written[way][name] != written[Cpp][name]]
        assert not differing, f"{way.__name__} and Cpp differ"
    assert written[Cpp]["one.json"]["satisfied"] and written[Cpp]["one.json"] != written[Cpp]["create.json"]
