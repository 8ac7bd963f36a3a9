#!/usr/bin/env bash
# Runs plots_test.py, or says that there is no matplotlib (`scripts/setup.sh plots` installs it).
set -euo pipefail
if ! /usr/bin/python3 -c 'import matplotlib' 2> /dev/null; then
  echo "skipped: no matplotlib for /usr/bin/python3"
  exit 77
fi
exec /usr/bin/python3 -B "$(dirname "${BASH_SOURCE[0]}")/plots_test.py" "$1"
