#!/usr/bin/env bash
# Runs twin_test.py, or says that there is no NumPy.
set -euo pipefail
if ! /usr/bin/python3 -c 'import numpy' 2> /dev/null; then
  echo "skipped: no NumPy for /usr/bin/python3"
  exit 77
fi
exec /usr/bin/python3 -B "$(dirname "${BASH_SOURCE[0]}")/twin_test.py" "$1" "$2"
