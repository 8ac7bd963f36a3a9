#!/usr/bin/env bash
# The AVX2 variant of the kernels shares no name with the rest of the program: a shared template compiled for AVX2 could
# be the copy that the linker keeps, and an old processor would stumble over it.
#
#   variants_test.sh LIBRARY
set -euo pipefail
library=$1
mapfile -t objects < <(ar t "$library" | grep 'kernels_avx2')
((${#objects[@]} > 0)) || { echo "there is no AVX2 variant in $library" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && ar x "$library" "${objects[@]}")

# Weak and unique definitions are what the linker merges.
shared() { nm -C "${objects[@]/#/$folder/}" | grep -E ' [WVu] ' | grep -vE 'DW\.ref\.__gxx_personality|'"$1" || true; }
found=$(shared 'Eigen_avx2::')
if [[ -n "$found" ]]; then
  printf 'names shared with other objects:\n%s\n' "$found" >&2
  exit 1
fi
# The check can fail: without the exception there is a lot to find.
[[ -n "$(shared 'no such name')" ]] || { echo "nm shows no templates at all" >&2; exit 1; }
