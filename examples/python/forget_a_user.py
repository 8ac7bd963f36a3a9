"""Forgets users of social groups, one after the other, and draws what happened.

    python3 examples/python/forget_a_user.py [PICTURE.png]
"""
import sys
from typing import List

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

import unscatter
from unscatter import plot


def main(picture: str) -> None:
    data = unscatter.interest_groups(groups=400, users=800, seed=1)
    train, _, test = data.split(seed=1, train=0.75, validation=0.0, test=0.25)
    model = unscatter.ForgettingClassifier().fit(train)
    print(f"accuracy before: {model.score(test, test.y):.3f}")

    before = train[0]
    assert before.node_ids is not None
    users = list(before.node_ids)[:10]
    certificates: List[unscatter.Certificate] = []
    exposures: List[unscatter.Exposure] = []
    for user in users:
        certificates.append(model.forget(subject=user))
        assert model.exposure_ is not None
        exposures.append(model.exposure_)
        model.release()
    print(f"forgot {len(users)} users; every certificate holds: {all(one.satisfied for one in certificates)}")
    print(f"accuracy after: {model.score(test, test.y):.3f}")

    _, axes = pyplot.subplots(2, 2, figsize=(10, 8), layout="constrained")
    plot.before_and_after(before, model.kept_graph(0), axes[0])
    plot.removals(certificates, axes[1][0])
    plot.exposure(exposures, axes[1][1])
    pyplot.savefig(picture)
    print(f"picture: {picture}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "forget_a_user.png")
