#!/usr/bin/python3
"""Runs the workloads, and the same work by another program where there is one; prints tables and checks the targets.

    /usr/bin/python3 bench/table.py --program BUILD/apps/unscatter/unscatter --data FOLDER [--peer numpy_peer.py]
                                    [WORKLOAD...]

Workloads are those of `unscatter bench --list`; the default is all. Ours and the peer run alternately on the same
machine, and the best time of each counts. For embedding and removals, "limit" is the time that the counted operations
and loads would take at the machine's measured peak. For reading, it is the time to decompress the file. Exits with 1 if
a target is missed. Data sets that do not exist are skipped.
"""
import argparse
import json
import subprocess
import sys

import peers

# The least ratio to the NumPy program, or the most seconds.
EMBED_RATIO = {"imdb": 80, "proteins": 80, "collab": 10}
EMBED_SECONDS = {"mnist": 2.0, "cifar10": 6.0}
LOAD_SECONDS = {"load COLLAB.zip": 8.0, "load COLLAB_gin.zip": 2.5}
# The most memory that a reading process may hold.
LOAD_PEAK_BYTES = 1.5e9
# The largest p50 of a removal.
FORGET_SECONDS = {"imdb": 0.5e-3, "proteins": 0.2e-3, "collab": 2e-3, "mnist": 0.5e-3, "cifar10": 2e-3}
# The same with this lambda, at which an update needs one evaluation as a rule.
STRONGER_LAMBDA, STRONGER_SECONDS = "1e-5", {"mnist": 0.7e-3, "cifar10": 2.2e-3}
# The same with the embedding of the recipe.
RECIPE_SECONDS = {"recipe-mnist": 3e-3, "recipe-cifar10": 15e-3}
# A preview and its removal, and a removal after another's preview, over a removal alone.
PREVIEW_RATIO = 1.3
# forget-scale: p50 may grow by less than this from the first to the second n.
GROWTH, GROWTH_ROWS, GROWTH_WIDTH = 2, (10_000, 1_000_000), 124


def milliseconds(seconds):
    return f"{seconds * 1e3:.4g} ms" if seconds is not None else "-"


def print_row(cells, widths):
    print(
        " ".join(
            f"{cell:<{w}}" if i == 0 else f"{cell:>{w}}" for i, (cell, w) in enumerate(zip(cells, widths))
        ).rstrip(),
        flush=True,
    )


def head(titles, widths):
    print()
    print_row(titles, widths)
    print("-" * (sum(widths) + len(widths) - 1))


def judge(row, target, met):
    row.update(target=target, met=met)
    return f"{target}{'' if met else '  MISSED'}"


def limit_cells(row, work, unit):
    share = row["limit_seconds"] / row["best_seconds"]
    return [
        f"{row[work[0]] / work[1]:.4g} {unit}",
        f"{row[work[0]] / work[1] / row['best_seconds']:.1f} {unit}/s",
        milliseconds(row["limit_seconds"]),
        f"{100 * share:.0f} %",
    ]


