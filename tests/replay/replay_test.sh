#!/usr/bin/env bash
# replay_test.sh RECORD COMPARE: two runs of the recorder, with one thread and with three, print the same and write the
# same files, and reach every rung.
set -euo pipefail
record=$1
compare=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$record" "$folder/one" --threads 1 > "$folder/one.txt"
"$record" "$folder/three" --threads 3 > "$folder/three.txt"
"$compare" "$folder/one.txt" "$folder/three.txt"
diff -r "$folder/one" "$folder/three"
