#!/usr/bin/env bash
# must_not_compile.sh FILE REASON COMPILER [OPTION...]
#
# FILE with UNSCATTER_CONTROL defined must compile; without, it must not, and the compiler's message must name REASON.
# The control shows that it is the one line in question that is refused.
set -euo pipefail
file=$1
reason=$2
shift 2

"$@" -fsyntax-only -DUNSCATTER_CONTROL "$file" || {
  echo "the control does not compile" >&2
  exit 1
}
if message=$("$@" -fsyntax-only "$file" 2>&1); then
  echo "$file compiles, and must not" >&2
  exit 1
fi
grep -q "$reason" <<< "$message" || {
  echo "$file is refused, but not because of '$reason':" >&2
  echo "$message" >&2
  exit 1
}
