#!/usr/bin/env bash
# Makes the workspaces of this folder with the program of version 0.1 (README.md).
#
#   make.sh PROGRAM FOLDER
set -euo pipefail
program=$(realpath "$1")
mkdir -p "$2"
cd "$2"
export UNSCATTER_KEY=$PWD/signing.key

"$program" key --quiet
"$program" datasets generate groups.jsonl --groups 16 --users 30 --min-size 5 --max-size 7 --seed 4 --quiet

# Three edges of each of the first twelve groups, one a line.
python3 - << 'END_OF_PYTHON' > list.jsonl
import json
graphs = [json.loads(line) for line in open("groups.jsonl")]
graphs = [graph for graph in graphs if "edges" in graph]
for number, graph in enumerate(graphs[:12]):
    for start, end in graph["edges"][:3]:
        print(json.dumps({"forget": "edge", "graph": number, "from": start, "to": end}))
END_OF_PYTHON

# fill NAME TRAIN_OPTION...: trains, forgets every kind of thing, publishes, and starts a list that is interrupted.
fill() {
  local name=$1 file=$1.unscatter
  shift
  "$program" train --data groups.jsonl --workspace "$file" --features log-degree --scales 2 --moments 1 --layers 2 \
    --quiet "$@"
  "$program" forget --workspace "$file" --graph 13 --node 1 --quiet
  "$program" forget --workspace "$file" --graph 14 --node 0 --features-only --quiet
  "$program" release --workspace "$file" --out "$name.json" --quiet
  "$program" forget --workspace "$file" --graph 15 --shred --quiet
  "$program" forget --workspace "$file" --subject user-00003 --quiet
  "$program" release --workspace "$file" --out "$name.json" --force --quiet

  # Interrupted (SIGINT) as soon as one update of the list is in force.
  rm -f receipts.jsonl
  "$program" forget --workspace "$file" --requests list.jsonl --batch 4 --receipts receipts.jsonl --quiet &
  local running=$!
  while [[ ! -s receipts.jsonl ]]; do sleep 0.001; done
  kill -INT "$running"
  wait "$running" || true
  "$program" release --workspace "$file" --out "$name.json" --force --quiet
  "$program" verify --workspace "$file" --retrain --key signing.pub
}

fill release
fill objective --mechanism objective --alpha 0.1 --bias
fill paper --preset paper --lambda 0.01
fill data-bound --bound data --precision 1 --removal tombstone
rm -f receipts.jsonl groups.jsonl ./*.json
