"""What the way through Python costs, beside the same work in C++ (boundary.cc).

    cmake --build --preset release --target unscatter_boundary
    PYTHONPATH=build/release/python python3 python/bench/boundary.py build/release/python/unscatter_boundary

Removals: lower quartiles of many calls, because other programs on the machine only ever add time.  Embeddings: the
fewest processor seconds of several rounds on one thread, in turns.  Conversions: the fastest of several rounds over
1,000 graphs.
"""
import subprocess
import sys
import tempfile
import time

import networkx
import numpy as np

import unscatter

REMOVALS, ROUNDS, GRAPHS = 600, 6, 55000


def seconds(function, clock=time.perf_counter):
    begun = clock()
    function()
    return clock() - begun


def in_cpp(program, what, path, count):
    done = subprocess.run([program, what, path, str(count)], capture_output=True, text=True, check=True)
    return np.array([float(line) for line in done.stdout.split()])


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
    print(f"forget: {high:.1f} us in Python, {low:.1f} us in C++: {high - low:.1f} us more (at most 30 wanted)")


def embeddings(program, folder):
    data = unscatter.interest_groups(groups=GRAPHS, users=20000, seed=1)
    path = f"{folder}/graphs.jsonl"
    data.save(path)
    embedder = unscatter.Embedder(threads=1, sparse=True).fit(data)
    core = embedder._embedder
    rounds = []
    for _ in range(ROUNDS):
        beneath = in_cpp(program, "embed", path, 2).min()
        rows = min(seconds(lambda: core.embed_dataset(data._core, 1, None), time.process_time) for _ in range(2))
        whole = min(seconds(lambda: embedder.transform(data), time.process_time) for _ in range(2))
        rounds.append((beneath, rows, whole))
    beneath, rows, whole = np.min(rounds, axis=0)
    print(f"embed {GRAPHS} graphs: {rows:.2f} s in Python, {beneath:.2f} s in C++: {100 * (rows / beneath - 1):+.1f} % "
          f"(at most 3 % wanted); with a sparse matrix made of the rows {whole:.2f} s")


def conversions():
    graphs = [networkx.gnp_random_graph(40, 0.15, seed=seed) for seed in range(1000)]
    ours = min(seconds(lambda: [unscatter.from_networkx(graph) for graph in graphs]) for _ in range(ROUNDS))
    theirs = min(seconds(lambda: [networkx.to_scipy_sparse_array(graph) for graph in graphs]) for _ in range(ROUNDS))
    print(f"1,000 NetworkX graphs: {1e3 * ours:.0f} ms to convert, {1e3 * theirs:.0f} ms for NetworkX to build their "
          "adjacency matrices")


def main():
    program = sys.argv[1]
    conversions()
    with tempfile.TemporaryDirectory() as folder:
        removals(program, folder)
        embeddings(program, folder)


if __name__ == "__main__":
    main()
