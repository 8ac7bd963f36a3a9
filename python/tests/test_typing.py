"""Types: the package passes mypy --strict, and the stub names what the compiled module has."""
import ast
import pathlib
import subprocess
import sys

from unscatter import _core

PYTHON = pathlib.Path(__file__).resolve().parents[1]
ROOT = PYTHON.parent


def test_package_and_examples_pass_mypy_strict(tmp_path):
    targets = [PYTHON / "unscatter", *sorted((ROOT / "examples" / "python").glob("*.py"))]
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", "--cache-dir",
               tmp_path, *targets]
    environment = {"MYPYPATH": str(PYTHON), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def names_of(body):
    """What a module or a class of the stub declares: functions, classes, properties, variables."""
    names = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def test_the_stub_names_what_the_module_has():
    tree = ast.parse((PYTHON / "unscatter" / "_core.pyi").read_text(encoding="utf-8"))
    special = {"__version__"}
    public = {name for name in vars(_core) if not name.startswith("_")} | special
    assert {name for name in names_of(tree.body) if not name.startswith("_") or name in special} == public
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not issubclass(getattr(_core, node.name), BaseException):
            # _html.attach() adds pictures, which no caller names.
            there = {name for name in vars(getattr(_core, node.name)) if not name.startswith("_")}
            declared = {name for name in names_of(node.body) if not name.startswith("_")}
            assert declared == there, node.name
