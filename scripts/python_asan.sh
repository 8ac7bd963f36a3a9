#!/usr/bin/env bash
# Runs the tests of the Python package with the whole library and the binding under AddressSanitizer.
#
#   scripts/python_asan.sh [PYTEST_ARGUMENT...]
#
# Python itself is not instrumented.  So the sanitizer is loaded before it, together with the C++ library whose
# exceptions it watches.  Leaks of the interpreter are not looked for; python/bench/leak.py looks for ours.  The program
# that the tests compare with is of the same build: other optimisations may change last digits.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly folder=build/asan
scripts/quietly.sh "$folder/configure.log" cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=None \
  -DCMAKE_CXX_FLAGS="-O1 -g1" -DUNSCATTER_SANITIZE=address -DUNSCATTER_UNITY=ON -DUNSCATTER_BUILD_PYTHON=ON \
  -DUNSCATTER_BUILD_TESTS=OFF -DUNSCATTER_BUILD_APPS=ON -DUNSCATTER_BUILD_LABORATORY=OFF -DUNSCATTER_BUILD_BENCH=OFF
scripts/quietly.sh "$folder/build.log" cmake --build "$folder" --target unscatter_python unscatter_cli \
  unscatter_python_helpers
runtime=$(g++ -print-file-name=libasan.so)
extension=$(echo "$folder"/python/unscatter/_core*.so)
# A build that lost its instrumentation would pass every time.  nm ends early otherwise, so no grep -q.
if [[ $(nm -D "$extension" | grep -c __asan_) -eq 0 ]]; then
  echo "python_asan: $extension is not instrumented" >&2
  exit 1
fi
# An error ends the process at once.  UNSCATTER_SANITIZED tells tests about memory that the sanitizer's is not theirs.
exec env LD_PRELOAD="$runtime $(g++ -print-file-name=libstdc++.so)" UNSCATTER_SANITIZED=1 \
  ASAN_OPTIONS=detect_leaks=0:abort_on_error=1:strict_string_checks=1 \
  /usr/bin/python3 -B python/tests/run.py --package "$folder/python" \
  --program "$folder/apps/unscatter/unscatter" --helpers "$folder/python/helpers" "$@"
