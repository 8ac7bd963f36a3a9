#!/usr/bin/env bash
# Runs a command whose output goes to a file.  Shows the file, and exits with 1, only if the command fails.
#
#   scripts/quietly.sh LOG COMMAND [ARGUMENT...]
set -euo pipefail

readonly log=$1
shift
mkdir -p "$(dirname "$log")"
"$@" > "$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
