#!/usr/bin/env bash
# Prints tables of our times, those of other programs in the same run, ratios, and the distance to the machine's limit.
#   scripts/bench.sh [WORKLOAD...]     for example: scripts/bench.sh embed-imdb train-imdb forget-imdb load
# Fails if a stated target is missed.
set -euo pipefail
cd "$(dirname "$0")/.."
data=${UNSCATTER_DATA:-../shared/data}
if [ ! -d "$data" ]; then
  echo "bench: the real data sets are not at $data; set UNSCATTER_DATA to their folder" >&2
  exit 1
fi
mkdir -p build
log=build/bench.log
{
  cmake --preset release -DUNSCATTER_BUILD_BENCH=ON &&
    cmake --build --preset release --target unscatter_cli unscatter_bench
} > "$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
peer=()
[ -f "$data/../reference/numpy_peer.py" ] && peer=(--peer "$data/../reference/numpy_peer.py")
exec /usr/bin/python3 -B bench/table.py --program build/release/apps/unscatter/unscatter --data "$data" \
  --json build/bench.json "${peer[@]}" "$@"
