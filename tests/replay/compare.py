#!/usr/bin/env python3
"""Are two recordings equal, line by line?  Differences that a list explains are counted apart and are no failure.

  compare.py BASE CHANGE [--explained FILE] [--show N]

A recording has lines "SEQUENCE STEP FIELD VALUE" (tests/replay/record.cc).  The list has lines "SEQUENCE FIELD REASON",
where the first two are patterns with *.
"""
import argparse
import collections
import fnmatch
import sys


def read(path):
    """Values by (sequence, step, field, how many lines of the same name came before)."""
    seen = collections.Counter()
    values = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            name = tuple(line.rstrip("\n").split(" ", 3))
            if len(name) < 3:
                sys.exit(f"{path}: a line that no recorder writes: {line!r}")
            key = name[:3]
            values[key + (seen[key],)] = name[3] if len(name) == 4 else ""
            seen[key] += 1
    if not values:
        sys.exit(f"{path}: nothing was recorded")
    return values


def read_explained(path):
    explained = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = line.split(maxsplit=2)
            if len(parts) != 3:
                sys.exit(f"{path}:{number}: needed are a sequence, a field and a reason")
            explained.append((parts[0], parts[1], parts[2].strip()))
    return explained


def numbers(value):
    """The real numbers in a value: all its words, or none."""
    words = (value or "").split()
    return [float.fromhex(word) for word in words] if all("0x" in word for word in words) else []


def relative_difference(one, other):
    """The largest over the numbers of two values, or nothing if they are no numbers."""
    pairs = list(zip(numbers(one), numbers(other)))
    if not pairs:
        return None
    return max(0.0 if a == b else abs(a - b) / max(abs(a), abs(b)) for a, b in pairs)


def show(key, base, change):
    print("  " + " ".join(key[:3]))
    for side, value in (("base", base), ("change", change)):
        print(f"    {side:6} {'(no such line)' if value is None else value}")
    difference = relative_difference(base, change)
    if difference is not None:
        print(f"    relative difference {difference:.1e}")


def reason_for(key, explained):
    for sequence, field, reason in explained:
        if fnmatch.fnmatchcase(key[0], sequence) and fnmatch.fnmatchcase(key[2], field):
            return reason
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("base")
    parser.add_argument("change")
    parser.add_argument("--explained")
    parser.add_argument("--show", type=int, default=10)
    arguments = parser.parse_args()
    base, change = read(arguments.base), read(arguments.change)
    explained = read_explained(arguments.explained) if arguments.explained else []

    keys = list(base) + [key for key in change if key not in base]
    by_reason = collections.Counter()
    open_keys = []
    for key in keys:
        if base.get(key) == change.get(key):
            continue
        reason = reason_for(key, explained)
        if reason is None:
            open_keys.append(key)
        else:
            by_reason[reason] += 1

    for reason, count in by_reason.items():
        print(f"explained: {count} lines: {reason}")
    if not open_keys:
        print(f"equal: {len(keys) - sum(by_reason.values())} lines")
        return 0
    print(f"different: {len(open_keys)} of {len(keys)} lines.  The first ones:")
    for key in open_keys[: arguments.show]:
        show(key, base.get(key), change.get(key))
    sequences = collections.defaultdict(list)
    for key in open_keys:
        sequences[key[0]].append(key)
    print(f"{len(sequences)} sequences differ: lines, first step, largest relative difference of a sampled weight")
    for sequence, different in sorted(sequences.items(), key=lambda item: -len(item[1]))[: 4 * arguments.show]:
        samples = [key for key in different if key[2].endswith(".samples")]
        largest = max([relative_difference(base.get(key), change.get(key)) or 0.0 for key in samples], default=0.0)
        print(f"  {sequence:55} {len(different):6} {different[0][1]:>4} {largest:9.1e}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
