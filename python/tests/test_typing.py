"""Types: the package passes mypy --strict, and the stub names what the compiled module has."""
import ast
import pathlib
import re
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


def parameters_of(signature):
    """Names in what pybind11 writes above a docstring: "f(self: X, a: Tuple[int, str], b: int = 0) -> Y"."""
    inner = signature[signature.index("(") + 1:signature.rindex(") ->")]
    while re.search(r"\[[^\[\]]*\]", inner):
        inner = re.sub(r"\[[^\[\]]*\]", "", inner)
    return [part.split(":")[0].strip() for part in inner.split(", ") if part and not part.startswith("self:")]


def compiled_functions():
    """(name in the stub, node of the stub, what the module says): of functions and methods that are compiled."""
    tree = ast.parse((PYTHON / "unscatter" / "_core.pyi").read_text(encoding="utf-8"))
    scopes = [("", _core, tree.body)]
    scopes += [(node.name + ".", getattr(_core, node.name), node.body) for node in tree.body
               if isinstance(node, ast.ClassDef)]
    for prefix, where, body in scopes:
        for node in body:
            is_property = isinstance(node, ast.FunctionDef) and any(
                isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list)
            if not isinstance(node, ast.FunctionDef) or is_property:
                continue
            text = getattr(where, node.name).__doc__ or ""
            if text.startswith(f"{node.name}("):
                yield prefix + node.name, node, text.splitlines()[0]


def test_the_stub_has_the_arguments_of_the_module():
    seen = 0
    for name, node, signature in compiled_functions():
        seen += 1
        declared = [argument.arg for argument in node.args.args if argument.arg != "self"]
        there = parameters_of(signature)
        # An argument of the module without a name is arg0, arg1 or so on; then the number tells.
        assert len(declared) == len(there), name
        for one, other in zip(declared, there):
            assert re.fullmatch(r"arg\d+", other) or one == other, name
    assert seen > 80
