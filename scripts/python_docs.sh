#!/usr/bin/env bash
# Makes the API reference of the Python package from its docstrings, by Sphinx.  A warning is an error.
#
#   scripts/python_docs.sh [FOLDER]      (default: build/python-docs)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly target=${1:-build/python-docs}
readonly folder=build/release
if [[ ! -f $folder/build.ninja ]]; then
  read -ra cmake_args <<< "${CMAKE_ARGS:-}"
  scripts/quietly.sh "$folder/configure.log" cmake --preset release -DUNSCATTER_BUILD_TESTS=OFF \
    -DUNSCATTER_BUILD_BENCH=OFF "${cmake_args[@]}"
fi
scripts/quietly.sh "$folder/build.log" cmake --build "$folder" --target unscatter_python
PYTHONPATH=$folder/python /usr/bin/python3 -B -m sphinx -q -W --keep-going -b html -d "$target/doctrees" \
  python/docs "$target/html"
echo "$target/html/index.html"
