#!/usr/bin/python3
"""Draws what level everyone costs: accuracy against epsilon, from the results of `unscatter experiment everyone`.

    experiments/everyone_figure.py [--results FOLDER] [--out FOLDER]

One line per data set.  Every point has the ridge that is best there.  The dashed line is the best accuracy without
noise.  The numbers are also printed.
"""

import argparse
import json
from pathlib import Path

import look

HERE = Path(__file__).resolve().parent
MARKERS = "osD^v"


def best_points(level):
    """[(epsilon, accuracy, ridge per graph)], the best ridge for every epsilon."""
    epsilons = [noisy["epsilon"] for noisy in level["points"][0]["everyone"]]
    best = []
    for place, epsilon in enumerate(epsilons):
        point = max(level["points"], key=lambda p: p["everyone"][place]["accuracy"])
        best.append((epsilon, point["everyone"][place]["accuracy"], point["ridge_per_graph"]))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--results", type=Path, default=HERE / "results")
    parser.add_argument("--out", type=Path, default=HERE / "figures")
    arguments = parser.parse_args()
    levels = json.loads((arguments.results / "everyone.json").read_text())

    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "unscatter"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2))
    colors = [look.BLUE, look.ORANGE, look.SKY, "#4D4D4D"]
    for level, color, marker in zip(levels, colors, MARKERS):
        best = best_points(level)
        plain = max(point["plain"] for point in level["points"])
        axes.plot([b[0] for b in best], [b[1] for b in best], color=color, marker=marker, label=level["name"])
        axes.axhline(plain, color=color, linestyle="--", linewidth=0.8)
        for epsilon, accuracy, ridge in best:
            print(f"{level['name']}: epsilon {epsilon:g}: {accuracy:.1f} % "
                  f"(ridge {ridge:g} n; no noise: {plain:.1f} %)")
    axes.set_xscale("log", base=2)
    axes.set_xlabel(f"epsilon, at delta = {levels[0]['delta']:g}, one published model")
    axes.set_ylabel("accuracy in %")
    axes.set_xticks([b[0] for b in best_points(levels[0])])
    axes.get_xaxis().set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for ending in ("png", "svg"):
        metadata = {"Date": None} if ending == "svg" else None
        figure.savefig(arguments.out / f"everyone.{ending}", dpi=150, metadata=metadata)


if __name__ == "__main__":
    main()
