"""The same rows, the same removals: this package, and scikit-learn's LogisticRegression trained again each time.

    python3 python/bench/against_retraining.py [--removals 20]

Prints the table of docs/python.md.  Both minimise sum_i log(1 + exp(-s_i w.z_i)) + (lambda n / 2) |w|^2 per class.
"""
import argparse
import time

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

import unscatter


def retrain(X, y, strength, **how):
    """Weights of one-vs-rest, one column per class, and the seconds that they took."""
    begun = time.perf_counter()
    model = LogisticRegression(C=1 / (strength * len(X)), fit_intercept=False, max_iter=10000, **how)
    fitted = OneVsRestClassifier(model).fit(X, y)
    weights = np.stack([one.coef_[0] for one in fitted.estimators_], axis=1)
    seconds = time.perf_counter() - begun
    # Of two classes scikit-learn keeps one vector; the other is its mirror image.
    return (np.hstack([-weights, weights]) if weights.shape[1] == 1 else weights), seconds


def measure(name, X, y, removals, strength):
    model = unscatter.ForgettingClassifier("rows", regularisation=strength).fit(X, y)
    order = np.random.default_rng(1).permutation(len(X))[:removals]
    left = np.ones(len(X), dtype=bool)
    ours, theirs, precise, distances, errors, bounds = [], [], [], [], [], []
    for row in order.tolist():
        begun = time.perf_counter()
        certificate = model.forget(row=row)
        ours.append(time.perf_counter() - begun)
        assert certificate.satisfied
        bounds.append(certificate.distance_upper_bound)
        left[row] = False
        usual, seconds = retrain(X[left], y[left], strength)
        theirs.append(seconds)
        best, seconds = retrain(X[left], y[left], strength, solver="newton-cholesky", tol=1e-10)
        precise.append(seconds)
        distances.append(np.linalg.norm(model._session.kept_weights - best))
        errors.append(np.linalg.norm(usual - best))
    shape = f"{name}, {X.shape[0]} x {X.shape[1]}, {len(set(y.tolist()))} classes"
    print(f"| {shape} | unscatter | {1e3 * np.median(ours):.2f} | {max(distances):.1e} | "
          f"yes: at most {max(bounds):.1e} |")
    print(f"| | retrain, as it comes (lbfgs) | {1e3 * np.median(theirs):.2f} | {max(errors):.1e} | no |")
    print(f"| | retrain, to the end (newton-cholesky) | {1e3 * np.median(precise):.2f} | reference | no |", flush=True)


def clipped(X):
    """Rows of norm at most 1, as the package learns from."""
    return X / np.maximum(1, np.linalg.norm(X, axis=1, keepdims=True))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--removals", type=int, default=20)
    removals = parser.parse_args().removals
    print("| rows | method | ms per removal, median | largest distance | certificate |")
    print("|---|---|---|---|---|")
    from sklearn.datasets import load_breast_cancer, load_digits
    from sklearn.preprocessing import scale

    X, y = load_digits(return_X_y=True)
    measure("digits", clipped(X / 64), y, removals, 1e-4)
    X, y = load_breast_cancer(return_X_y=True)
    measure("breast cancer", clipped(scale(X) / 10), y, removals, 1e-4)
    data = unscatter.interest_groups(seed=1)
    rows = unscatter.Embedder().fit_transform(data)
    measure("groups, default embedding", clipped(rows[:, np.abs(rows).max(axis=0) > 0]), data.y, removals, 1e-4)


if __name__ == "__main__":
    main()
