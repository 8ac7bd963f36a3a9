#!/usr/bin/python3
"""Draws the figures from the summaries of `unscatter experiment`.

    experiments/plot.py [--results FOLDER] [--out FOLDER] [NAME...]

Every summary that is there is drawn, as PNG and SVG.  NAMEs choose among them.  The shaded bands are one standard
deviation over the splits.
"""

import argparse
import sys
from pathlib import Path

import look
import summaries
from summaries import in_order

HERE = Path(__file__).resolve().parent
PAPER_EPOCHS = 500  # of GIN


def splits_note(items, logarithmic=True, what="shaded"):
    """"Means over 10 random splits (GIN: 2); shaded: one standard deviation ..." """
    counts = {item.splits for item in items if getattr(item, "backbone", "") != "gin"}
    of_gin = {item.splits for item in items if getattr(item, "backbone", "") == "gin"} - counts
    words = " to ".join(str(count) for count in sorted({min(counts), max(counts)}))
    gin = f" (GIN: {max(of_gin)})" if of_gin else ""
    cut = f", cut at {100 * look.LOWEST_SHARE:.0f} % of the mean on logarithmic scales" if logarithmic else ""
    return f"Means over {words} random splits{gin}; {what}: one standard deviation{cut}."


def gin_remarks(curves):
    """Says so in the legend where GIN was trained for less than the paper's 500 epochs."""
    epochs = {curve.epochs for curve in curves if curve.epochs not in (None, PAPER_EPOCHS)}
    return {"gin-retrain": f" ({min(epochs)} of the paper's {PAPER_EPOCHS} epochs)"} if epochs else {}


