"""The plotting script on small summaries written here:  plots_test.py FOLDER_OF_THE_SCRIPT"""

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, sys.argv.pop(1))
import accuracy_table  # noqa: E402
import plot  # noqa: E402
import summaries  # noqa: E402


def band(values):
    return {"mean": values, "stddev": [None if value is None else abs(value) / 10 for value in values]}


def curve(data_set="A", backbone="gst", method="release", variant="", sampled=False, **more):
    entry = {
        "data_set": data_set,
        "backbone": backbone,
        "method": method,
        "variant": variant,
        "splits": 3,
        "removed": [0, 5, 10],
        "accuracy": band([70.0, 69.0, 68.0]),
        "seconds": band([0.0, 0.5, 1.0]),
        "retrains": band([0, 1, 2]),
        "residual": band([None, None, None]),
        "removals": 10,
        "sampled": sampled,
        "single_removals": 5 if sampled else 10,
        "updates": 5 if sampled else 10,
        "total_retrains": {"mean": 2.0, "stddev": 1.0, "splits": 3},
    }
    return entry | more


def number(mean):
    return {"mean": mean, "stddev": 0.1, "splits": 3}


def bounds(length):
    return {bound: band([10.0**power] * length) for bound, power in (("worst", 4), ("data", 1), ("tight", -1))}


SUMMARIES = {
    "accuracy": {
        "rows": [
            {"data_set": data_set, "embedding": embedding, "fresh": fresh, "what": what, "accuracy": number(70.0)}
            for data_set, embedding in (("A", "auto"), ("MNIST", "drawing"))
            for fresh in (False, True)
            for what in ("recipe, published", "tuned, published", "tuned, everyone")
        ]
    },
    "accuracy-curves": {
        "rows": [
            {"data_set": data_set, "share": share, "noisy_accuracy": number(60.0 + 10 * share)}
            for data_set in "ABCDEF"
            for share in (0.01, 0.1, 0.8)
        ]
    },
    "accuracy-parts": {
        "rows": [
            {"data_set": data_set, "left_out": part, "change": number(0.0 if part == "nothing" else -1.0)}
            for data_set in "AB"
            for part in ("nothing", "1-size", "fourier")
        ]
    },
    "figure3": {
        "curves": [
            curve(data_set, b, m)
            for data_set in "ABCDE"
            for b in ("gst", "linear-gst")
            for m in ("release", "uu", "retrain")
        ]
    },
    "figure4": {
        "curves": [
            curve(),
            curve(method="uu", sampled=True),
            curve(backbone="gin", method="gin-retrain", sampled=True, epochs=50, splits=2),
        ]
    },
    "figure5": {"curves": [curve(), curve(method="retrain")]},
    "figure6": {
        "series": [
            {"data_set": d, "splits": 3, "residual": band([1e-3] * 4), "step": bounds(4), "cumulated": bounds(4)}
            for d in "AB"
        ]
    },
    "kinds": {"curves": [curve(method=m, variant=v) for m in ("release", "ours-paper") for v in ("node", "edge")]},
    "epsilon": {
        "curves": [curve(method=m, variant=f"epsilon-{v}") for m in ("release", "ours-paper") for v in (0.5, 1)]
    },
    "alpha": {"curves": [curve(method="ours-paper", variant=f"alpha-{v}") for v in (0.01, 0.1)]},
    "datasets": {"curves": [curve()]},
    "batch": {
        "rows": [
            {"data_set": "A", "removals": n, "seconds": number(n / 1000), "newton_steps": number(2),
             "accuracy": number(70)}
            for n in (1, 10, 10)
        ]
    },
    "table1": {
        "rows": [
            {"data_set": d, "backbone": b, "method": "noise-free", "accuracy": number(70), "seconds": number(1),
             "paper_accuracy": {"mean": 69.0}, "paper_seconds": None, "epochs": e}
            for d in "AB" for b, e in (("gst", None), ("gin", 20))
        ]
    },
}
SUMMARIES["table2"] = SUMMARIES["table1"]


