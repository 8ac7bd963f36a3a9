#!/usr/bin/python3
"""Draws the figure of the README from the recorded summary of figure 3.

    experiments/readme_figure.py [--results FOLDER] [--out FOLDER]

It shows the time of one removal by three methods on the paper's five data sets, and how often each method retrained.
Two versions are written, each as PNG and SVG: removals-light for light pages and removals-dark for dark pages.  Both
have an opaque background, so that each can be read on any page.  The numbers in the figure are also printed.
"""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import look
import summaries
from summaries import in_order

HERE = Path(__file__).resolve().parent
BACKBONE = "gst"  # the paper's main one

# (method, words above the numbers, marker)
METHODS = (("release", "unscatter", "o"), ("ours-paper", "the paper's\nmethod", "s"), ("retrain", "retraining", "D"))


@dataclass(frozen=True)
class Theme:
    name: str
    page: str
    ink: str
    faint: str  # secondary text
    rule: str  # grid and connecting lines
    colors: dict  # by method


# Every colour has a contrast of at least 4.5 to its page, since numbers are written in it.
THEMES = (
    Theme("light", "#FFFFFF", "#1F2328", "#59636E", "#D1D9E0",
          {"release": look.BLUE, "ours-paper": "#B84A00", "retrain": "#4D4D4D"}),
    Theme("dark", "#0D1117", "#F0F6FC", "#9198A1", "#3D444D",
          {"release": look.SKY, "ours-paper": look.ORANGE, "retrain": "#C9CFD6"}),
)


def milliseconds(curve):
    """Of one removal: the mean over the sequence and over all splits."""
    return 1000 * curve.seconds.mean[-1] / curve.removals


def in_words(value):
    """Two digits, with the unit that people would use."""
    if value >= 1000:
        return f"{value / 1000:.1f} s"
    return f"{value:.2f} ms" if value < 1 else f"{value:.1f} ms" if value < 10 else f"{value:.0f} ms"


def retrains_in_words(curve):
    """"3.3", or "10" where every split has the same whole number."""
    rounded = round(curve.total_retrains, 1)
    return f"{rounded:.0f}" if rounded == round(rounded) else f"{rounded:.1f}"


def draw_row(axes, y, curves, theme):
    """Three marks on a line.  The outer numbers stand outside, the middle one above, so that none covers another."""
    ordered = sorted(curves.items(), key=lambda item: milliseconds(item[1]))
    xs = [milliseconds(curve) for _, curve in ordered]
    axes.plot([xs[0], xs[-1]], [y, y], color=theme.rule, linewidth=2.0, zorder=1, solid_capstyle="round")
    places = (((-9, 0), "right", "center"), ((0, 8), "center", "bottom"), ((9, 0), "left", "center"))
    markers = {method: marker for method, _, marker in METHODS}
    for (method, curve), x, (offset, ha, va) in zip(ordered, xs, places):
        color = theme.colors[method]
        # Nobody should take the mean of a few trainings for the mean of all of them.
        face = theme.page if curve.sampled else color
        axes.plot([x], [y], linestyle="", marker=markers[method], markersize=8.5, color=color, markerfacecolor=face,
                  markeredgewidth=1.8, zorder=3)
        axes.annotate(in_words(x), (x, y), xytext=offset, textcoords="offset points", ha=ha, va=va, color=color,
                      fontsize=9.5, fontweight="bold" if method == "release" else "normal")


def draw_retrains(axes, y, curves, theme):
    for column, (method, _, _) in enumerate(METHODS):
        axes.text(column, y, retrains_in_words(curves[method]), ha="center", va="center", color=theme.colors[method],
                  fontsize=11, fontweight="bold" if method == "release" else "normal")


def sampled_note(rows):
    """Says what an open mark is."""
    sampled = [(data_set, curve) for data_set, curves in rows for curve in curves.values() if curve.sampled]
    if not sampled:
        return []
    counts = sorted({curve.updates for _, curve in sampled})
    names = " and ".join(in_order(data_set for data_set, _ in sampled))
    return [f"Open marks ({names}): the mean of {' or '.join(map(str, counts))} trainings along the sequence."]