def draw_time(axes, curve):
    color, marker, _ = look.METHODS[curve.method]
    style = look.BACKBONES[curve.backbone][0]
    look.draw_band(axes, curve.removed, curve.seconds, color, style, marker, logarithmic=True)
    # Nobody should take an estimate for a measurement.
    guessed = [
        (x, y)
        for x, y in zip(curve.removed, curve.seconds.mean)
        if y is not None and y > 0 and curve.time_is_estimated_at(x)
    ]
    if guessed:
        step = max(1, len(guessed) // 6)
        shown = guessed[::-1][::step]
        axes.plot([p[0] for p in shown], [p[1] for p in shown], linestyle="", marker="o", markersize=6,
                  markerfacecolor="white", markeredgecolor=color, markeredgewidth=1.1, zorder=3)


def removal_figure(curves, title, width_per_data_set):
    """Accuracy, one row per backbone, and cumulated time below; one column per data set."""
    data_sets = in_order(curve.data_set for curve in curves)
    # GIN stands beside the others; the transforms have rows of their own, since they differ more than the methods do.
    backbones = [b for b in look.BACKBONES if b != "gin" and any(curve.backbone == b for curve in curves)]
    rows = len(backbones) + 1
    width = max(6.8, width_per_data_set * len(data_sets) + 0.6)
    figure, axes = look.canvas(rows, len(data_sets), width, 2.35 * rows + 1.0, below=0.85, sharex="col")
    # Ours last, so that it lies on top.
    curves = sorted(curves, key=lambda curve: -list(look.METHODS).index(curve.method))
    for column, data_set in enumerate(data_sets):
        here = [curve for curve in curves if curve.data_set == data_set]
        for row, backbone in enumerate(backbones):
            for curve in here:
                if curve.backbone == backbone or (curve.backbone == "gin" and row == 0):
                    color, marker, _ = look.METHODS[curve.method]
                    look.draw_band(axes[row][column], curve.removed, curve.accuracy, color, "-", marker, edges=True)
        times = axes[-1][column]
        for curve in here:
            draw_time(times, curve)
        look.logarithmic_scale(times, [value for curve in here for value in curve.seconds.mean])
        look.whole_numbers(times)
        if len(backbones) == 1:
            totals = [(curve.seconds.mean[-1], look.METHODS[curve.method][0]) for curve in here]
            ends = [(seconds, f"{seconds:.3g} s", color) for seconds, color in totals]
            last = max(curve.removals for curve in here)
            times.set_xlim(-0.02 * last, 1.02 * last)
            look.label_ends(times, ends)
        axes[0][column].set_title(data_set)
        times.set_xlabel("nodes removed")
    for row, backbone in enumerate(backbones):
        words = f"\n{look.BACKBONES[backbone][1]}" if len(backbones) > 1 else ""
        axes[row][0].set_ylabel("test accuracy, %" + words)
    axes[-1][0].set_ylabel("cumulated time, s")
    figure.suptitle(title)
    handles = look.method_handles({curve.method for curve in curves}, gin_remarks(curves))
    if len(backbones) > 1:
        handles += look.backbone_handles(backbones)
    if any(curve.sampled for curve in curves):
        handles.append(look.estimate_handle())
    look.write_below(figure, handles, [splits_note(curves)])
    return figure


def figure3(summary):
    return removal_figure(summaries.removal_curves(summary), "One node from each of 10 % of the training graphs", 2.9)


def figure4(summary):
    return removal_figure(summaries.removal_curves(summary), "One node from each of 90 % of the training graphs", 4.2)


def figure5(summary):
    title = "Abundant data: one node from each of 500 of 600 training graphs"
    return removal_figure(summaries.removal_curves(summary), title, 6.8)


def further_data_sets(summary):
    title = "Further data sets: one node from each of 10 % of the training graphs"
    return removal_figure(summaries.removal_curves(summary), title, 2.9)


BOUND_LOOKS = {
    "worst": (look.PURPLE, "worst case"),
    "data": (look.VERMILION, "data-dependent"),
    "tight": (look.BLUE, "tightened"),
    "true": (look.BLACK, "true residual"),
}


def figure6(summary):
    series = summaries.residual_series(summary)
    figure, axes = look.canvas(2, len(series), 3.9 * len(series) + 0.5, 6.4, below=0.3)
    for column, entry in enumerate(series):
        for row, bounds in enumerate((entry.step, entry.cumulated)):
            here = axes[row][column]
            bands = dict(bounds) | {"true": entry.residual}
            look.logarithmic_scale(here, [value for band in bands.values() for value in band.mean])
            xs = range(1, len(entry.residual.mean) + 1)
            for name, band in bands.items():
                look.draw_band(here, xs, band, BOUND_LOOKS[name][0], logarithmic=True)
            here.set_xlim(1, max(2, len(entry.residual.mean)))
            ends = [(band.mean[-1], BOUND_LOOKS[name][1], BOUND_LOOKS[name][0]) for name, band in bands.items()]
            look.label_ends(here, ends)
        axes[0][column].set_title(entry.data_set)
        axes[1][column].set_xlabel("nodes removed")
    axes[0][0].set_ylabel("norm of the gradient residual:\none update, start known exactly")
    axes[1][0].set_ylabel("norm of the gradient residual:\nbounds added up over all updates")
    figure.suptitle("What the bounds say, and what is true (no noise, one Newton step per removal)")
    look.write_below(figure, [], [splits_note(series)])
    return figure


def sweep_value(variant):
    """"epsilon-0.25" -> 0.25; "node" -> "node"."""
    _, dash, number = variant.rpartition("-")
    try:
        return float(number) if dash else variant
    except ValueError:
        return variant


def sweep_figure(curves, title, x_words):
    """Accuracy after the last removal, time and retrains against what was varied, one column per data set."""
    data_sets = in_order(curve.data_set for curve in curves)
    figure, axes = look.canvas(3, len(data_sets), max(6.8, 3.3 * len(data_sets) + 0.6), 7.2, below=0.72)
    for column, data_set in enumerate(data_sets):
        here = [curve for curve in curves if curve.data_set == data_set]
        values = in_order(sweep_value(curve.variant) for curve in here)
        categories = isinstance(values[0], str)
        methods = in_order(curve.method for curve in here)
        for k, method in enumerate(methods):
            color, marker, _ = look.METHODS[method]
            mine = [curve for curve in here if curve.method == method]
            shift = 0.12 * (k - (len(methods) - 1) / 2)
            places = [sweep_value(curve.variant) for curve in mine]
            xs = [values.index(place) + shift if categories else place * 1.3**shift for place in places]
            numbers = (
                [(c.accuracy.mean[-1], c.accuracy.stddev[-1]) for c in mine],
                [(c.seconds.mean[-1], c.seconds.stddev[-1]) for c in mine],
                [(100 * c.total_retrains / c.removals, 0) for c in mine],
            )
            for row, pairs in enumerate(numbers):
                low = [min(s or 0, (1 - look.LOWEST_SHARE) * m) if row == 1 else s or 0 for m, s in pairs]
                high = [s or 0 for _, s in pairs]
                axes[row][column].errorbar(xs, [p[0] for p in pairs], yerr=(low, high), color=color, marker=marker,
                                           markersize=5, linestyle="" if categories else "-", linewidth=1.3,
                                           capsize=2.5, clip_on=row != 2)
        for row in range(3):
            if categories:
                axes[row][column].set_xticks(range(len(values)), values)
                axes[row][column].set_xlim(-0.6, len(values) - 0.4)
            else:
                look.logarithmic_values(axes[row][column], values)
            if row < 2:
                axes[row][column].tick_params(labelbottom=False)
        look.logarithmic_scale(axes[1][column], [curve.seconds.mean[-1] for curve in here])
        axes[2][column].set_ylim(0, 100)
        axes[0][column].set_title(data_set)
        axes[2][column].set_xlabel(x_words)
    axes[0][0].set_ylabel("test accuracy at the end, %")
    axes[1][0].set_ylabel("time in all, s")
    axes[2][0].set_ylabel("removals that ended in\na training from scratch, %")
    figure.suptitle(title)
    handles = look.method_handles({curve.method for curve in curves})
    look.write_below(figure, handles, [splits_note(curves, what="bars")])
    return figure


def kinds(summary):
    title = "What is removed from 10 % of the training graphs"
    return sweep_figure(summaries.removal_curves(summary), title, "kind of removal")


def epsilons(summary):
    return sweep_figure(summaries.removal_curves(summary), "The guarantee: epsilon (delta = 0.0001)", "epsilon")


def alphas(summary):
    title = "The noise in the paper's objective"
    return sweep_figure(summaries.removal_curves(summary), title, "standard deviation alpha")


def batches(summary):
    rows = summaries.batch_rows(summary)
    data_sets = in_order(row.data_set for row in rows)
    largest = max(row.removals for row in rows)
    available = ((look.BLUE, "o"), (look.VERMILION, "s"), (look.GREEN, "^"), (look.PURPLE, "v"), (look.BLACK, "D"))
    looks = dict(zip(data_sets, available))
    figure, axes = look.canvas(1, 3, 10.5, 3.3, below=0.05)
    panels = (
        ("time of the update, s", lambda row: row.seconds, True),
        ("Newton steps", lambda row: row.newton_steps, False),
        ("test accuracy, %", lambda row: row.accuracy, False),
    )
    for here, (words, pick, logarithmic) in zip(axes[0], panels):
        look.logarithmic_values(here, [size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500) if size <= largest])
        if logarithmic:
            look.logarithmic_scale(here, [pick(row)[0] for row in rows])
        for data_set in data_sets:
            mine = [row for row in rows if row.data_set == data_set]
            band = summaries.Band(tuple(pick(row)[0] for row in mine), tuple(pick(row)[1] for row in mine))
            color, marker = looks[data_set]
            look.draw_band(here, [row.removals for row in mine], band, color, "-", marker, logarithmic)
        here.set_xlabel("removals in one update")
        here.set_title(words)
    axes[0][1].set_ylim(bottom=0)
    handles = [look.Line2D([], [], color=looks[d][0], marker=looks[d][1], markersize=4, label=d) for d in data_sets]
    axes[0][1].legend(handles=handles, loc="lower right")
    figure.suptitle("Many removals in one update (unscatter, release); shaded: one standard deviation")
    return figure


