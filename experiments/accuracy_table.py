#!/usr/bin/python3
"""Writes the tables of docs/accuracy.md from the summaries of the experiments on accuracy.

    experiments/accuracy_table.py [--results FOLDER] [--document FILE]

The tables stand between marks in the document, and nothing else there is changed.
"""

import argparse
import sys
from pathlib import Path

import summaries
from summaries import in_order

HERE = Path(__file__).resolve().parent

# Graph neural networks that were tuned and trained on a tenth of the labels (four layers, five architectures, on a GPU,
# splits of their own), and what was asked for.  By data set and embedding.
ASKED = {
    ("IMDB-BINARY", "auto"): (68.8, 70.0),
    ("IMDB-MULTI", "auto"): (45.3, 45.5),
    ("COLLAB", "auto"): (72.6, 79.0),
    ("REDDIT-BINARY", "auto"): (87.9, 89.5),
    ("PROTEINS", "auto"): (71.8, 74.0),
    ("NCI1", "auto"): (74.1, 75.5),
    ("ENZYMES", "auto"): (35.6, 37.0),
    ("MUTAG", "auto"): (82.3, 82.5),
    ("MNIST", "auto"): (94.6, 95.0),
    ("MNIST", "drawing"): (82.2, 78.0),
    ("CIFAR10", "auto"): (53.8, 60.0),
    ("CIFAR10", "drawing"): (44.8, 46.0),
}
COLUMNS = ("recipe, published", "tuned, published", "validated, published", "tuned, everyone")


def words(number):
    if number is None:
        return "-"
    mean, stddev = number
    return f"{mean:.1f} ± {stddev:.1f}" if stddev else f"{mean:.1f}"


def accuracy_table(rows, fresh):
    by_place = {(row.data_set, row.embedding, row.what): row.accuracy for row in rows if row.fresh == fresh}
    lines = ["| data set | network | asked | GST | as it is | tuned | validated | everyone |", "|---" * 8 + "|"]
    for (data_set, embedding), (network, asked) in ASKED.items():
        numbers = [by_place.get((data_set, embedding, column)) for column in COLUMNS]
        if all(number is None for number in numbers):
            continue
        name = data_set + (", no positions" if embedding == "drawing" else "")
        paper = by_place.get((data_set, "gst", "GST")) if embedding == "auto" else None
        cells = [name, f"{network:.1f}", f"{asked:.1f}", words(paper), *map(words, numbers)]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def curve_table(curves):
    shares = in_order(share for points, _ in curves.values() for share in points)
    lines = ["| data set | " + " | ".join(f"{share:g} %" for share in shares) + " |", "|---" * (1 + len(shares)) + "|"]
    for data_set, (points, band) in curves.items():
        means = dict(zip(points, band.mean))
        cells = [f"{means[share]:.1f}" if share in means else "-" for share in shares]
        lines.append(f"| {data_set} | " + " | ".join(cells) + " |")
    return lines


def part_table(rows):
    lines = ["| data set | what leaving out a part changes, in points |", "|---|---|"]
    for data_set in in_order(row.data_set for row in rows):
        parts = [row for row in rows if row.data_set == data_set and row.left_out != "nothing"]
        changes = [f"{row.left_out.lstrip('0123456789-')} {row.change[0]:+.1f}" for row in parts]
        # A line of the table has at most six of them, so that it is short enough.
        for first in range(0, max(len(changes), 1), 6):
            lines.append(f"| {'' if first else data_set} | {', '.join(changes[first:first + 6])} |")
    return lines


def tables(results):
    """Mark -> lines, for every summary that is there."""
    made = {}
    accuracy = summaries.read_summary(results, "accuracy")
    if accuracy is not None:
        rows = summaries.accuracy_rows(accuracy)
        made["fresh splits"] = accuracy_table(rows, True)
        made["known splits"] = accuracy_table(rows, False)
    curves = summaries.read_summary(results, "accuracy-curves")
    if curves is not None:
        made["curves"] = curve_table(summaries.learning_curves(curves))
    parts = summaries.read_summary(results, "accuracy-parts")
    if parts is not None:
        made["parts"] = part_table(summaries.part_rows(parts))
    return made


def replaced(text, mark, lines):
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise summaries.SummaryError(f"the document has not one place for '{mark}'")
    head, rest = text.split(begin)
    return head + begin + "\n\n" + "\n".join(lines) + "\n\n" + end + rest.split(end)[1]


def main(arguments):
    parser = argparse.ArgumentParser(description="Writes the tables of docs/accuracy.md from the summaries.")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="folder with the summaries")
    parser.add_argument("--document", type=Path, default=HERE.parent / "docs" / "accuracy.md", help="where they go")
    options = parser.parse_args(arguments)
    try:
        text = options.document.read_text(encoding="utf-8")
        for mark, lines in tables(options.results).items():
            text = replaced(text, mark, lines)
    except (OSError, summaries.SummaryError) as error:
        print(f"accuracy table: {error}", file=sys.stderr)
        return 1
    options.document.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
