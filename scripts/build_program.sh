#!/usr/bin/env bash
# Builds the command-line program and the laboratory that it starts.  They need no test or benchmark library.
#
#   scripts/build_program.sh [PRESET]      (default: release)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly preset=${1:-release}
readonly folder=build/$preset
mkdir -p "$folder"
# A tree that is configured already, for instance with its tests, is used as it is.
if [[ ! -f $folder/build.ninja ]]; then
  read -ra cmake_args <<< "${CMAKE_ARGS:-}"
  cmake --preset "$preset" -DUNSCATTER_BUILD_TESTS=OFF -DUNSCATTER_BUILD_BENCH=OFF "${cmake_args[@]}" \
    > "$folder/configure.log" 2>&1 || {
    cat "$folder/configure.log" >&2
    exit 1
  }
fi
echo "Building the program (a few minutes the first time) ..."
cmake --build "$folder" --target unscatter_programs > "$folder/build.log" 2>&1 || {
  cat "$folder/build.log" >&2
  exit 1
}
