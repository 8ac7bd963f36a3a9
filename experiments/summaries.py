"""Reads what `unscatter experiment` leaves: OUT/figure3.json and the like.

Only the fields that are drawn are looked at.  A summary that is not there is None.  A summary that lacks a field is an
error that names the field.
"""

import json
from dataclasses import dataclass
from pathlib import Path


class SummaryError(Exception):
    """A file that is there and not what it should be."""


@dataclass(frozen=True)
class Band:
    """Means over splits, and one standard deviation, place by place.  None where nothing was measured."""

    mean: tuple
    stddev: tuple


@dataclass(frozen=True)
class Curve:
    """One method along a sequence of removals."""

    data_set: str
    backbone: str
    method: str
    variant: str
    splits: int
    removals: int
    removed: tuple  # the places where it was looked at
    accuracy: Band  # percent
    seconds: Band  # cumulated
    retrains: Band  # at the places; total_retrains is the whole
    total_retrains: float
    single_removals: int  # done one by one; the time beyond is an estimate where `sampled`
    updates: int  # that were timed; fewer than removals where `sampled`
    sampled: bool
    epochs: int = None  # of GIN

    def time_is_estimated_at(self, removed):
        return self.sampled and removed > self.single_removals


@dataclass(frozen=True)
class ResidualSeries:
    """Bounds on the residual and the residual itself, removal by removal."""

    data_set: str
    splits: int
    residual: Band
    step: dict  # "worst", "data", "tight" -> Band, for one update
    cumulated: dict  # the same, added up over all updates so far


@dataclass(frozen=True)
class BatchRow:
    """One update for many removals; numbers are (mean, stddev)."""

    data_set: str
    removals: int
    seconds: tuple
    newton_steps: tuple
    accuracy: tuple


@dataclass(frozen=True)
class TableRow:
    """One entry of table 1 and 2; numbers are (mean, stddev), the paper's None where it has none."""

    data_set: str
    backbone: str
    method: str
    accuracy: tuple
    seconds: tuple
    paper_accuracy: tuple
    paper_seconds: tuple
    epochs: int = None  # of GIN


BOUNDS = ("worst", "data", "tight")


@dataclass(frozen=True)
class AccuracyRow:
    """A number of the experiment on accuracy."""

    data_set: str
    embedding: str  # "gst", "auto" or "drawing"; "gin" or "gin-positions", a network
    fresh: bool
    what: str
    accuracy: tuple  # mean and standard deviation
    splits: int
    epochs: int = None  # of GIN


@dataclass(frozen=True)
class PartRow:
    """What leaving out a part changes."""

    data_set: str
    left_out: str
    change: tuple
    splits: int


class _Reader:
    """Fields of one summary, with the file's name in every complaint."""

    def __init__(self, path, content):
        self.path = path
        self.content = content

    def entries(self, field):
        entries = self.get(self.content, field)
        if not isinstance(entries, list):
            raise SummaryError(f"{self.path}: '{field}' is not a list")
        return entries

    def get(self, entry, field):
        try:
            return entry[field]
        except (KeyError, TypeError):
            raise SummaryError(f"{self.path}: no field '{field}'") from None

    def band(self, entry, field, length=None):
        both = self.get(entry, field)
        band = Band(tuple(self.get(both, "mean")), tuple(self.get(both, "stddev")))
        if len(band.mean) != len(band.stddev) or (length is not None and len(band.mean) != length):
            raise SummaryError(f"{self.path}: '{field}' has lists of different lengths")
        return band

    def spread(self, entry, field):
        both = self.get(entry, field)
        if both is None:
            return None
        return (self.get(both, "mean"), both.get("stddev"))


def read_summary(folder, name):
    """The summary NAME.json of `folder`, or None."""
    path = Path(folder) / f"{name}.json"
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise SummaryError(f"{path}: not JSON: {error}") from None
    return _Reader(path, content)


