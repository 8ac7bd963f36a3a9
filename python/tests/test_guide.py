"""docs/python.md: every snippet runs, in order, in one namespace.  The examples run as well."""
import os
import pathlib
import re
import runpy
import subprocess
import sys

import pytest

import unscatter

ROOT = pathlib.Path(__file__).resolve().parents[2]


def snippets():
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)


def test_every_snippet_of_the_guide_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = snippets()
    assert len(found) > 10
    names = {"__name__": "guide"}
    for number, code in enumerate(found):
        exec(compile(code, f"docs/python.md, snippet {number}", "exec"), names)


def test_the_guide_says_where_every_command_is(program):
    """A command that is added and forgotten here fails this test."""
    told = subprocess.run([os.environ["UNSCATTER_PROGRAM"], "--help"], capture_output=True, text=True, check=True)
    listed = told.stdout.split("Subcommands:")[1].split("Examples:")[0]
    commands = set(re.findall(r"^  ([a-z]+) ", listed, re.M))
    assert len(commands) > 25
    text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8").split("## Beside the command line")[1]
    named = {name.split()[0] for name in re.findall(r"`([^`]*)`", text.split("\n## ")[0]) if name}
    assert commands - named == set()


@pytest.mark.parametrize("example", ["forget_a_user", "frozen_network", "superpixels"])
def test_an_example_draws_its_picture(example, tmp_path, monkeypatch, recwarn):
    if example == "frozen_network":
        pytest.importorskip("torch", reason="torch is not installed (scripts/setup.sh torch)")
    if example == "superpixels":
        try:
            unscatter._core.find_dataset("MNIST")
        except unscatter.NotFound:
            pytest.skip("the data set MNIST is not here")
    picture = tmp_path / "picture.png"
    monkeypatch.setattr(sys, "argv", [example, str(picture)])
    runpy.run_path(str(ROOT / "examples" / "python" / f"{example}.py"), run_name="__main__")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_demo_runs(capsys):
    unscatter.demo()
    assert "certified" in capsys.readouterr().out


def test_pictures_of_notebooks(groups, tmp_path):
    model = unscatter.ForgettingClassifier().fit(groups)
    certificate = model.forget(graph=0)
    with unscatter.Workspace.create(tmp_path / "w", groups[:20]) as workspace:
        shown = [groups, groups[1], certificate, certificate.promise, model.exposure_, workspace, workspace.ledger]
        for what in shown:
            assert what._repr_html_().startswith("<table>")
    # Names of nodes and files are text, whoever chose them.
    named = unscatter.GraphDataset([groups[0]], ["<b>"], name="<script>")
    assert "<script>" not in named._repr_html_() and "<b>" not in named._repr_html_()
