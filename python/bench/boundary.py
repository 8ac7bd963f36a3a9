"""What the way through Python costs, beside the same work in C++ (boundary.cc).

    cmake --build --preset release --target unscatter_python unscatter_boundary
    PYTHONPATH=build/release/python /usr/bin/python3 python/bench/boundary.py build/release/python/unscatter_boundary

Removals: lower quartiles of many calls, because other programs on the machine only ever add time.  Embeddings: the
fewest processor seconds of several rounds on one thread, in turns; once as rows of the library, and once as a matrix of
SciPy, which C++ does not need.  Both sides make the rows and drop them.  The data set is generated, or --data names one
that is there.  Conversions: the fastest of several rounds over 1,000 graphs.  --folder keeps the generated data between
runs.

One line per figure, with its limit and whether it is met.  The exit status is 1 if a limit is missed.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import networkx
import numpy as np

import unscatter

REMOVALS, GRAPHS = 600, 55000
MOST_MICROSECONDS, MOST_PER_CENT = 30, 3


def seconds(function, clock=time.perf_counter):
    begun = clock()
    function()
    return clock() - begun


def in_cpp(program, what, path, count):
    done = subprocess.run([program, what, path, str(count)], capture_output=True, text=True, check=True)
    return np.array([float(line) for line in done.stdout.split()])


class Figure(NamedTuple):
    """What was measured beside the most that it may be, in the same unit."""

    what: str
    told: str
    value: float
    limit: float
    unit: str

    def met(self):
        return self.value <= self.limit

    def line(self):
        return (f"{self.what}: {self.told}: {self.value:+.1f} {self.unit} (at most {self.limit:g} {self.unit} wanted: "
                f"{'met' if self.met() else 'MISSED'})")


def removals(program, folder):
    random = np.random.default_rng(1)
    rows, y = random.normal(size=(4000, 20)) / 5, random.integers(0, 2, 4000)
    data = unscatter.GraphDataset([unscatter.from_arrays([], attributes=[row]) for row in rows], y.tolist())
    path = f"{folder}/rows.jsonl"
    data.save(path)
    beneath, above = [], []
    for _ in range(2):
        beneath.append(in_cpp(program, "forget", path, REMOVALS))
        model = unscatter.ForgettingClassifier().fit(rows, y)
        above.append([seconds(lambda i=i: model.forget(row=i)) for i in range(REMOVALS)])
    low, high = (1e6 * np.quantile(np.concatenate(one), 0.25) for one in (beneath, above))
    return [Figure("forget", f"{high:.1f} us in Python, {low:.1f} us in C++", high - low, MOST_MICROSECONDS, "us")]


def place_of(named, folder):
    """The file of the data set that is embedded."""
    if named is not None:
        return unscatter._core.find_dataset(named)
    path = f"{folder}/graphs.jsonl"
    if not os.path.exists(path):
        unscatter.interest_groups(groups=GRAPHS, users=20000, seed=1).save(path)
    return path


def embeddings(program, path, rounds):
    data = unscatter.load(path)
    embedder = unscatter.Embedder(threads=1, sparse=True).fit(data)
    core = embedder._embedder
    times = []
    for _ in range(rounds):
        beneath = in_cpp(program, "embed", path, 2).min()
        rows = min(seconds(lambda: core.embed_dataset(data._core, 1, None), time.process_time) for _ in range(2))
        whole = min(seconds(lambda: embedder.transform(data), time.process_time) for _ in range(2))
        times.append((beneath, rows, whole))
    beneath, rows, whole = np.min(times, axis=0)
    return [Figure(f"embed {len(data):,} graphs{kind}", f"{above:.3f} s in Python, {beneath:.3f} s in C++",
                   100 * (above / beneath - 1), MOST_PER_CENT, "%")
            for kind, above in (("", rows), (" into a matrix of SciPy", whole))]


def conversions(rounds):
    graphs = [networkx.gnp_random_graph(40, 0.15, seed=seed) for seed in range(1000)]
    ours = min(seconds(lambda: [unscatter.from_networkx(graph) for graph in graphs]) for _ in range(rounds))
    theirs = min(seconds(lambda: [networkx.to_scipy_sparse_array(graph) for graph in graphs]) for _ in range(rounds))
    told = f"{1e3 * ours:.0f} ms, and {1e3 * theirs:.0f} ms for NetworkX to build their adjacency matrices"
    return [Figure("convert 1,000 graphs of NetworkX", told, 1e3 * (ours - theirs), 0, "ms")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--folder")
    parser.add_argument("--data", help="a data set to embed, by its name or path")
    parser.add_argument("--rounds", type=int, default=4)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or temporary
        os.makedirs(folder, exist_ok=True)
        measurements = (lambda: conversions(arguments.rounds), lambda: removals(arguments.program, folder),
                        lambda: embeddings(arguments.program, place_of(arguments.data, folder), arguments.rounds))
        met = True
        for measure in measurements:
            for figure in measure():
                print(figure.line(), flush=True)
                met = met and figure.met()
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
