#!/usr/bin/env bash
# Builds the fuzz targets and runs each for a while on a copy of its corpus.
#
#   scripts/fuzz_briefly.sh [SECONDS_PER_TARGET [TARGET...]]        (all targets, unless some are named)
#
# Exits with 1 if a target finds something.  The inputs and the logs are then in build/dev/findings.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds="${1:-6}"
targets=(fuzz_tu fuzz_gin fuzz_npz fuzz_jsonl fuzz_rows fuzz_graph_blob fuzz_openings fuzz_published_model fuzz_receipt
  fuzz_requests fuzz_workspace fuzz_http fuzz_http_body)
if [ $# -gt 1 ]; then targets=("${@:2}"); fi
findings="build/dev/findings"

cmake --preset dev > /dev/null
cmake --build build/dev --parallel "${UNSCATTER_JOBS:-2}" --target "${targets[@]}"
mkdir -p "$findings"
corpora="$(mktemp -d)"
trap 'rm -rf "$corpora"' EXIT

# Runs one target.  Says in one line what came of it, and leaves its status in a file.
run_target() {
  local target=$1
  local longest=4096
  cp -r "fuzz/corpus/${target#fuzz_}" "$corpora/$target"
  [ "$target" = fuzz_workspace ] && longest=131072  # the smallest workspace has a dozen pages
  # A zip member may reserve an LZMA dictionary of 4 GiB without using it.  So the malloc limit is above the memory
  # limit.
  if ASAN_OPTIONS=allocator_may_return_null=1 "build/dev/fuzz/$target" -max_total_time="$seconds" \
       -max_len="$longest" -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=5000 -print_final_stats=1 \
       -artifact_prefix="$findings/$target-" "$corpora/$target" > "$findings/$target.log" 2>&1; then
    touch "$corpora/$target.passed"
    echo "$target: nothing found," \
      "$(sed -n 's/^stat::number_of_executed_units: *//p' "$findings/$target.log") inputs in $seconds s"
  else
    tail -n 40 "$findings/$target.log"
    echo "$target: FAILED, see $findings"
  fi
}

# As many targets at a time as the build has jobs: each has one thread.
for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "${UNSCATTER_JOBS:-2}" ]; do wait -n || true; done
  run_target "$target" &
done
wait

passed=$(find "$corpora" -maxdepth 1 -name '*.passed' | wc -l)
failed=$((${#targets[@]} - passed))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
