#!/usr/bin/env bash
# Builds presets, runs their tests, and ends with one line: "N passed, N failed[, N skipped]".
#
#   scripts/run_tests.sh [--quick] [--fuzz] [PRESET...]      (default: release)
#
# --quick leaves out the tests with the label "slow" and those that need real data sets.  --fuzz adds the short fuzz
# run, which counts as one test; its targets belong to the preset dev.  CMAKE_ARGS adds arguments to every
# configuration.  A build that fails counts as one failure, and the rest still runs.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

fuzz=false
quick=false
presets=()
ctest_args=()
for argument in "$@"; do
  case "$argument" in
    --fuzz) fuzz=true ;;
    --quick) quick=true ;;
    -*)
      echo "run_tests: unknown option $argument" >&2
      exit 2
      ;;
    *) presets+=("$argument") ;;
  esac
done
[[ ${#presets[@]} -gt 0 ]] || presets=(release)
if $quick; then
  ctest_args=(--label-exclude '^slow$')
  # Tests that need real data sets skip themselves where there are none.
  export UNSCATTER_DATA=/nonexistent
fi
read -ra cmake_args <<< "${CMAKE_ARGS:-}"

passed=0
failed=0
skipped=0

# Counts the test cases of a JUnit file.  ctest writes one <testcase ... status="run|fail|notrun|disabled"> per test.
# Parts of a program (tests/CMakeLists.txt) are left to count_parts.
count() { grep -o '<testcase [^>]*>' "$2" | grep -v 'name="[a-z_]*\.part-' | grep -c "status=\"$1\""; }

# Adds the tests that ran in parts to run, bad and skip of the caller, from the report that GoogleTest wrote of each.
count_parts() {
  local junit=$1 reports=$2 name status head tests failures skips
  while read -r name status; do
    head=$(grep -m1 -o '<testsuites [^>]*>' "$reports/$name.xml" 2> /dev/null)
    tests=$(sed -n 's/.* tests="\([0-9]*\)".*/\1/p' <<< "$head")
    failures=$(sed -n 's/.* failures="\([0-9]*\)".*/\1/p' <<< "$head")
    skips=$(grep -c 'result="skipped"' "$reports/$name.xml" 2> /dev/null)
    tests=${tests:-0} failures=${failures:-0} skips=${skips:-0}
    # A part that ended badly without a test that failed: a crash, a leak, a time limit.  Or no report at all.
    if [[ $status != run || -z $head ]] && ((failures == 0)); then bad=$((bad + 1)); fi
    run=$((run + tests - failures - skips))
    bad=$((bad + failures))
    skip=$((skip + skips))
  done < <(sed -n 's/.*<testcase name="\([a-z_]*\.part-[0-9]*\)".* status="\([a-z]*\)".*/\1 \2/p' "$junit")
}

# The output of a step is kept, and shown only if the step fails.
quietly() {
  local log=$1
  shift
  "$@" > "$log" 2>&1 && return
  cat "$log"
  return 1
}

run_preset() {
  local preset=$1 folder=build/$1
  local junit=$PWD/$folder/junit.xml
  mkdir -p "$folder"
  echo "== $preset: build"
  # Warnings are errors with both compilers: the presets use GCC and clang.
  quietly "$folder/configure.log" cmake --preset "$preset" -DUNSCATTER_BUILD_TESTS=ON -DUNSCATTER_WERROR=ON \
    "${cmake_args[@]}" || return 1
  quietly "$folder/build.log" cmake --build --preset "$preset" || return 1
  echo "== $preset: tests"
  rm -rf "$junit" "$folder/gtest"
  # The exit status of ctest is not used.  The counts decide, and a missing report is a failure.
  ctest --preset "$preset" --parallel "$(nproc)" "${ctest_args[@]}" --output-junit "$junit" > "$folder/ctest.log" 2>&1
  if [[ ! -s $junit ]]; then
    cat "$folder/ctest.log"
    return 1
  fi
  local run bad skip unable
  # "notrun" is a skip if the test said so, and a failure if its program could not be started.
  unable=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*\*\*\*Not Run +[0-9]' "$folder/ctest.log")
  run=$(count run "$junit")
  bad=$(($(count fail "$junit") + unable))
  skip=$(($(count notrun "$junit") - unable + $(count disabled "$junit")))
  count_parts "$junit" "$folder/gtest"
  passed=$((passed + run))
  failed=$((failed + bad))
  skipped=$((skipped + skip))
  if ((bad > 0)); then
    # The output of failed tests, without the lines of those that passed.
    grep -vE '^ *[0-9]+/[0-9]+ Test .* (Passed|\*\*\*Skipped)|^ +Start +[0-9]+:' "$folder/ctest.log"
  fi
  echo "== $preset: $run passed, $bad failed, $skip skipped"
  # No tests at all means that something is wrong with the run.
  ((run + bad + skip > 0))
}

for preset in "${presets[@]}"; do
  run_preset "$preset" || {
    echo "== $preset: did not build or run"
    failed=$((failed + 1))
  }
done

if $fuzz; then
  echo "== fuzz"
  mkdir -p build
  if quietly build/fuzz_briefly.log scripts/fuzz_briefly.sh; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
fi

summary="$passed passed, $failed failed"
((skipped > 0)) && summary+=", $skipped skipped"
echo "$summary"
((failed == 0))