def removal_curves(summary):
    curves = []
    for entry in summary.entries("curves"):
        get = lambda field, entry=entry: summary.get(entry, field)  # noqa: E731
        removed = tuple(get("removed"))
        bands = {field: summary.band(entry, field, len(removed)) for field in ("accuracy", "seconds", "retrains")}
        curves.append(
            Curve(
                data_set=get("data_set"),
                backbone=get("backbone"),
                method=get("method"),
                variant=get("variant"),
                splits=get("splits"),
                removals=get("removals"),
                removed=removed,
                total_retrains=summary.get(get("total_retrains"), "mean"),
                single_removals=get("single_removals"),
                updates=get("updates"),
                sampled=get("sampled"),
                epochs=entry.get("epochs"),
                **bands,
            )
        )
    return curves


def residual_series(summary):
    series = []
    for entry in summary.entries("series"):
        bands = {
            kind: {bound: summary.band(summary.get(entry, kind), bound) for bound in BOUNDS}
            for kind in ("step", "cumulated")
        }
        series.append(
            ResidualSeries(
                data_set=summary.get(entry, "data_set"),
                splits=summary.get(entry, "splits"),
                residual=summary.band(entry, "residual"),
                **bands,
            )
        )
    return series


def batch_rows(summary):
    """Batches larger than the training data end up with the same removals, of which one is enough."""
    rows = [
        BatchRow(
            data_set=summary.get(entry, "data_set"),
            removals=summary.get(entry, "removals"),
            seconds=summary.spread(entry, "seconds"),
            newton_steps=summary.spread(entry, "newton_steps"),
            accuracy=summary.spread(entry, "accuracy"),
        )
        for entry in summary.entries("rows")
    ]
    return list({(row.data_set, row.removals): row for row in rows}.values())


def table_rows(summary):
    return [
        TableRow(
            data_set=summary.get(entry, "data_set"),
            backbone=summary.get(entry, "backbone"),
            method=summary.get(entry, "method"),
            accuracy=summary.spread(entry, "accuracy"),
            seconds=summary.spread(entry, "seconds"),
            paper_accuracy=summary.spread(entry, "paper_accuracy"),
            paper_seconds=summary.spread(entry, "paper_seconds"),
            epochs=entry.get("epochs"),
        )
        for entry in summary.entries("rows")
    ]


def accuracy_rows(summary):
    return [
        AccuracyRow(
            data_set=summary.get(entry, "data_set"),
            embedding=summary.get(entry, "embedding"),
            fresh=summary.get(entry, "fresh"),
            what=summary.get(entry, "what"),
            accuracy=summary.spread(entry, "accuracy"),
            splits=summary.get(summary.get(entry, "accuracy"), "splits"),
            epochs=entry.get("epochs"),
        )
        for entry in summary.entries("rows")
    ]


def gin_rows_of_table(summary):
    """What tables 1 and 2 have of GIN, as rows of the experiment on accuracy: its known splits are theirs."""
    return [
        AccuracyRow(
            data_set=summary.get(entry, "data_set"),
            embedding="gin",
            fresh=False,
            what="GIN",
            accuracy=summary.spread(entry, "accuracy"),
            splits=summary.get(summary.get(entry, "accuracy"), "splits"),
            epochs=summary.get(entry, "epochs"),
        )
        for entry in summary.entries("rows")
        if summary.get(entry, "backbone") == "gin"
    ]


def learning_curves(summary):
    """Data set -> (shares in per cent, band of accuracies)."""
    curves = {}
    for entry in summary.entries("rows"):
        share = 100 * summary.get(entry, "share")
        curves.setdefault(summary.get(entry, "data_set"), []).append((share, *summary.spread(entry, "noisy_accuracy")))
    return {
        data_set: (tuple(p[0] for p in points), Band(tuple(p[1] for p in points), tuple(p[2] for p in points)))
        for data_set, points in curves.items()
    }


def part_rows(summary):
    return [
        PartRow(
            data_set=summary.get(entry, "data_set"),
            left_out=summary.get(entry, "left_out"),
            change=summary.spread(entry, "change"),
            splits=summary.get(summary.get(entry, "change"), "splits"),
        )
        for entry in summary.entries("rows")
    ]


def in_order(values):
    """Distinct values in the order in which they come."""
    return list(dict.fromkeys(values))
