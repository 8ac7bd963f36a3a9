#!/usr/bin/env bash
# Prints the figures of the house: public headers, what a rung takes to change or add, lengths of lines, files and
# functions, share of comments.
#
#   scripts/house_figures.sh [--check] [ROOT]
#
# With --check it prints only what exceeds a limit, and fails then.
exec /usr/bin/env python3 -B "$(dirname "${BASH_SOURCE[0]}")/house_figures.py" "$@"
