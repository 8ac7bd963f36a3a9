"""Builds the extension of the Python package by CMake.  pyproject.toml says the rest."""
import os
import pathlib
import re
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    """The one that CMakeLists.txt states."""
    return re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


class CMakeBuild(build_ext):
    """The library and the extension, and nothing else of the tree.

    UNSCATTER_BUILD_FOLDER names a build folder that is configured already: what it has is not compiled again.
    """

    def build_extension(self, ext):
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        given = os.environ.get("UNSCATTER_BUILD_FOLDER")
        folder = pathlib.Path(given or pathlib.Path(self.build_temp) / "cmake").resolve()
        if not given:
            self.configure(folder)
        subprocess.run(["cmake", "--build", folder, "--target", "unscatter_python"], check=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        built = next((folder / "python" / "unscatter").glob("_core*.so"))
        self.copy_file(str(built), str(target))

    @staticmethod
    def configure(folder):
        choices = {"BUILD_PYTHON": "ON", "UNITY": "ON", "BUILD_APPS": "OFF", "BUILD_LABORATORY": "OFF",
                   "BUILD_TESTS": "OFF", "BUILD_BENCH": "OFF", "PYTHON": sys.executable}
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
                       + [f"-DUNSCATTER_{name}={value}" for name, value in choices.items()]
                       + os.environ.get("CMAKE_ARGS", "").split(), check=True)


setup(version=version(), ext_modules=[Extension("unscatter._core", sources=[])], cmdclass={"build_ext": CMakeBuild})
