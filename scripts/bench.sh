#!/usr/bin/env bash
# One table: our time, NumPy's in the same run, the ratio, and the distance to the machine's limit.
#   scripts/bench.sh [NAME...]     for example: scripts/bench.sh IMDB-BINARY MNIST COLLAB_gin.zip
set -euo pipefail
cd "$(dirname "$0")/.."
data=${UNSCATTER_DATA:-../shared/data}
if [ ! -d "$data" ]; then
  echo "bench: the real data sets are not at $data; set UNSCATTER_DATA to their folder" >&2
  exit 1
fi
cmake --preset release > build-bench.log 2>&1 || { cat build-bench.log >&2; rm -f build-bench.log; exit 1; }
cmake --build --preset release --target unscatter_workloads embedding_bench > build-bench.log 2>&1 || { cat build-bench.log >&2; rm -f build-bench.log; exit 1; }
rm -f build-bench.log
peer=()
[ -f "$data/../reference/numpy_peer.py" ] && peer=(--peer "$data/../reference/numpy_peer.py")
exec /usr/bin/python3 bench/table.py --workloads build/release/bench/unscatter_workloads --data "$data" "${peer[@]}" "$@"
