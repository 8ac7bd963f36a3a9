#!/usr/bin/env bash
# house_figures_test.sh HOUSE_FIGURES TREE: the tree keeps its limits, and faults that are planted in a small tree are
# found.
set -euo pipefail
figures=$1
tree=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "house_figures_test: $*" >&2
  exit 1
}

"$figures" --check "$tree" || fail "the tree exceeds a limit"

git init --quiet "$work"
mkdir -p "$work/include/unscatter" "$work/src"
echo '#pragma once' > "$work/include/unscatter/unscatter.h"
printf 'struct One {};\n' > "$work/src/one.h"
rung() {
  # rung TYPES FILES: a CONTRIBUTING.md with these two lists.
  printf '<!-- types of a rung: begin -->\n%s\n<!-- types of a rung: end -->\n' "$1" > "$work/CONTRIBUTING.md"
  printf '<!-- files of a rung: begin -->\n%s\n<!-- files of a rung: end -->\n' "$2" >> "$work/CONTRIBUTING.md"
}
# check: what it says about the small tree, all of which is tracked.
check() {
  git -C "$work" add --all
  "$figures" --check "$work"
}
rung '`One`' '1. `src/one.h`'
check || fail "a tree without a fault was refused"

expect_fault() {
  local output
  if output=$(check 2>&1); then fail "not found: $1"; fi
  grep -q "$1" <<< "$output" || fail "expected '$1', got: $output"
}
printf '// %0120d\n' 0 > "$work/src/long.cc"
expect_fault 'src/long.cc:1'
rm "$work/src/long.cc"
rung '`Two`' '1. `src/one.h`'
expect_fault 'Two'
rung '`One`' '1. `src/two.h`'
expect_fault 'src/two.h'

# Through the umbrella a program reaches the headers whose names it uses, and what those include.
mkdir "$work/examples"
printf '#include "unscatter/unscatter.h"\nint main() { return used(); }\n' > "$work/examples/program.cc"
printf '#include "unscatter/below.h"\n[[nodiscard]] int used();\n' > "$work/include/unscatter/used.h"
printf 'int below();\n' > "$work/include/unscatter/below.h"
printf '// used()\nint unused();\n' > "$work/include/unscatter/unused.h"
rung '`One`' '1. `src/one.h`'
check || fail "more headers are no fault"
printed=$("$figures" "$work")
grep -qE '^ +not reachable from what programs use +1 +unused\.h$' <<< "$printed" || fail "$printed"

# What is not tracked does not count.
printf '// %0120d\n' 0 > "$work/src/untracked.cc"
"$figures" --check "$work" || fail "a file that is not tracked was looked at"