def backbone_table(rows, ours, paper, words, logarithmic):
    """Ours and the paper's beside each other."""
    data_sets = in_order(row.data_set for row in rows)
    shown = [row for row in rows if row.method == "noise-free"]
    backbones = in_order(row.backbone for row in shown)
    colors = {"gst": look.BLUE, "linear-gst": look.VERMILION, "gft": look.GREEN, "gft-signs": look.ORANGE,
              "gin": look.PURPLE}
    figure, axes = look.canvas(1, 1, max(7.6, 1.7 * len(data_sets)), 4.4, below=0.78)
    here = axes[0][0]
    for row in shown:
        at = data_sets.index(row.data_set) + 0.17 * (backbones.index(row.backbone) - (len(backbones) - 1) / 2)
        for pick, shift, face in ((ours, -0.035, colors[row.backbone]), (paper, 0.035, "white")):
            number = pick(row)
            if number is None:
                continue
            mean, stddev = number[0], number[1] or 0
            low = min(stddev, (1 - look.LOWEST_SHARE) * mean) if logarithmic else stddev
            here.errorbar([at + shift], [mean], yerr=([low], [stddev]),
                          color=colors[row.backbone], marker="o", markerfacecolor=face, markersize=6, capsize=2.5)
    if logarithmic:
        numbers = [number[0] for row in shown for number in (ours(row), paper(row)) if number is not None]
        look.logarithmic_scale(here, numbers)
    here.set_xticks(range(len(data_sets)), data_sets)
    here.set_xlim(-0.5, len(data_sets) - 0.5)
    here.set_ylabel(words)
    here.grid(axis="x", visible=False)
    dots = {"marker": "o", "linestyle": ""}
    handles = [look.Line2D([], [], color=colors[b], label=look.BACKBONES[b][1], **dots) for b in backbones]
    shortened = [f"{row.data_set} {row.epochs}" for row in shown if row.epochs not in (None, PAPER_EPOCHS)]
    notes = []
    if shortened:
        notes = [f"GIN was trained for fewer epochs than the paper's {PAPER_EPOCHS}: {', '.join(shortened)}."]
    handles.append(look.Line2D([], [], color="#555555", label="this program", **dots))
    handles.append(look.Line2D([], [], color="#555555", label="in the paper", markerfacecolor="white", **dots))
    look.write_below(figure, handles, notes)
    return figure


