"""A minute with unscatter."""
from __future__ import annotations

import time

from ._classifier import ForgettingClassifier
from ._graphs import interest_groups


def demo() -> None:
    """Learns from synthetic groups, forgets the busiest user, and says what is certified."""
    data = interest_groups(seed=1)
    train, _, test = data.split(seed=1, train=0.8, validation=0.0, test=0.2)
    print(f"{len(data)} groups of users, classes {', '.join(data.class_names)}; learning from {len(train)} of them")
    model = ForgettingClassifier().fit(train)
    print(f"accuracy of the published model on {len(test)} others: {model.score(test, test.y):.3f}")
    groups: dict[str, int] = {}
    for graph in train:
        for name in graph.node_ids or ():
            groups[name] = groups.get(name, 0) + 1
    busiest = max(groups, key=lambda name: groups[name])
    begun = time.perf_counter()
    certificate = model.forget(subject=busiest)
    seconds = time.perf_counter() - begun
    print(f"forgot {busiest}, a member of {groups[busiest]} groups, in {1e3 * seconds:.1f} ms "
          f"(rung {certificate.rung})")
    promise = certificate.promise
    print(f"certified: (epsilon, delta) = ({promise.epsilon:g}, {promise.delta:g}); the kept weights are at most "
          f"{certificate.distance_upper_bound:.1e} from those of training without this user")
    print(f"accuracy of the model published now: {model.score(test, test.y):.3f}")
