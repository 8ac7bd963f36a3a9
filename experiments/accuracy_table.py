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
PAPER_EPOCHS = 500  # of GIN


def words(number):
    if number is None:
        return "-"
    mean, stddev = number
    return f"{mean:.1f} ± {stddev:.1f}" if stddev else f"{mean:.1f}"


def line_name(data_set, embedding):
    return data_set + (", no positions" if embedding == "drawing" else "")


def network_beside(data_set, embedding):
    """GIN sees positions where the recipe of the line does."""
    return "gin-positions" if embedding == "auto" and (data_set, "drawing") in ASKED else "gin"


def gin_words(row):
    if row is None:
        return "-"
    return words(row.accuracy) + (f" ({row.epochs} epochs)" if row.epochs != PAPER_EPOCHS else "")


def gin_rows(rows, fresh):
    """(data set, network) -> row.  Of several records that with the most epochs counts, and then the most splits."""
    found = [row for row in rows if row.what == "GIN" and row.fresh == fresh]
    return {(row.data_set, row.embedding): row for row in sorted(found, key=lambda row: (row.epochs, row.splits))}


def accuracy_table(rows, fresh):
    by_place = {(row.data_set, row.embedding, row.what): row.accuracy for row in rows if row.fresh == fresh}
    networks = gin_rows(rows, fresh)
    lines = ["| data set | network | asked | GST | GIN | as it is | tuned | validated | everyone |", "|---" * 9 + "|"]
    for (data_set, embedding), (network, asked) in ASKED.items():
        numbers = [by_place.get((data_set, embedding, column)) for column in COLUMNS]
        if all(number is None for number in numbers):
            continue
        paper = by_place.get((data_set, "gst", "GST")) if embedding == "auto" else None
        gin = gin_words(networks.get((data_set, network_beside(data_set, embedding))))
        cells = [line_name(data_set, embedding), f"{network:.1f}", f"{asked:.1f}", words(paper), gin]
        lines.append("| " + " | ".join([*cells, *map(words, numbers)]) + " |")
    return lines


def gin_table(rows):
    """What GIN was recorded with."""
    of_splits = [gin_rows(rows, fresh) for fresh in (True, False)]
    lines = ["| data set | fresh splits | accuracy | known splits | accuracy |", "|---" * 5 + "|"]
    for data_set, embedding in ASKED:
        place = (data_set, network_beside(data_set, embedding))
        found = [networks.get(place) for networks in of_splits]
        if not any(found):
            continue
        cells = [line_name(data_set, embedding)]
        for row in found:
            cells += [f"{row.splits}, {row.epochs} epochs", words(row.accuracy)] if row else ["-", "-"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def accuracy_rows(results):
    """Those of the summary if there is one, and those of networks that were recorded by themselves."""
    summary = summaries.read_summary(results, "accuracy")
    if summary is None:
        return []
    rows = summaries.accuracy_rows(summary)
    for path in sorted((Path(results) / "gin").glob("*.json")):
        alone = summaries.read_summary(path.parent, path.stem)
        of_table = alone.content.get("experiment") in ("table1", "table2")
        rows += summaries.gin_rows_of_table(alone) if of_table else summaries.accuracy_rows(alone)
    return rows


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
    rows = accuracy_rows(results)
    if rows:
        made["fresh splits"] = accuracy_table(rows, True)
        made["known splits"] = accuracy_table(rows, False)
    if any(row.what == "GIN" for row in rows):
        made["gin"] = gin_table(rows)
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
