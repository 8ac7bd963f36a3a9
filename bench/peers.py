#!/usr/bin/python3
"""The same work by other programs, on the same machine.

scikit-learn serves for training, and the independent NumPy program for embedding and removals.

    /usr/bin/python3 bench/peers.py --program BUILD/apps/unscatter/unscatter --data FOLDER [--json FILE]
                                    [train-imdb ...]

Training: `unscatter bench train-*` writes the rows and labels that it trains on. The objective is the same:
one-vs-rest, no intercept, C = 1 / (lambda n). The gradient norm that counts is computed here, by one formula for all.
scikit-learn stops where it stops. Ours is then run to that norm ("equal") and also to its own, much smaller one. With
two classes scikit-learn fits one vector and ours two. "warm" means that one row has changed and training starts from
the old weights; liblinear cannot do that. Where ours then needs no step at all, there is no ratio.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
import warnings

TRAINING = ["train-imdb", "train-proteins", "train-collab", "train-mnist", "train-cifar10"]
NUMPY_NAMES = {"imdb": "IMDB-BINARY", "proteins": "PROTEINS", "collab": "COLLAB"}
# The row that `train-* warm` changes, and the factor (bench/train_workloads.cc).
CHANGED_ROW, CHANGED_BY = 0, 0.9
# The least ratio of the time of scikit-learn's lbfgs to ours, at equal gradient norm.
LEAST_RATIO = 5
# A fit that takes longer is not repeated.
LONG_SECONDS = 5


def bench(program, data, threads, *arguments):
    """The results of one `unscatter bench`, by name; those that were skipped are left out."""
    command = [program, "bench", "--json", "--data", data, "--threads", str(threads), *arguments]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return {result["name"]: result for result in json.loads(output)["results"] if "skipped" not in result}


def numpy_embed_seconds(peer, data, name):
    output = subprocess.run(
        ["/usr/bin/python3", peer, "embed", NUMPY_NAMES[name], "--data", data],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return float(re.search(r": ([0-9.]+) s", output.stdout).group(1))


def numpy_removal_seconds(peer, data, name):
    """Least and most seconds per removal among its certificate rules."""
    command = ["/usr/bin/python3", peer, "unlearn", NUMPY_NAMES[name], "--data", data, "--splits", "1"]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    times = [float(value) / 1e3 for value in re.findall(r"ms/removal ([0-9.]+)", output)]
    return min(times), max(times)


def largest_gradient(Z, labels, weights, ridge):
    """max over classes of |gradient of sum_i log(1 + exp(-s_i w.z_i)) + ridge/2 |w|^2|.

    `weights` has one row per class.
    """
    import numpy as np

    norms = []
    for k, w in enumerate(weights):
        s = np.where(labels == k, 1.0, -1.0)
        slopes = -s * 0.5 * (1 - np.tanh(0.5 * s * (Z @ w)))
        norms.append(np.linalg.norm(Z.T @ slopes + ridge * w))
    return float(max(norms))


def all_classes(coefficients):
    """With two classes scikit-learn keeps only the vector of the second one."""
    import numpy as np

    return np.vstack([-coefficients, coefficients]) if len(coefficients) == 1 else coefficients


def fit_seconds(make, Z, labels, ridge, repeat):
    """Best time of `repeat` fits, and the gradient norm reached. `make` gives a classifier that is ready to fit."""
    times = []
    while len(times) < repeat and sum(times) < LONG_SECONDS:
        classifier = make()
        start = time.perf_counter()
        classifier.fit(Z, labels)
        times.append(time.perf_counter() - start)
    return min(times), largest_gradient(Z, labels, all_classes(classifier.coef_), ridge), classifier


def scikit_learn(Z, labels, ridge, repeat):
    """{solver: (seconds, gradient norm)}."""
    import copy

    from sklearn.linear_model import LogisticRegression

    def make(solver):
        return LogisticRegression(
            C=1 / ridge, fit_intercept=False, multi_class="ovr", solver=solver, tol=1e-10, max_iter=20000
        )

    warnings.filterwarnings("ignore")  # the norm shows whether the tolerance was reached
    seconds, norm, trained = fit_seconds(lambda: make("lbfgs"), Z, labels, ridge, repeat)
    found = {"lbfgs": (seconds, norm)}
    found["liblinear"] = fit_seconds(lambda: make("liblinear"), Z, labels, ridge, repeat)[:2]
    Z[CHANGED_ROW] *= CHANGED_BY
    trained.warm_start = True
    found["lbfgs warm"] = fit_seconds(lambda: copy.deepcopy(trained), Z, labels, ridge, repeat)[:2]
    return found


def compare_training(arguments, name):
    """One row per solver, or none if the data set is not there."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        ours = bench(arguments.program, arguments.data, arguments.threads, name, "--rows-out", folder)
        if name not in ours:
            return []
        Z = np.load(f"{folder}/{name}.npy")
        labels = np.loadtxt(f"{folder}/{name}.labels", dtype=int)
    ridge = ours[name]["regularisation"] * len(Z)
    rows = []
    for solver, (seconds, norm) in scikit_learn(Z, labels, ridge, arguments.repeat).items():
        key = f"{name} warm" if solver.endswith("warm") else name
        equal = bench(arguments.program, arguments.data, arguments.threads, name, "--tolerance", repr(norm))[key]
        rows.append(
            {
                "name": key,
                "solver": solver,
                "rows": len(Z),
                "coordinates": Z.shape[1],
                "classes": ours[name]["classes"],
                "peer_seconds": seconds,
                "peer_gradient_norm": norm,
                "equal_seconds": equal["best_seconds"],
                "equal_gradient_norm": equal["gradient_norm"],
                "equal_steps": equal["iterations"],
                "own_seconds": ours[key]["best_seconds"],
                "own_gradient_norm": ours[key]["gradient_norm"],
                # Where the start is good enough already, there is nothing to compare.
                "ratio": seconds / equal["best_seconds"] if equal["iterations"] > 0 else None,
            }
        )
    return rows


