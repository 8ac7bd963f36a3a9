"""The measurement of the boundary says which limit is missed, and fails."""
import importlib.util
import pathlib

import pytest

PATH = pathlib.Path(__file__).resolve().parents[1] / "bench" / "boundary.py"


@pytest.fixture()
def boundary(monkeypatch):
    specification = importlib.util.spec_from_file_location("boundary", PATH)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    monkeypatch.setattr("sys.argv", ["boundary.py", "/nowhere/unscatter_boundary"])
    return module


FIGURES = {"conversions": [("convert", -500.0, 0, "ms")], "removals": [("forget", 12.0, 30, "us")],
           "embeddings": [("embed", -1.0, 3, "%"), ("embed into a matrix", 2.5, 3, "%")]}


@pytest.mark.parametrize("slow", [None, ("conversions", 0, 1.0), ("removals", 0, 30.1), ("embeddings", 0, 3.1),
                                  ("embeddings", 1, 3.1)])
def test_a_limit_that_is_missed_fails(boundary, slow, monkeypatch, capsys):
    for name, figures in FIGURES.items():
        made = [boundary.Figure(what, "told", slow[2] if slow and slow[:2] == (name, place) else value, limit, unit)
                for place, (what, value, limit, unit) in enumerate(figures)]
        monkeypatch.setattr(boundary, name, lambda *_, made=made: made)
    assert boundary.main() == (0 if slow is None else 1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 and all("wanted:" in line for line in lines)
    assert sum("MISSED" in line for line in lines) == (0 if slow is None else 1)


def test_the_limits_are_those_that_were_promised(boundary):
    assert (boundary.MOST_MICROSECONDS, boundary.MOST_PER_CENT, boundary.GRAPHS) == (30, 3, 55000)
