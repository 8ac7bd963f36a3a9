#!/usr/bin/python3
"""Did a change make something slower? Compares documents of `unscatter bench --json` from two builds.

    /usr/bin/python3 bench/compare.py [--factor 1.25] --base FILE... --change FILE...

For each result, the median of p50_seconds over the files counts, so that one disturbed run decides nothing. Exits with
1 if the median of the change is more than `factor` times that of the base, or if the change no longer measures
something.
"""
import argparse
import json
import statistics
import sys


def medians(paths):
    """{result name: median over files of its p50}."""
    times = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for result in json.load(file)["results"]:
                if "skipped" not in result:
                    times.setdefault(result["name"], []).append(result["p50_seconds"])
    return {name: statistics.median(values) for name, values in times.items()}


def verdict(base, change, factor):
    if change is None:
        return "GONE"
    if base is None:
        return "new"
    if change > factor * base:
        return "SLOWER"
    return "faster" if base > factor * change else "same"


def milliseconds(seconds):
    return "-" if seconds is None else f"{seconds * 1e3:.4g} ms"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--factor", type=float, default=1.25)
    parser.add_argument("--base", nargs="+", required=True)
    parser.add_argument("--change", nargs="+", required=True)
    arguments = parser.parse_args()
    base, change = medians(arguments.base), medians(arguments.change)
    if not base:
        sys.exit("compare: the base measured nothing")
    worse = []
    print(f"{'workload':30} {'base':>12} {'change':>12} {'ratio':>7}  verdict (factor {arguments.factor:g})")
    for name in list(base) + [name for name in change if name not in base]:
        old, new = base.get(name), change.get(name)
        says = verdict(old, new, arguments.factor)
        ratio = f"{new / old:.2f}" if old and new else "-"
        print(f"{name:30} {milliseconds(old):>12} {milliseconds(new):>12} {ratio:>7}  {says}")
        if says.isupper():
            worse.append(name)
    if worse:
        print("slower or gone: " + ", ".join(worse))
        sys.exit(1)


if __name__ == "__main__":
    main()
