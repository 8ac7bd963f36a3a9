"""Removes superpixels of handwritten digits and draws one of them (the data set MNIST, see docs/data-formats.md).

    UNSCATTER_DATA=FOLDER python3 examples/python/superpixels.py [PICTURE.png]
"""
import sys

import matplotlib

matplotlib.use("Agg")
import numpy as np
from matplotlib import pyplot

import unscatter
from unscatter import plot


def main(picture: str) -> None:
    train, _, test = unscatter.load("MNIST").split(seed=1, train=0.005, validation=0.0, test=0.005)
    model = unscatter.ForgettingClassifier("auto").fit(train)
    print(f"{len(train)} digits; accuracy of the published model on {len(test)} others: "
          f"{model.score(test, test.y):.3f}")
    before = train[0]
    assert before.attributes is not None
    for node in np.argsort(-before.attributes[:, 0])[:3].tolist():
        certificate = model.forget(graph=0, node=node)
    print(f"removed the 3 darkest superpixels of digit 0: certified {certificate.satisfied}, last rung "
          f"{certificate.rung}")
    plot.before_and_after(before, model.kept_graph(0))
    pyplot.savefig(picture)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "superpixels.png")
