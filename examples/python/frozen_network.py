"""Certified removal behind a frozen network: a small network learns from public digits, and is never changed again.
Private digits are embedded by its hidden layer, one at a time, and can be removed.

    python3 examples/python/frozen_network.py [PICTURE.png]
"""
import sys
from typing import List

import matplotlib

matplotlib.use("Agg")
import numpy as np
import numpy.typing as npt
from matplotlib import pyplot
from sklearn.datasets import load_digits
from sklearn.neural_network import MLPClassifier

import unscatter
from unscatter import plot


def main(picture: str) -> None:
    X, y = load_digits(return_X_y=True)
    X = X / 16
    public, private, test = slice(0, 600), slice(600, 1400), slice(1400, None)
    network = MLPClassifier((64,), max_iter=300, random_state=1).fit(X[public], y[public])

    def embed(images: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        hidden: npt.NDArray[np.float64] = np.maximum(images @ network.coefs_[0] + network.intercepts_[0], 0)
        return hidden

    # The scale is a public constant: it comes from the public part.
    scale = float(np.linalg.norm(embed(X[public]), axis=1).max())
    people = [f"person-{i % 40}" for i in range(800)]
    model = unscatter.ForgettingClassifier(f"rows:{scale:.3g}").fit(embed(X[private]), y[private], subjects=people)
    print(f"accuracy: {model.score(embed(X[test]), y[test]):.3f}")
    certificates: List[unscatter.Certificate] = []
    for person in range(10):
        certificates.append(model.forget(subject=f"person-{person}"))
    print(f"10 people left with {800 - certificates[-1].graphs} digits; certified: {certificates[-1].satisfied}")
    print(f"accuracy: {model.score(embed(X[test]), y[test]):.3f}")
    plot.removals(certificates)
    pyplot.savefig(picture)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "frozen_network.png")
