#!/usr/bin/python3
"""Runs the workloads and, where it exists, the same work by an independent NumPy program, and prints one table.

    /usr/bin/python3 bench/table.py --workloads BUILD/bench/unscatter_workloads --data FOLDER [--peer numpy_peer.py] [NAME...]

Both run alternately on the same machine, and the best time of each counts. "limit" is the time the counted operations and loads would take
at the machine's measured peak (embedding), or decompressing the file alone (reading). Exits with 1 if a stated target is missed.
"""
import argparse
import json
import re
import subprocess
import sys

# Least ratio to the NumPy program, or most seconds.
RATIO = {"IMDB-BINARY": 80, "PROTEINS": 80, "COLLAB": 10}
SECONDS = {"MNIST": 2.0, "CIFAR10": 6.0, "COLLAB.zip": 8.0, "COLLAB_gin.zip": 2.5}
NAMES = ["IMDB-BINARY", "PROTEINS", "COLLAB", "MNIST", "CIFAR10", "COLLAB.zip", "COLLAB_gin.zip", "MNIST.npz", "CIFAR10.npz"]
# Most memory a process that reads may hold.
PEAK_BYTES = 1.5e9


def ours(arguments, name):
    """The machine's figures and the workload's, from a process of its own, so that its peak memory is its own too."""
    command = [arguments.workloads, "--data", arguments.data, "--threads", str(arguments.threads), name]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    machine, row = (json.loads(line) for line in output.splitlines())
    return machine, row


def peer(arguments, name):
    if not arguments.peer or name not in RATIO:
        return None
    command = ["/usr/bin/python3", arguments.peer, "embed", name, "--data", arguments.data]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return float(re.search(r": ([0-9.]+) s", output).group(1))


def verdict(row, ratio):
    name = row["name"]
    if name in RATIO and row["kind"] == "embed":
        return "" if ratio is None else f">= {RATIO[name]}x", ratio is None or ratio >= RATIO[name]
    if name in SECONDS:
        return f"<= {SECONDS[name]:g} s", row["seconds"] <= SECONDS[name] and row.get("peak_bytes", 0) <= PEAK_BYTES
    return "", row.get("peak_bytes", 0) <= PEAK_BYTES


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workloads", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--peer")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", help="also write the rows to this file")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()

    measured = [ours(arguments, name) for name in arguments.names or NAMES]
    rows = [row for _, row in measured]
    machine = max((machine for machine, _ in measured), key=lambda m: m["loaded_bytes_per_second"])
    print(
        f"machine: {machine['threads']} threads, {machine['simd']}, "
        f"{machine['additions_per_second'] / 1e9:.1f} G additions/s in registers, "
        f"{machine['loaded_bytes_per_second'] / 1e9:.0f} GB/s first-level loads\n"
    )
    head = f"{'workload':22} {'ours':>10} {'NumPy':>10} {'ratio':>7} {'work':>14} {'rate':>14} {'limit':>10} {'of limit':>9} {'peak':>7}  target"
    print(head + "\n" + "-" * len(head))
    missed = []
    for row in rows:
        reference = peer(arguments, row["name"]) if row["kind"] == "embed" else None
        if reference is not None:  # ours again after the peer, so that a slow spell of the machine meets both
            _, again = ours(arguments, row["name"])
            row["seconds"] = min(row["seconds"], again["seconds"])
        ratio = reference / row["seconds"] if reference else None
        target, met = verdict(row, ratio)
        if not met:
            missed.append(row["name"])
        row.update(numpy_seconds=reference, ratio=ratio, target=target, met=met)
        work = f"{row['flops'] / 1e9:.3f} GFLOP" if row["kind"] == "embed" else f"{row['bytes'] / 1e6:.0f} MB"
        rate = (row["flops"] / 1e9 if row["kind"] == "embed" else row["bytes"] / 1e6) / row["seconds"]
        unit = "GFLOP/s" if row["kind"] == "embed" else "MB/s"
        print(
            f"{row['kind'] + ' ' + row['name']:22} {row['seconds'] * 1e3:7.1f} ms "
            + (f"{reference * 1e3:7.0f} ms {ratio:6.0f}x" if reference else f"{'-':>10} {'-':>7}")
            + f" {work:>14} {rate:6.1f} {unit:7} {row['limit_seconds'] * 1e3:7.1f} ms {100 * row['limit_seconds'] / row['seconds']:7.0f} %"
            + (f" {row['peak_bytes'] / 1e6:4.0f} MB" if "peak_bytes" in row else f" {'-':>7}")
            + f"  {target}{'' if met else '  MISSED'}"
        )
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine, "rows": rows}, file, indent=1)
    if missed:
        print("\ntargets missed: " + ", ".join(missed))
        sys.exit(1)


if __name__ == "__main__":
    main()
