#!/usr/bin/env bash
# run_tests_test.sh RUN_TESTS: what `make test` and `make check` say about a small project whose tests end in every way
# there is.
set -euo pipefail
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree/scripts"
cp "$1" "$tree/scripts/run_tests.sh"
cd "$tree"
unset CMAKE_ARGS

cat > CMakePresets.json << 'END'
{
  "version": 6,
  "configurePresets": [{"name": "one", "generator": "Ninja", "binaryDir": "${sourceDir}/build/one"}],
  "buildPresets": [{"name": "one", "configurePreset": "one"}],
  "testPresets": [{"name": "one", "configurePreset": "one", "output": {"outputOnFailure": true}}]
}
END
readonly head='cmake_minimum_required(VERSION 3.25)
project(outcomes LANGUAGES NONE)
enable_testing()
add_test(NAME good COMMAND true)
add_test(NAME skips_itself COMMAND echo "[  SKIPPED ]")
set_tests_properties(skips_itself PROPERTIES SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
add_test(NAME disabled COMMAND true)
set_tests_properties(disabled PROPERTIES DISABLED ON)'

# expect STATUS LAST_LINE CMAKE_CODE [OPTION...]
expect() {
  local output status=0
  printf '%s\n%s\n' "$head" "$3" > CMakeLists.txt
  output=$(scripts/run_tests.sh "${@:4}" one 2>&1) || status=$?
  [[ $status -eq $1 && $(tail -n 1 <<< "$output") == "$2" ]] || {
    echo "expected status $1 and '$2', got status $status and:" >&2
    echo "$output" >&2
    exit 1
  }
}

expect 0 '1 passed, 0 failed, 2 skipped' ''
expect 1 '1 passed, 4 failed, 2 skipped' '
add_test(NAME bad COMMAND false)
add_test(NAME cannot_start COMMAND /nonexistent/program)
add_test(NAME slow COMMAND sleep 30)
set_tests_properties(slow PROPERTIES TIMEOUT 1)
add_test(NAME crashes COMMAND sh -c "kill -SEGV $$")'
expect 1 '0 passed, 1 failed' 'message(FATAL_ERROR "does not configure")'
expect 1 '0 passed, 1 failed' 'add_custom_target(broken ALL COMMAND false)'

# The quick run leaves slow tests out, a failing one among them, and keeps real data out of sight.
readonly slow='
add_test(NAME slow_and_bad COMMAND false)
set_tests_properties(slow_and_bad PROPERTIES LABELS slow)
add_test(NAME not_so_slow COMMAND true)
set_tests_properties(not_so_slow PROPERTIES LABELS slower)
add_test(NAME sees_no_data COMMAND sh -c "! test -e $UNSCATTER_DATA")'
export UNSCATTER_DATA=$tree
expect 1 '2 passed, 2 failed, 2 skipped' "$slow"
expect 0 '3 passed, 0 failed, 2 skipped' "$slow" --quick
expect 1 '1 passed, 1 failed, 2 skipped' 'add_test(NAME bad COMMAND false)' --quick

# The fuzz run counts as one test, and only where it is asked for.
printf '#!/bin/sh\nexit 0\n' > scripts/fuzz_briefly.sh
chmod +x scripts/fuzz_briefly.sh
expect 0 '1 passed, 0 failed, 2 skipped' ''
expect 0 '2 passed, 0 failed, 2 skipped' '' --fuzz
printf '#!/bin/sh\nexit 1\n' > scripts/fuzz_briefly.sh
expect 1 '1 passed, 1 failed, 2 skipped' '' --fuzz
