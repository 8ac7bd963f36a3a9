#!/usr/bin/env bash
# check_references_test.sh CHECK_REFERENCES: a reference without an entry is found, and one with an entry is not.
set -euo pipefail
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

mkdir -p "$tree/src"
echo '// As in [Known20, Thm. 3] and [Known20].' > "$tree/src/a.cc"
echo '* **[Known20]** Somebody, "Something", 2020.' > "$tree/REFERENCES.md"
"$check" "$tree"

echo '// As in [Missing21a, Sec. 2].' > "$tree/src/b.cc"
if output=$("$check" "$tree" 2>&1); then
  echo "a reference without an entry was not found" >&2
  exit 1
fi
[[ $output == *"no entry for [Missing21a]"*"src/b.cc"* && $output != *Known20* ]] || {
  echo "unexpected: $output" >&2
  exit 1
}