def embed_table(arguments, names):
    widths = [22, 11, 11, 7, 14, 16, 10, 9, 9, 16]
    head(["workload", "ours", "NumPy", "ratio", "work", "rate", "limit", "of limit", "memory", "target"], widths)
    rows = []
    for workload in names:
        short = workload.removeprefix("embed-")
        found = run(arguments, workload)
        if workload not in found:
            continue
        row = found[workload]
        reference = None
        if arguments.peer and short in EMBED_RATIO:
            reference = peers.numpy_embed_seconds(arguments.peer, arguments.data, short)
            # Ours again after the peer, so that a slow hour of the machine meets both.
            row["best_seconds"] = min(row["best_seconds"], run(arguments, workload)[workload]["best_seconds"])
        ratio = reference / row["best_seconds"] if reference else None
        row.update(numpy_seconds=reference, ratio=ratio)
        if short in EMBED_SECONDS:
            verdict = judge(row, f"<= {EMBED_SECONDS[short]:g} s", row["best_seconds"] <= EMBED_SECONDS[short])
        elif ratio:
            verdict = judge(row, f">= {EMBED_RATIO[short]}x", ratio >= EMBED_RATIO[short])
        else:
            verdict = ""
        cells = [
            workload,
            milliseconds(row["best_seconds"]),
            milliseconds(reference),
            f"{ratio:.0f}x" if ratio else "-",
        ]
        print_row(
            cells + limit_cells(row, ("flops", 1e9), "GFLOP") + [f"{row['peak_bytes'] / 1e6:.0f} MB", verdict], widths
        )
        rows.append(row)
    if rows:
        best = max(rows, key=lambda row: row["loaded_bytes_per_second"])
        print(
            f"machine: {best['threads']} threads, {best['simd']}, "
            f"{best['additions_per_second'] / 1e9:.1f} G additions/s in registers, "
            f"{best['loaded_bytes_per_second'] / 1e9:.0f} GB/s first-level loads"
        )
    return rows


def load_table(arguments):
    widths = [22, 11, 14, 16, 10, 9, 9, 16]
    head(["workload", "ours", "work", "rate", "limit", "of limit", "memory", "target"], widths)
    rows = []
    for name, row in run(arguments, "load", "--repeat", "3").items():
        most = LOAD_SECONDS.get(name)
        met = row["peak_bytes"] <= LOAD_PEAK_BYTES and (most is None or row["best_seconds"] <= most)
        verdict = judge(row, f"<= {most:g} s" if most else "", met)
        print_row(
            [name, milliseconds(row["best_seconds"])]
            + limit_cells(row, ("bytes", 1e6), "MB")
            + [f"{row['peak_bytes'] / 1e6:.0f} MB", verdict],
            widths,
        )
        rows.append(row)
    return rows


def removal_cells(row):
    times = [milliseconds(row[key]) for key in ("p50_seconds", "p95_seconds", "p99_seconds", "mean_seconds")]
    return times + [
        f"{row['per_second']:.4g}",
        f"{row['allocations_per_removal']:.0f}",
        f"{row['peak_bytes'] / 1e6:.0f} MB",
    ]


def forget_table(arguments, names):
    widths = [26, 10, 10, 10, 10, 10, 11, 8, 10, 9, 18, 7, 20]
    head(
        [
            "workload",
            "p50",
            "p95",
            "p99",
            "mean",
            "per second",
            "allocations",
            "memory",
            "limit",
            "of limit",
            "NumPy",
            "ratio",
            "target",
        ],
        widths,
    )
    rows = []
    measured = []
    for workload in names:
        short = workload.removeprefix("forget-")
        target = FORGET_SECONDS.get(short) or RECIPE_SECONDS.get(workload)
        measured.append((workload, short, target, []))
        if workload.startswith("forget-") and short in STRONGER_SECONDS:
            measured.append((workload, short, STRONGER_SECONDS[short], ["--lambda", STRONGER_LAMBDA]))
    for workload, short, target, words in measured:
        for name, row in run(arguments, workload, *words).items():
            name = row["name"] = " ".join([name, *words[1:]])
            least = most = None
            if arguments.peer and short in peers.NUMPY_NAMES:
                least, most = peers.numpy_removal_seconds(arguments.peer, arguments.data, short)
                row["ratio"] = least / row["p50_seconds"]
            row.update(numpy_least_seconds=least, numpy_most_seconds=most)
            verdict = judge(row, f"<= {target * 1e3:g} ms", row["p50_seconds"] <= target) if target else ""
            numpy = f"{least * 1e3:.3g} to {most * 1e3:.3g} ms" if least else "-"
            limit = row.get("limit_seconds")
            limits = [milliseconds(limit), f"{100 * limit / row['p50_seconds']:.0f} %" if limit else "-"]
            print_row(
                [name] + removal_cells(row) + limits + [numpy, f"{row['ratio']:.0f}x" if least else "-", verdict],
                widths,
            )
            print(f"  {row['remark']}")
            rows.append(row)
    if known := [row for row in rows if "limit_seconds" in row]:
        best = max(known, key=lambda row: row["peak_flops_per_second"])
        print(
            f"machine: {best['peak_flops_per_second'] / 1e9:.0f} GFLOP/s in registers, "
            f"{best['peak_bytes_per_second'] / 1e9:.0f} GB/s from the last "
            "level of cache; limit: the steps' operations and bytes at these rates"
        )
    return rows


