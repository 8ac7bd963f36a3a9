#!/usr/bin/env bash
# Shows a first look.  Expects the program to be built (make demo does that).
set -euo pipefail
cd "$(dirname "$0")/.."
exec build/release/apps/unscatter/unscatter demo "$@"
