#!/usr/bin/env bash
# Lists of requests as whole processes, by two builds of the program in turn: is this one slower than that one?
#
#   bench/compare_lists.sh OLD NEW [ROUNDS]       (ROUNDS: 2)
#
# OLD and NEW are programs, for instance one built from version 0.1 and build/release/apps/unscatter/unscatter.  The
# settings are those of docs/performance.md, "Durable removals": 1,000 generated groups, a wide and a narrow model, one
# request per update and 256.  Each build takes its own defaults for noise and limits.  Nothing else should run.
set -euo pipefail

(($# >= 2)) || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
readonly old=$1 new=$2 rounds=${3:-2}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export UNSCATTER_KEY=$folder/key

"$new" datasets generate "$folder/groups.jsonl" --quiet > /dev/null
# Ten of the members of every group, spread over the list as people would come.
/usr/bin/python3 - "$folder/groups.jsonl" "$folder/requests.jsonl" << 'PYTHON'
import json
import sys

groups = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
with open(sys.argv[2], "w", encoding="utf-8") as out:
    for turn in range(10):
        for number, group in enumerate(groups):
            if turn + 2 < len(group["nodes"]):
                out.write(json.dumps({"forget": "node", "graph": number, "node": turn}) + "\n")
PYTHON

# measure PROGRAM FEATURES REQUESTS BATCH: wall and processor seconds of the list
measure() {
  local program=$1 features=$2 requests=$3 batch=$4
  rm -f "$folder"/w.unscatter*
  "$program" train --data "$folder/groups.jsonl" --workspace "$folder/w.unscatter" --transform geometric \
    --features "$features" --lambda 1e-3 --quiet > /dev/null 2>&1
  head -n "$requests" "$folder/requests.jsonl" > "$folder/list.jsonl"
  TIMEFORMAT='%R %U %S'
  { time "$program" forget --workspace "$folder/w.unscatter" --requests "$folder/list.jsonl" --batch "$batch" --quiet \
    > "$folder/out.txt" 2>&1; } 2> "$folder/time.txt" || { cat "$folder/out.txt" >&2; exit 1; }
  awk '{ printf "%.3f %.3f\n", $1, $2 + $3 }' "$folder/time.txt"
}

printf '%-16s %8s %5s   %-16s %-16s %5s   %-16s %-16s %5s\n' features requests batch \
  "old, per second" "new, per second" ratio "old, CPU ms each" "new, CPU ms each" ratio
while read -r features requests batch; do
  : > "$folder/old.txt"
  : > "$folder/new.txt"
  for ((round = 0; round < rounds; ++round)); do
    measure "$old" "$features" "$requests" "$batch" >> "$folder/old.txt"
    measure "$new" "$features" "$requests" "$batch" >> "$folder/new.txt"
  done
  awk -v f="$features" -v n="$requests" -v b="$batch" '
    function least(a, b) { return a == 0 || b < a ? b : a }
    { rate = sprintf("%.0f ", n / $1); each = sprintf("%.2f ", 1e3 * $2 / n) }
    FNR == NR { ow = least(ow, $1); oc = least(oc, $2); os = os rate; om = om each; next }
    { nw = least(nw, $1); nc = least(nc, $2); ns = ns rate; nm = nm each }
    END { printf "%-16s %8d %5d   %-16s %-16s %5.2f   %-16s %-16s %5.2f\n", f, n, b, os, ns, ow / nw, om, nm, oc / nc }
  ' "$folder/old.txt" "$folder/new.txt"
done << 'SETTINGS'
degree-onehot:26 1000 1
degree-onehot:26 5000 10
degree-onehot:26 9984 256
log-degree 2000 1
log-degree 9984 256
SETTINGS
echo "ratio: old over new, best of the rounds; above 1 the new build is faster"
