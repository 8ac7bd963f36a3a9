"""Ten thousand times: train, forget, predict, drop.  Memory must not grow.

    PYTHONPATH=build/release/python python3 python/bench/leak.py [CYCLES]
"""
import resource
import sys

import numpy as np

import unscatter


def resident():
    """Bytes of memory that this process holds."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def main():
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    random = np.random.default_rng(3)
    X, y = random.normal(size=(40, 5)), random.integers(0, 2, 40)
    begun = 0
    for cycle in range(cycles + 1):
        if cycle == cycles // 10:
            begun = resident()
        model = unscatter.ForgettingClassifier(threads=1).fit(X, y)
        model.forget(row=0)
        model.predict(X[:2])
    print(f"{cycles} cycles; the last nine tenths left {(resident() - begun) / 1024:.0f} KiB behind")


if __name__ == "__main__":
    main()