def draw(rows, splits, theme):
    plt = look.plt
    figure, (times, retrains) = plt.subplots(1, 2, figsize=(9.0, 4.4), width_ratios=(5.2, 2.9), facecolor=theme.page)
    figure.subplots_adjust(left=0.15, right=0.985, top=0.83, bottom=0.23, wspace=0.03)
    heights = range(len(rows) - 1, -1, -1)
    for y, (_, curves) in zip(heights, rows):
        draw_row(times, y, curves, theme)
        draw_retrains(retrains, y, curves, theme)

    values = [milliseconds(curve) for _, curves in rows for curve in curves.values()]
    times.set_xscale("log")
    times.set_xlim(min(values) / 5.5, max(values) * 2.9)
    ticks = [10.0**k for k in range(-2, 6) if times.get_xlim()[0] <= 10.0**k <= times.get_xlim()[1]]
    times.set_xticks(ticks, [f"{t:g} ms" if t < 1000 else f"{t / 1000:g} s" for t in ticks])
    times.minorticks_off()
    times.tick_params(colors=theme.ink, length=0)
    times.set_yticks(list(heights), [data_set for data_set, _ in rows])
    times.grid(axis="y", visible=False)
    times.grid(axis="x", color=theme.rule, linewidth=0.7)
    retrains.set_xlim(-0.6, 2.6)
    retrains.set_xticks([])
    retrains.set_yticks([])
    retrains.grid(False)
    for axes in (times, retrains):
        axes.set_facecolor("none")
        axes.set_ylim(-0.55, len(rows) - 0.4)
        for spine in axes.spines.values():
            spine.set_visible(False)
    for y, (_, curves) in zip(heights, rows):
        removals = next(iter(curves.values())).removals
        times.annotate(f"{removals} removals", (0, y), xycoords=("axes fraction", "data"), xytext=(-4, -11),
                       textcoords="offset points", ha="right", va="center", color=theme.faint, fontsize=7.5)
    for column, (method, words, _) in enumerate(METHODS):
        retrains.text(column, 1.01, words, transform=retrains.get_xaxis_transform(), ha="center", va="bottom",
                      color=theme.colors[method], fontsize=9, linespacing=1.05,
                      fontweight="bold" if method == "release" else "normal")
    headings = {"color": theme.ink, "fontsize": 11, "fontweight": "bold", "va": "bottom"}
    times.text(0.0, 1.13, "Time of one removal (logarithmic scale)", transform=times.transAxes, **headings)
    retrains.text(0.5, 1.13, "Retrains in the sequence", transform=retrains.transAxes, ha="center", **headings)
    handles = [look.Line2D([], [], linestyle="", marker=marker, markersize=7, color=theme.colors[method],
                           label=words.replace("\n", " ")) for method, words, marker in METHODS]
    times.legend(handles=handles, loc="lower left", bbox_to_anchor=(-0.02, 0.985), ncol=3, labelcolor=theme.ink,
                 handletextpad=0.2, columnspacing=1.2, borderaxespad=0)
    notes = [
        "One node leaves each of a tenth of the training graphs, one after the other. "
        f"Means over {splits} random splits.",
        "All three methods run in this program, each on one core. "
        "Retraining uses its trainer on embeddings that are kept.",
    ] + sampled_note(rows)
    for i, note in enumerate(notes):
        figure.text(0.015, 0.115 - 0.042 * i, note, ha="left", va="center", fontsize=8, color=theme.faint)
    return figure


def removal_rows(summary):
    """[(data set, {method: curve})] and the number of splits."""
    curves = [curve for curve in summaries.removal_curves(summary) if curve.backbone == BACKBONE]
    wanted = {method for method, _, _ in METHODS}
    rows = []
    for data_set in in_order(curve.data_set for curve in curves):
        here = {curve.method: curve for curve in curves if curve.data_set == data_set and curve.method in wanted}
        if set(here) != wanted:
            raise summaries.SummaryError(f"{summary.path}: {data_set} lacks {', '.join(sorted(wanted - set(here)))}")
        rows.append((data_set, here))
    splits = {curve.splits for _, here in rows for curve in here.values()}
    if len(splits) != 1:
        raise summaries.SummaryError(f"{summary.path}: methods with different numbers of splits")
    return rows, splits.pop()


def main(arguments):
    parser = argparse.ArgumentParser(description="Draws the figure of the README from the summary of figure 3.")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="folder with the summaries")
    parser.add_argument("--out", type=Path, default=HERE / "figures", help="folder for the figure")
    options = parser.parse_args(arguments)
    try:
        summary = summaries.read_summary(options.results, "figure3")
        if summary is None:
            print(f"readme_figure: no {options.results / 'figure3.json'}", file=sys.stderr)
            return 1
        rows, splits = removal_rows(summary)
    except summaries.SummaryError as error:
        print(f"readme_figure: {error}", file=sys.stderr)
        return 1
    for theme in THEMES:
        name = f"removals-{theme.name}"
        look.save(draw(rows, splits, theme), options.out, name)
        print(f"{name}: {options.out / name}.png, .svg")
    for data_set, curves in rows:
        numbers = "; ".join(f"{words.replace(chr(10), ' ')} {in_words(milliseconds(curves[method]))}, "
                            f"{retrains_in_words(curves[method])} retrains" for method, words, _ in METHODS)
        print(f"  {data_set}: {numbers}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
