#!/usr/bin/env bash
# run_install_test.sh CMAKE SOURCE BUILD COMPILER GENERATOR
#
# Installs BUILD into a temporary folder, builds the consumer project against that folder alone, runs it, checks what it says.
set -euo pipefail
cmake=$1
source=$2
build=$3
compiler=$4
generator=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset CMAKE_PREFIX_PATH unscatter_DIR unscatter_ROOT

fail() {
  echo "install test: $*" >&2
  exit 1
}

"$cmake" --install "$build" --prefix "$work/prefix" > "$work/install.log" || fail "$(cat "$work/install.log")"
# Installed files that still point at this tree would break on every other machine.
if grep -rlF -e "$source" -e "$build" "$work/prefix" --include='*.cmake' --include='*.h'; then
  fail "the files above name the source or build folder"
fi

"$cmake" -S "$source/tests/install/consumer" -B "$work/build" -G "$generator" "-DCMAKE_CXX_COMPILER=$compiler" \
  "-DCMAKE_PREFIX_PATH=$work/prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
grep -q "^unscatter_DIR:PATH=$work/prefix/" "$work/build/CMakeCache.txt" || fail "another installation was found"
"$cmake" --build "$work/build"

output=$("$work/build/consumer")
echo "$output"
[[ $output =~ ^before:\ ([0-9.]+)\ after:\ ([0-9.]+)$ ]] || fail "the consumer printed something else"
[[ ${BASH_REMATCH[1]} != "${BASH_REMATCH[2]}" ]] || fail "removing a node changed nothing"
