#!/usr/bin/env bash
# Every source has a test of its own name, or a stated reason why not.
#
#   scripts/check_tests.sh [ROOT]
#
#   * src/MODULE/**/x.cc has tests/MODULE/**/x_test.cc, or a line in tests/untested.txt.
#   * A line of tests/untested.txt is the source, two spaces, and the reason in one sentence.  Lines that start with #
#     are comments.
#   * A line is wrong if its source is gone, if its source has a test after all, or if the source is named twice.
set -euo pipefail
export LC_ALL=C
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"
readonly list=tests/untested.txt
status=0
complain() {
  echo "test check: $1" >&2
  status=1
}

# Prints the test of a source, or nothing.
test_of() {
  local within=${1#src/} name
  name=$(basename "$1" .cc)
  [[ -d tests/${within%%/*} ]] || return 0
  find "tests/${within%%/*}" -name "${name}_test.cc" -print -quit
}

declare -A reasons=()
if [[ -f $list ]]; then
  while IFS= read -r line; do
    [[ -z $line || $line == '#'* ]] && continue
    source=${line%%  *}
    reason=${line#"$source"}
    reason=${reason#  }
    if [[ $reason != [!\ ]*\ *. ]]; then
      complain "$list: no sentence after two spaces that says why: $line"
    fi
    [[ -z ${reasons[$source]:-} ]] || complain "$list: $source is named twice"
    reasons[$source]=${reason:-none}
    if [[ ! -f $source ]]; then
      complain "$list: $source is gone"
    elif [[ -n $(test_of "$source") ]]; then
      complain "$list: $source has a test after all: $(test_of "$source")"
    fi
  done < "$list"
fi

sources=0
while IFS= read -r source; do
  sources=$((sources + 1))
  [[ -n ${reasons[$source]:-} || -n $(test_of "$source") ]] && continue
  complain "$source has no test $(basename "$source" .cc)_test.cc and no line in $list"
done < <(find src -name '*.cc' | sort)
((sources > 0)) || complain "no source found below src"
exit $status
