"""Runs the tests of the Python package.

    run.py [--package BUILD/python] --program BUILD/apps/unscatter/unscatter [--helpers BUILD/python/helpers]
           [pytest's own arguments]

Without --package they run against the package that is installed.  Without --helpers, the C++ programs of the tests,
those that need them are skipped.

Without the packages that the tests need, it says so and is counted as skipped.
"""
import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys

NEEDED = ("numpy", "scipy", "sklearn", "networkx", "matplotlib", "pytest", "hypothesis", "mypy")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--package", help="the folder that holds unscatter/")
    parser.add_argument("--program", required=True, help="the command-line program")
    parser.add_argument("--helpers", help="the folder of the C++ programs that the tests need")
    arguments, others = parser.parse_known_args()
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (scripts/setup.sh python)")
        return 0
    # A prefix of the machine's own Python would bring packages of another version.
    environment = {**os.environ, "UNSCATTER_PROGRAM": str(pathlib.Path(arguments.program).resolve()),
                   "PYTHONDONTWRITEBYTECODE": "1"}
    # Real data sets, where they lie beside the tree as for the other tests.
    data = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"
    if data.is_dir():
        environment.setdefault("UNSCATTER_DATA", str(data))
    for name in ("PYTHONHOME", "PYTHONPATH"):
        environment.pop(name, None)
    if arguments.helpers:
        environment["UNSCATTER_TEST_HELPERS"] = str(pathlib.Path(arguments.helpers).resolve())
    if arguments.package:
        environment["PYTHONPATH"] = str(pathlib.Path(arguments.package).resolve())
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(pathlib.Path(__file__).parent)]
    return subprocess.run(command + others, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
