#!/usr/bin/env bash
# Is this tree slower than main? Builds both, runs quick workloads alternately on this machine, and compares medians.
#
#   scripts/bench_compare.sh [WORKLOAD...]
#
# BASE=REF       what to compare with (default: main)
# FACTOR=1.25    slower by more than this fails
# ROUNDS=5       runs of each, in turns
# BENCH_ARGS     further options of `unscatter bench` (default: few removals, small n)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly base=${BASE:-main} factor=${FACTOR:-1.25} rounds=${ROUNDS:-5}
readonly folder=build/compare
data=$(realpath -m "${UNSCATTER_DATA:-../shared/data}")
readonly data
workloads=("$@")
if [[ ${#workloads[@]} -eq 0 ]]; then
  workloads=(embed-imdb embed-proteins train-imdb train-proteins train-collab forget-imdb forget-proteins forget-collab
    forget-scale batch)
fi
read -ra options <<< "${BENCH_ARGS:---removals 100 --scale-rows 1000,10000 --groups 300 --threads 2}"

# build TREE: configures and builds the two programs there.
build() {
  local log=$PWD/$folder/build.log
  (cd "$1" && cmake --preset release -DUNSCATTER_BUILD_TESTS=OFF &&
    cmake --build build/release --target unscatter_cli unscatter_bench) > "$log" 2>&1 || {
    cat "$log" >&2
    exit 1
  }
}

mkdir -p "$folder"
git worktree prune
if [[ -e $folder/base/.git ]]; then
  git -C "$folder/base" checkout --quiet --detach "$(git rev-parse "$base")"
else
  git worktree add --quiet --detach "$folder/base" "$base"
fi
if [[ ! -f $folder/base/bench/program.cc ]]; then
  echo "bench-compare: $base has no \`unscatter bench\` yet, so there is nothing to compare with" >&2
  exit 1
fi
echo "Building $base and this tree ..."
build "$folder/base"
# A build tree of its own, so that the usual one keeps its settings.
(cmake -S . -B "$folder/change" -G Ninja -DCMAKE_BUILD_TYPE=Release -DUNSCATTER_UNITY=ON -DUNSCATTER_BUILD_BENCH=ON \
  -DUNSCATTER_BUILD_TESTS=OFF &&
  cmake --build "$folder/change" --target unscatter_cli unscatter_bench) > "$folder/build.log" 2>&1 || {
  cat "$folder/build.log" >&2
  exit 1
}

rm -f "$folder"/{base,change}.*.json
measure() {  # measure base|change PROGRAM ROUND
  "$2" bench "${workloads[@]}" "${options[@]}" --data "$data" --json > "$folder/$1.$3.json"
}
for ((round = 1; round <= rounds; ++round)); do
  echo "Round $round of $rounds ..."
  # The second one finds the files read and the processor warm.  So they also take turns at being second.
  if ((round % 2)); then order=(base change); else order=(change base); fi
  for side in "${order[@]}"; do
    case $side in
      base) measure base "$folder/base/build/release/apps/unscatter/unscatter" "$round" ;;
      change) measure change "$folder/change/apps/unscatter/unscatter" "$round" ;;
    esac
  done
done
exec /usr/bin/python3 -B bench/compare.py --factor "$factor" --base "$folder"/base.*.json \
  --change "$folder"/change.*.json
