#!/usr/bin/env bash
# run_install_test.sh CMAKE SOURCE BUILD COMPILER GENERATOR HAS_PROGRAM
#
# Installs BUILD into a temporary folder, looks at what is there, builds the consumer project against that folder alone,
# runs it, checks what it says.
set -euo pipefail
cmake=$1
source=$2
build=$3
compiler=$4
generator=$5
has_program=$6
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

# The public headers, and nothing beside them.
diff <(cd "$source/include" && find . -type f | sort) <(cd "$work/prefix/include" && find . -type f | sort) ||
  fail "the installed headers (>) are not the public ones (<)"
# One library per module of the product, and the one program.  What the laboratory has stays in the sources.
for folder in "$source"/src/*/; do
  module=$(basename "$folder")
  library=$(find "$work/prefix" -name "libunscatter_$module.*")
  if grep -q '^unscatter_add_module(.* LABORATORY' "$folder/CMakeLists.txt"; then
    [[ -z $library ]] || fail "$library is part of the laboratory"
  elif grep -q '^unscatter_add_module(.* PROGRAM' "$folder/CMakeLists.txt"; then
    [[ -z $library ]] || fail "$library is a part of the program alone"
  else
    [[ -n $library ]] || fail "there is no library of the module $module"
  fi
done
if grep -rlE -e 'unscatter(_|::)(experiment|reembedding|laboratory|bench)' "$work/prefix" --include='*.cmake'; then
  fail "the files above name the laboratory"
fi

# Units and settings are for packages: they lie outside of the prefix.
system=$(find "$work/prefix" -name '*.service' -o -name '*.conf')
[[ -z $system ]] || fail "does not belong into a prefix: $system"

# The program is alone, and answers the commands of the laboratory, which it does not have.
if [[ $has_program == ON ]]; then
  programs=$(find "$work/prefix/bin" -mindepth 1 -printf '%f ')
  [[ $programs == "unscatter " ]] || fail "bin has $programs"
  program=$work/prefix/bin/unscatter
  for command in experiment bench; do
    status=0
    said=$("$program" "$command" --list 2>&1) || status=$?
    [[ $status -eq 1 && $said == "unscatter: '$command' is a command of the laboratory, which is not installed;"* ]] ||
      fail "unscatter $command: exit code $status, '$said'"
  done
  ! "$program" --help | grep -E '^  (experiment|bench) ' || fail "--help names commands of the laboratory"
fi

"$cmake" -S "$source/tests/install/consumer" -B "$work/build" -G "$generator" "-DCMAKE_CXX_COMPILER=$compiler" \
  "-DCMAKE_PREFIX_PATH=$work/prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
grep -q "^unscatter_DIR:PATH=$work/prefix/" "$work/build/CMakeCache.txt" || fail "another installation was found"
"$cmake" --build "$work/build"

output=$("$work/build/consumer")
echo "$output"
[[ $output =~ ^before:\ ([0-9.]+)\ after:\ ([0-9.]+)$ ]] || fail "the consumer printed something else"
[[ ${BASH_REMATCH[1]} != "${BASH_REMATCH[2]}" ]] || fail "removing a node changed nothing"