class Plots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, content):
        (self.folder / f"{name}.json").write_text(json.dumps(content))

    def read(self, name, content):
        self.write(name, content)
        return summaries.read_summary(self.folder, name)

    def run_plot(self, *arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = plot.main(["--results", str(self.folder), "--out", str(self.folder / "figures"), *arguments])
        return code, output.getvalue()

    def legend(self, figure):
        return [text.get_text() for text in figure.legends[0].get_texts()]


class Reading(Plots):
    def test_a_curve_has_what_the_file_says(self):
        (read,) = summaries.removal_curves(self.read("figure5", {"curves": [curve(sampled=True)]}))
        self.assertEqual((read.data_set, read.backbone, read.method, read.splits), ("A", "gst", "release", 3))
        self.assertEqual(read.removed, (0, 5, 10))
        self.assertEqual(read.accuracy.mean, (70.0, 69.0, 68.0))
        self.assertEqual(read.accuracy.stddev, (7.0, 6.9, 6.8))
        self.assertEqual(read.total_retrains, 2.0)
        self.assertFalse(read.time_is_estimated_at(5))
        self.assertTrue(read.time_is_estimated_at(10))

    def test_what_was_done_one_by_one_is_no_estimate(self):
        (read,) = summaries.removal_curves(self.read("figure5", {"curves": [curve()]}))
        self.assertFalse(read.time_is_estimated_at(10))

    def test_a_missing_file_is_nothing(self):
        self.assertIsNone(summaries.read_summary(self.folder, "figure3"))

    def test_a_missing_field_is_named(self):
        broken = curve()
        del broken["seconds"]
        with self.assertRaisesRegex(summaries.SummaryError, "figure3.json: no field 'seconds'"):
            summaries.removal_curves(self.read("figure3", {"curves": [broken]}))

    def test_lists_of_different_lengths_are_refused(self):
        with self.assertRaisesRegex(summaries.SummaryError, "accuracy"):
            summaries.removal_curves(self.read("figure3", {"curves": [curve(accuracy=band([1.0]))]}))

    def test_text_that_is_not_json_is_refused(self):
        (self.folder / "figure3.json").write_text("{")
        with self.assertRaisesRegex(summaries.SummaryError, "not JSON"):
            summaries.read_summary(self.folder, "figure3")

    def test_equal_batches_count_once(self):
        rows = summaries.batch_rows(self.read("batch", SUMMARIES["batch"]))
        self.assertEqual([row.removals for row in rows], [1, 10])

    def test_values_of_a_sweep(self):
        self.assertEqual(plot.sweep_value("epsilon-0.25"), 0.25)
        self.assertEqual(plot.sweep_value("node"), "node")


class Drawing(Plots):
    def test_every_figure_is_drawn(self):
        for name, content in SUMMARIES.items():
            self.write(name, content)
        code, output = self.run_plot()
        self.assertEqual(code, 0, output)
        drawn = {path.name for path in (self.folder / "figures").iterdir()}
        self.assertEqual(drawn, {f"{name}.{suffix}" for name in plot.FIGURES for suffix in ("png", "svg")})

    def test_the_same_data_gives_the_same_svg(self):
        self.write("figure4", SUMMARIES["figure4"])
        drawings = []
        for _ in range(2):
            self.assertEqual(self.run_plot("figure4")[0], 0)
            drawings.append((self.folder / "figures" / "figure4.svg").read_bytes())
        self.assertEqual(*drawings)

    def test_estimates_and_short_training_are_marked(self):
        words = self.legend(plot.figure4(self.read("figure4", SUMMARIES["figure4"])))
        self.assertIn("estimated: mean time × removals", words)
        self.assertIn("GIN, Retrain (50 of the paper's 500 epochs)", words)
        words = self.legend(plot.figure5(self.read("figure5", SUMMARIES["figure5"])))
        self.assertNotIn("estimated: mean time × removals", words)

    def test_curves_and_their_means_are_in_the_axes(self):
        figure = plot.figure5(self.read("figure5", {"curves": [curve()]}))
        lines = [tuple(line.get_ydata()) for line in figure.axes[0].get_lines()]
        self.assertIn((70.0, 69.0, 68.0), lines)
        times = [tuple(line.get_ydata()) for line in figure.axes[1].get_lines()]
        self.assertIn((0.5, 1.0), times)  # no zero on a logarithmic scale
        self.assertEqual(figure.axes[1].get_yscale(), "log")

    def test_nothing_to_draw_is_a_failure(self):
        code, output = self.run_plot()
        self.assertEqual(code, 1)
        self.assertIn("figure3", output)

    def test_a_damaged_summary_is_a_failure(self):
        self.write("figure3", {"curves": [{}]})
        code, output = self.run_plot("figure3")
        self.assertEqual(code, 1)
        self.assertIn("no field", output)

    def test_unknown_figures_are_refused(self):
        with self.assertRaises(SystemExit) as caught:
            self.run_plot("figure7")
        self.assertEqual(caught.exception.code, 2)


def gin_row(data_set, embedding, epochs, fresh=True):
    return {"data_set": data_set, "embedding": embedding, "fresh": fresh, "what": "GIN", "accuracy": number(50.0),
            "epochs": epochs}


def table_row(data_set, epochs):
    return {"data_set": data_set, "backbone": "gin", "accuracy": number(40.0), "epochs": epochs}


class AccuracyTables(unittest.TestCase):
    def document(self, text, networks=()):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name)
        for name in ("accuracy", "accuracy-curves", "accuracy-parts"):
            (path / f"{name}.json").write_text(json.dumps(SUMMARIES[name]), encoding="utf-8")
        (path / "gin").mkdir()
        for name, rows in networks:
            content = {"experiment": "table1" if "table" in name else "accuracy", "rows": rows}
            (path / "gin" / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
        document = path / "accuracy.md"
        document.write_text(text, encoding="utf-8")
        with contextlib.redirect_stderr(io.StringIO()):
            code = accuracy_table.main(["--results", str(path), "--document", str(document)])
        return code, document.read_text(encoding="utf-8")

    def test_tables_stand_between_their_marks_and_twice_is_once(self):
        marks = ("fresh splits", "known splits", "curves", "parts")
        text = "a\n" + "".join(f"<!-- {mark}: begin -->\nold\n<!-- {mark}: end -->\n" for mark in marks) + "z\n"
        code, once = self.document(text)
        self.assertEqual(code, 0)
        recipes = "70.0 ± 0.1 | 70.0 ± 0.1 | - | 70.0 ± 0.1 |"
        self.assertIn("| MNIST, no positions | 82.2 | 78.0 | - | - | " + recipes, once)
        self.assertIn("| A | 60.1 | 61.0 | 68.0 |", once)
        self.assertIn("| A | size -1.0, fourier -1.0 |", once)
        self.assertNotIn("old", once)
        self.assertTrue(once.startswith("a\n") and once.endswith("z\n"))
        self.assertEqual(self.document(once), (0, once))

    def test_networks_stand_beside_recipes_that_see_the_same(self):
        marks = ("fresh splits", "known splits", "gin", "curves", "parts")
        text = "".join(f"<!-- {mark}: begin -->\n<!-- {mark}: end -->\n" for mark in marks)
        networks = [
            ("accuracy-images", [gin_row("MNIST", "gin", 20), gin_row("MNIST", "gin-positions", 500, fresh=False)]),
            ("images-of-a-table", [table_row("MNIST", 20), table_row("NCI1", 500)]),
            ("a-longer-run", [gin_row("NCI1", "gin", 600, fresh=False)]),
        ]
        code, document = self.document(text, networks)
        self.assertEqual(code, 0)
        fresh, known, gin = (document.split(f"<!-- {mark}: begin -->")[1] for mark in marks[:3])
        self.assertIn("| MNIST, no positions | 82.2 | 78.0 | - | 50.0 ± 0.1 (20 epochs) | 70.0", fresh)
        self.assertIn("| MNIST, no positions | 82.2 | 78.0 | - | 40.0 ± 0.1 (20 epochs) | 70.0", known)
        self.assertIn("| MNIST | - | - | 3, 500 epochs | 50.0 ± 0.1 |", gin)
        self.assertIn("| MNIST, no positions | 3, 20 epochs | 50.0 ± 0.1 | 3, 20 epochs | 40.0 ± 0.1 |", gin)
        self.assertIn("| NCI1 | - | - | 3, 600 epochs | 50.0 ± 0.1 |", gin)

    def test_a_document_without_a_place_is_left_as_it_is(self):
        self.assertEqual(self.document("nothing\n"), (1, "nothing\n"))


if __name__ == "__main__":
    unittest.main()
