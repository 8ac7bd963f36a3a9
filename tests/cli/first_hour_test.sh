#!/usr/bin/env bash
# Runs experiments/first_hour.py small enough for every day, or says that there is no scikit-learn (`scripts/setup.sh
# bench` installs it). With 300 cases to predict, chance alone makes two points, so five are allowed here; the study
# itself allows one.
set -euo pipefail
if ! /usr/bin/python3 -c 'import sklearn' 2> /dev/null; then
  echo "skipped: no scikit-learn for /usr/bin/python3"
  exit 77
fi
exec /usr/bin/python3 -B "$2/first_hour.py" --program "$1" --graphs 1000 --seeds 1 --tolerance 5 --variation-graphs 120