def preview_table(arguments, names):
    widths = [26, 10, 14, 7, 16, 7, 20]
    titles = ["workload", "removal", "with preview", "ratio", "after another", "ratio", "target"]
    head(titles, widths)
    rows = []
    for workload in names:
        for name, row in run(arguments, workload).items():
            worst = max(row["ratio"], row["after_another_ratio"])
            verdict = judge(row, f"< {PREVIEW_RATIO:g} times", worst < PREVIEW_RATIO)
            times = [milliseconds(row[f"{which}p50_seconds"]) for which in ("removal_", "", "after_another_")]
            ratios = [f"{row[key]:.2f}" for key in ("ratio", "after_another_ratio")]
            print_row([name, times[0], times[1], ratios[0], times[2], ratios[1], verdict], widths)
            rows.append(row)
    return rows


def growth(rows):
    """How p50 grows with n, as a row of its own, if both ends were measured."""
    p50 = {
        row["rows"]: row["p50_seconds"]
        for row in rows
        if row["workload"] == "forget-scale" and row["coordinates"] == GROWTH_WIDTH
    }
    if any(n not in p50 for n in GROWTH_ROWS):
        return []
    first, last = (p50[n] for n in GROWTH_ROWS)
    row = {"name": f"forget-scale growth d={GROWTH_WIDTH}", "growth": last / first}
    print(
        f"p50 at n = {GROWTH_ROWS[1]} over n = {GROWTH_ROWS[0]}, d = {GROWTH_WIDTH}: {last / first:.2f}"
        f"  {judge(row, f'< {GROWTH}', last / first < GROWTH)}"
    )
    return [row]


def run(arguments, *words):
    return peers.bench(arguments.program, arguments.data, arguments.threads, *words)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--peer")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3, help="of scikit-learn's fits")
    parser.add_argument("--json", help="also write the rows to this file")
    parser.add_argument("names", nargs="*", metavar="WORKLOAD")
    arguments = parser.parse_args()

    listed = json.loads(
        subprocess.run(
            [arguments.program, "bench", "--list", "--json"], check=True, stdout=subprocess.PIPE, text=True
        ).stdout
    )
    everything = [workload["name"] for workload in listed["workloads"]]
    # Embedding and training all images takes minutes, so recipes are measured where they are asked for.
    names = arguments.names or [name for name in everything if name not in RECIPE_SECONDS]
    unknown = [name for name in names if name not in everything]
    if unknown:
        sys.exit(f"bench: unknown workload {unknown[0]}; choose from {', '.join(everything)}")

    rows = []
    if embed := [name for name in names if name.startswith("embed-")]:
        rows += embed_table(arguments, embed)
    if "load" in names:
        rows += load_table(arguments)
    if train := [name for name in names if name.startswith("train-")]:
        print()
        rows += peers.compare_all_training(arguments, train)
    removing = ("forget-", "recipe-", "batch", "workspace")
    if removals := [name for name in names if name.startswith(removing)]:
        measured = forget_table(arguments, removals)
        rows += measured + growth(measured)
    if previews := [name for name in names if name.startswith("preview-")]:
        rows += preview_table(arguments, previews)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    missed = [
        f"{row['name']} ({row['solver']})" if "solver" in row else row["name"]
        for row in rows
        if not row.get("met", True)
    ]
    if missed:
        print("\ntargets missed: " + ", ".join(missed))
        sys.exit(1)


if __name__ == "__main__":
    main()