def compare_all_training(arguments, names):
    """Prints the table; returns its rows, each with `met` where there is a target."""
    head = (
        f"{'workload':20} {'scikit-learn':12} {'time':>11} {'|gradient|':>11} {'ours, equal':>12} {'|gradient|':>11}"
        f" {'steps':>5} {'ratio':>7} {'ours, own':>12} {'|gradient|':>11}  target"
    )
    print(head + "\n" + "-" * len(head))
    table = []
    for name in names:
        rows = compare_training(arguments, name)
        if not rows:
            print(f"{name:20} skipped: the data set is not there")
        for row in rows:
            row["target"] = f">= {LEAST_RATIO}x" if row["solver"] == "lbfgs" else ""
            row["met"] = not row["target"] or row["ratio"] is None or row["ratio"] >= LEAST_RATIO
            ratio = "-" if row["ratio"] is None else f"{row['ratio']:.1f}x"
            print(
                f"{row['name']:20} {row['solver']:12}"
                f" {row['peer_seconds'] * 1e3:8.1f} ms {row['peer_gradient_norm']:11.1e}"
                f" {row['equal_seconds'] * 1e3:9.2f} ms {row['equal_gradient_norm']:11.1e}"
                f" {row['equal_steps']:5} {ratio:>7}"
                f" {row['own_seconds'] * 1e3:9.2f} ms {row['own_gradient_norm']:11.1e}"
                f"  {row['target']}{'' if row['met'] else '  MISSED'}",
                flush=True,
            )
        table += rows
    return table


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", help="also write the rows to this file")
    parser.add_argument("names", nargs="*", metavar="train-NAME")
    arguments = parser.parse_args()
    rows = compare_all_training(arguments, arguments.names or TRAINING)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    sys.exit(0 if all(row["met"] for row in rows) else 1)


if __name__ == "__main__":
    main()