def table1(summary):
    rows = summaries.table_rows(summary)
    return backbone_table(rows, lambda r: r.accuracy, lambda r: r.paper_accuracy, "test accuracy, %", False)


def table2(summary):
    rows = summaries.table_rows(summary)
    return backbone_table(rows, lambda r: r.seconds, lambda r: r.paper_seconds, "running time, s", True)


ACCURACY_MARKS = {  # by the titles of the columns: colour, marker, words
    "GST": (look.VERMILION, "s", "GST, no noise"),
    "recipe, published": (look.BLUE, "o", "as it is, published"),
    "tuned, published": (look.GREEN, "D", "tuned, published"),
    "tuned, everyone": (look.PURPLE, "v", "tuned, everyone"),
}


def accuracies(summary):
    """One column of marks per data set, from the fresh splits where there are some."""
    rows = [row for row in summaries.accuracy_rows(summary) if row.what in ACCURACY_MARKS]
    if any(row.fresh for row in rows):
        rows = [row for row in rows if row.fresh]
    name = lambda row: row.data_set + ("\nno positions" if row.embedding == "drawing" else "")  # noqa: E731
    data_sets = in_order(name(row) for row in rows)
    figure, axes = look.canvas(1, 1, max(7.6, 1.0 * len(data_sets)), 4.6, below=0.78)
    here = axes[0][0]
    kinds_shown = list(ACCURACY_MARKS)
    for row in rows:
        color, marker, _ = ACCURACY_MARKS[row.what]
        at = data_sets.index(name(row)) + 0.16 * (kinds_shown.index(row.what) - (len(kinds_shown) - 1) / 2)
        here.errorbar([at], [row.accuracy[0]], yerr=[row.accuracy[1] or 0], color=color, marker=marker, markersize=5,
                      capsize=2.5)
    here.set_xticks(range(len(data_sets)), data_sets, fontsize=7.5)
    here.set_xlim(-0.5, len(data_sets) - 0.5)
    here.set_ylabel("test accuracy, %")
    here.grid(axis="x", visible=False)
    handles = [look.Line2D([], [], color=c, marker=m, linestyle="", label=w) for c, m, w in ACCURACY_MARKS.values()]
    which = "fresh" if rows[0].fresh else "known"
    counts = sorted({row.splits for row in rows})
    words = " to ".join(str(count) for count in sorted({counts[0], counts[-1]}))
    note = f"A tenth of the graphs to learn from.  Means over {words} {which} splits; bars: one standard deviation."
    look.write_below(figure, handles, [note])
    return figure


