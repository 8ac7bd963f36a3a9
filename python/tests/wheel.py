"""Builds the wheel, installs it into a clean virtual environment, and runs the tests of the package there.

    wheel.py --program BUILD/apps/unscatter/unscatter --folder FOLDER [--build BUILD] [--helpers BUILD/python/helpers]

With --build, the extension is that of this build folder; without, it is compiled as `make python` does it.  The
environment takes NumPy and the other packages from Debian, and unscatter from the wheel alone.  Nothing is
downloaded.  Without the packages that this needs, it says so and is counted as skipped.
"""
import argparse
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEEDED = ("pip", "setuptools", "wheel", "pybind11", "ensurepip")


def run(*command, **how):
    return subprocess.run([str(part) for part in command], check=True, **how)


def clean_environment():
    """What another Python of the machine set does not concern this one."""
    dropped = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in dropped}


def check_contents(wheel):
    """All files of the package and the extension, and nothing that an earlier build left behind."""
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("unscatter/")}
    extension = {name for name in packed if name.startswith("unscatter/_core.") and name.endswith(".so")}
    source = ROOT / "python" / "unscatter"
    wanted = {f"unscatter/{path.name}" for path in source.iterdir() if path.suffix in (".py", ".pyi", ".typed")}
    wanted.add("unscatter/py.typed")
    assert len(extension) == 1 and packed - extension == wanted, packed ^ wanted


def build_wheel(folder, environment):
    # setuptools would pack files of an earlier build that are gone by now.
    for left in (ROOT / "build").glob("lib.*"):
        shutil.rmtree(left)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--no-index",
        "--wheel-dir", folder, ROOT, env=environment)
    wheels = list(folder.glob("unscatter-*.whl"))
    assert len(wheels) == 1, wheels
    check_contents(wheels[0])
    return wheels[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True, help="the command-line program")
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="where wheel and environment are made")
    parser.add_argument("--build", type=pathlib.Path, help="a build folder that is configured already")
    parser.add_argument("--helpers", help="as run.py has it")
    arguments = parser.parse_args()
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (scripts/setup.sh python)")
        return 0
    shutil.rmtree(arguments.folder, ignore_errors=True)
    arguments.folder.mkdir(parents=True)
    environment = clean_environment()
    if arguments.build:
        environment["UNSCATTER_BUILD_FOLDER"] = str(arguments.build.resolve())
    wheel = build_wheel(arguments.folder, environment)
    home = arguments.folder / "environment"
    venv.create(home, system_site_packages=True, with_pip=True)
    python = home / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel, env=environment)
    found = run(python, "-c", "import unscatter; print(unscatter.__file__)", env=environment, cwd=home,
                stdout=subprocess.PIPE, text=True).stdout.strip()
    assert pathlib.Path(found).is_relative_to(home), f"{found} is not of the wheel"
    run(python, "-c", "import unscatter; unscatter.demo()", env=environment, cwd=home)
    helpers = ("--helpers", arguments.helpers) if arguments.helpers else ()
    return run(python, "-B", ROOT / "python" / "tests" / "run.py", "--program", arguments.program, *helpers,
               env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
