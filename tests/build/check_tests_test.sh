#!/usr/bin/env bash
# check_tests_test.sh CHECK_TESTS: sources without a test are found, and so are lines of the list that are wrong.
set -euo pipefail
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# A tree in which all is well: a test, a test one folder further down, a test in a folder above, and a reason.
fresh_tree() {
  rm -rf "$tree/src" "$tree/tests"
  mkdir -p "$tree"/{src,tests}/{m,m/deep,other}
  touch "$tree"/src/m/{tested,moved,listed}.cc "$tree/src/m/deep/above.cc" "$tree/src/other/tested.cc"
  touch "$tree"/tests/m/{tested_test,above_test,deep/moved_test}.cc "$tree/tests/other/tested_test.cc"
  printf '%s\n' '# Why not.' 'src/m/listed.cc  The test of `tested` covers it.' > "$tree/tests/untested.txt"
}

# expect_fault WORDS: the check fails, and its one complaint has these words.
expect_fault() {
  if output=$("$check" "$tree" 2>&1); then
    echo "not noticed: $1" >&2
    exit 1
  fi
  [[ $output == *"$1"* && $(wc -l <<< "$output") -eq 1 ]] || {
    echo "expected: $1" >&2
    echo "was told: $output" >&2
    exit 1
  }
}

fresh_tree
"$check" "$tree"

rm "$tree/tests/m/tested_test.cc"
expect_fault 'src/m/tested.cc has no test tested_test.cc and no line'

fresh_tree
rm "$tree/tests/untested.txt"
expect_fault 'src/m/listed.cc has no test listed_test.cc and no line'

# The test of another module does not count.
fresh_tree
touch "$tree/src/other/above.cc"
expect_fault 'src/other/above.cc has no test'

fresh_tree
rm "$tree/src/m/listed.cc"
expect_fault 'src/m/listed.cc is gone'

fresh_tree
touch "$tree/tests/m/listed_test.cc"
expect_fault 'src/m/listed.cc has a test after all: tests/m/listed_test.cc'

fresh_tree
echo 'src/m/listed.cc' > "$tree/tests/untested.txt"
expect_fault 'no sentence after two spaces'

fresh_tree
echo 'src/m/listed.cc  Said again.' >> "$tree/tests/untested.txt"
expect_fault 'src/m/listed.cc is named twice'

rm -rf "$tree/src" "$tree/tests/untested.txt"
mkdir "$tree/src"
expect_fault 'no source found'