def accuracy_curves(summary):
    curves = summaries.learning_curves(summary)
    columns = min(5, len(curves))
    rows = -(-len(curves) // columns)
    figure, axes = look.canvas(rows, columns, max(6.8, 2.3 * columns), 2.2 * rows + 0.7, below=0.35)
    for at, (data_set, (shares, band)) in enumerate(curves.items()):
        here = axes[at // columns][at % columns]
        look.draw_band(here, shares, band, look.BLUE, marker="o")
        look.logarithmic_values(here, [1, 5, 20, 80])
        here.set_title(data_set)
        if at % columns == 0:
            here.set_ylabel("test accuracy, %")
        if at // columns == rows - 1:
            here.set_xlabel("graphs to learn from, %")
    for at in range(len(curves), rows * columns):
        axes[at // columns][at % columns].set_axis_off()
    note = "Recipes as they are, published with the default noise; shaded: one standard deviation."
    look.write_below(figure, [], [note])
    return figure


def accuracy_parts(summary):
    """Bars: points lost or won if a part is left out."""
    rows = [row for row in summaries.part_rows(summary) if row.left_out != "nothing"]
    data_sets = in_order(row.data_set for row in rows)
    columns = min(5, len(data_sets))
    lines = -(-len(data_sets) // columns)
    figure, axes = look.canvas(lines, columns, max(6.8, 2.7 * columns), 2.4 * lines + 0.6, below=0.35)
    for at, data_set in enumerate(data_sets):
        here = axes[at // columns][at % columns]
        shown = [row for row in rows if row.data_set == data_set][::-1]
        here.barh(range(len(shown)), [row.change[0] for row in shown], color=look.SKY,
                  xerr=[(row.change[1] or 0) / max(row.splits, 1) ** 0.5 for row in shown], error_kw={"linewidth": 0.8})
        here.set_yticks(range(len(shown)), [row.left_out for row in shown], fontsize=7.5)
        here.axvline(0, color="#555555", linewidth=0.8)
        here.set_title(data_set)
        if at // columns == lines - 1:
            here.set_xlabel("change, points")
    for at in range(len(data_sets), lines * columns):
        axes[at // columns][at % columns].set_axis_off()
    look.write_below(figure, [], ["What leaving out a part changes, on the same splits; bars: one standard error."])
    return figure


FIGURES = {
    "table1": table1,
    "table2": table2,
    "figure3": figure3,
    "figure4": figure4,
    "figure5": figure5,
    "figure6": figure6,
    "batch": batches,
    "kinds": kinds,
    "epsilon": epsilons,
    "alpha": alphas,
    "datasets": further_data_sets,
    "accuracy": accuracies,
    "accuracy-curves": accuracy_curves,
    "accuracy-parts": accuracy_parts,
}


def main(arguments):
    parser = argparse.ArgumentParser(description="Draws the figures from the summaries of `unscatter experiment`.")
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help=f"which; default all that are there: {', '.join(FIGURES)}")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="folder with the summaries")
    parser.add_argument("--out", type=Path, default=HERE / "figures", help="folder for the figures")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in FIGURES]
    if unknown:
        parser.error(f"unknown figure '{unknown[0]}'; there are {', '.join(FIGURES)}")

    drawn = 0
    for name in options.names or FIGURES:
        try:
            summary = summaries.read_summary(options.results, name)
            if summary is None:
                print(f"{name}: no {options.results / name}.json, so there is no figure", file=sys.stderr)
                continue
            look.save(FIGURES[name](summary), options.out, name)
        except summaries.SummaryError as error:
            print(f"plot: {error}", file=sys.stderr)
            return 1
        print(f"{name}: {options.out / name}.png, .svg")
        drawn += 1
    return 0 if drawn > 0 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
