#!/usr/bin/env bash
# Builds the command-line program and the laboratory that it starts.  They need no test or benchmark library.
#
#   scripts/build_program.sh [PRESET]      (default: release)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly preset=${1:-release}
readonly folder=build/$preset
# A tree that is configured already, for instance with its tests, is used as it is.
if [[ ! -f $folder/build.ninja ]]; then
  read -ra cmake_args <<< "${CMAKE_ARGS:-}"
  scripts/quietly.sh "$folder/configure.log" cmake --preset "$preset" -DUNSCATTER_BUILD_TESTS=OFF \
    -DUNSCATTER_BUILD_BENCH=OFF "${cmake_args[@]}"
fi
echo "Building the program (a few minutes the first time) ..."
scripts/quietly.sh "$folder/build.log" cmake --build "$folder" --target unscatter_programs
