#!/usr/bin/env bash
# Are results equal, bit for bit, to those of another commit?  Installs the library of both, builds one recorder against
# each (tests/replay), runs recorded request sequences with both, and compares what they print line by line.
#
#   scripts/replay_compare.sh
#
# BASE=REF         what to compare with (default: version 0.1)
# THREADS=2        threads of this tree's recorder; the other one has one thread, since results do not depend on it
# UNSCATTER_DATA   folder of the public data sets (default: ../shared/data); left out if it is not there
#
# tests/replay/explained.txt lists differences from version 0.1 that are meant.  The recordings and the workspaces that
# were made stay in build/replay-compare.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly version_0_1=9eb5cab
readonly base=${BASE:-$version_0_1} threads=${THREADS:-2}
readonly folder=build/replay-compare
data=$(realpath -m "${UNSCATTER_DATA:-../shared/data}")
readonly data

fail() {
  echo "replay-compare: $*" >&2
  exit 1
}

# logged COMMAND...: shows what it printed only if it fails.
logged() {
  "$@" > "$folder/log" 2>&1 || {
    cat "$folder/log" >&2
    fail "failed: $*"
  }
}

# prepare SIDE TREE BUILD: installs the library of TREE and builds the recorder of this tree against it.
prepare() {
  local side=$1 tree=$2 build=$3 prefix=$PWD/$folder/$1/installed
  rm -rf "$prefix"
  logged cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DUNSCATTER_UNITY=ON \
    -DUNSCATTER_BUILD_APPS=OFF -DUNSCATTER_BUILD_TESTS=OFF
  logged cmake --build "$build"
  logged cmake --install "$build" --prefix "$prefix"
  logged cmake -S tests/replay -B "$folder/$side/record" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_PREFIX_PATH=$prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
  grep -q "^unscatter_DIR:PATH=$prefix/" "$folder/$side/record/CMakeCache.txt" || fail "another installation was found"
  logged cmake --build "$folder/$side/record"
}

# record SIDE THREADS
record() {
  local options=(--threads "$2")
  [[ -d $data ]] && options+=(--data "$data")
  rm -rf "$folder/$1/workspaces"
  "$folder/$1/record/replay_record" "$folder/$1/workspaces" "${options[@]}" > "$folder/$1.txt" ||
    fail "the recorder failed with the library of $1"
}

commit=$(git rev-parse --verify --quiet "$base^{commit}") || fail "there is no commit $base"
mkdir -p "$folder/base" "$folder/change"
git worktree prune
if [[ -e $folder/tree/.git ]]; then
  git -C "$folder/tree" checkout --quiet --detach "$commit"
else
  git worktree add --quiet --detach "$folder/tree" "$commit"
fi

echo "Building the libraries of $base and of this tree ..."
prepare base "$folder/tree" "$folder/tree/build/library"
# As deep as any preset's folder, so that ccache knows what was compiled there.
prepare change . build/library
[[ -d $data ]] || echo "The public data sets are left out: $data is not there."
echo "Recording with both ..."
record base 1
record change "$threads"
echo "Updates by rung, and by how many graphs there were per coordinate:"
sed -n 's|^coverage/\([^ ]*\) 00 rungs|  \1:|p' "$folder/change.txt"
explained=()
[[ $commit == "$(git rev-parse "$version_0_1^{commit}")" ]] && explained=(--explained tests/replay/explained.txt)
exec /usr/bin/env python3 -B tests/replay/compare.py "$folder/base.txt" "$folder/change.txt" "${explained[@]}"
