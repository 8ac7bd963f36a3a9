#!/usr/bin/env bash
# One table: our time, NumPy's in the same run, the ratio, and the distance to the machine's limit.
#   scripts/bench.sh [NAME...]     for example: scripts/bench.sh IMDB-BINARY MNIST COLLAB_gin.zip
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
{ cmake --preset release -DUNSCATTER_BUILD_BENCH=ON && cmake --build --preset release --target unscatter_workloads; } > "$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
peer=()
[ -f "$data/../reference/numpy_peer.py" ] && peer=(--peer "$data/../reference/numpy_peer.py")
exec /usr/bin/python3 bench/table.py --workloads build/release/bench/unscatter_workloads --data "$data" "${peer[@]}" "$@"
