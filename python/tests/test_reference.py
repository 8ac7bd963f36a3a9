"""The reference: Sphinx makes it without a warning, every public name is in it, and examples of docstrings run."""
import doctest
import inspect
import os
import pathlib
import pkgutil
import subprocess
import sys

import pytest

import unscatter
from unscatter import plot

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "docs"


def public_members():
    """Full names of everything that users can name: functions, classes, and what classes of their own declare."""
    for module, prefix in ((unscatter, "unscatter"), (plot, "unscatter.plot")):
        for name in module.__all__:
            if name.startswith("__"):
                continue
            what = getattr(module, name)
            yield f"{prefix}.{name}"
            if not inspect.isclass(what) or issubclass(what, BaseException):
                continue
            for member, value in vars(what).items():
                shown = callable(value) or isinstance(value, (property, classmethod, staticmethod))
                if shown and not member.startswith("_"):
                    yield f"{prefix}.{name}.{member}"


def build(source, target):
    command = [sys.executable, "-B", "-m", "sphinx", "-q", "-W", "--keep-going", "-E", "-b", "html", "-d",
               target / "doctrees", source, target / "html"]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    """Names that the finished reference lists."""
    pytest.importorskip("sphinx", reason="Sphinx is not installed (scripts/setup.sh python)")
    from sphinx.util.inventory import InventoryFile

    target = tmp_path_factory.mktemp("reference")
    done = build(SOURCE, target)
    assert done.returncode == 0, done.stdout + done.stderr
    with open(target / "html" / "objects.inv", "rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, name: name)
    return {name for kind, found in inventory.items() if kind.startswith("py:") for name in found}


def test_every_public_name_is_in_the_reference(names):
    wanted = set(public_members())
    assert len(wanted) > 150
    assert wanted - names == set()


def test_a_name_that_does_not_exist_fails_the_build(tmp_path):
    """The check can fail: a reference to nothing is a warning, and a warning is an error."""
    pytest.importorskip("sphinx")
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "conf.py").write_text((SOURCE / "conf.py").read_text(encoding="utf-8"))
    (tmp_path / "source" / "index.rst").write_text("Planted\n=======\n\n.. autofunction:: unscatter.nonsense\n")
    done = build(tmp_path / "source", tmp_path / "target")
    assert done.returncode != 0 and "nonsense" in done.stderr


def explanation(name):
    """The docstring of a public name, without the signature that pybind11 writes above it."""
    what = unscatter
    for part in name.split(".")[1:]:
        what = inspect.getattr_static(what, part) if inspect.isclass(what) else getattr(what, part)
    what = what.__func__ if isinstance(what, (classmethod, staticmethod)) else what
    lines = (what.__doc__ or "").splitlines()
    return [line for line in lines if line.strip() and not line.startswith(f"{name.split('.')[-1]}(")]


def test_every_public_name_says_what_it_is():
    assert [name for name in public_members() if not explanation(name)] == []


def modules():
    names = [f"unscatter.{info.name}" for info in pkgutil.iter_modules(unscatter.__path__)]
    return [unscatter, *(sys.modules[name] for name in names if name in sys.modules), plot]


def test_examples_of_docstrings_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    attempted = 0
    for module in modules():
        result = doctest.testmod(module)
        attempted += result.attempted
        assert result.failed == 0, module.__name__
    # Examples in lines that doctest does not find would be examples that nobody runs.
    sources = pathlib.Path(unscatter.__file__).parent.glob("*.py")
    assert attempted == sum(line.strip().startswith(">>> ") for source in sources
                            for line in source.read_text(encoding="utf-8").splitlines()) > 20
