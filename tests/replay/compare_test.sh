#!/usr/bin/env bash
# compare_test.sh COMPARE: verdicts on given recordings, planted differences among them.
set -euo pipefail
compare=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# expect STATUS PATTERN [OPTION...]
expect() {
  local status=0 output wanted=$1 pattern=$2
  shift 2
  output=$("$compare" base change "$@" 2>&1) || status=$?
  if [[ $status -ne $wanted ]] || ! grep -qE -- "$pattern" <<< "$output"; then
    echo "expected status $wanted and /$pattern/, got status $status and:" >&2
    echo "$output" >&2
    exit 1
  fi
}

cat > base << 'END_OF_BASE'
session/a 00 weights 0123
session/a 00 weights.samples 0x1p+0 0x1p-1
session/a 01 assumption one two
session/a 01 assumption three
session/b 00 rung fast
END_OF_BASE
cp base change
expect 0 '^equal: 5 lines$'

sed 's/0x1p-1$/0x1.8p-1/' base > change
expect 1 '^different: 1 of 5 lines'
expect 1 'session/a 00 weights.samples'
expect 1 'relative difference 3\.3e-01'
sed 's/three/four/' base > change
expect 1 '^ +change four'
# A line that is gone, and one that is new.
sed '/three/d' base > change
expect 1 '\(no such line\)'
{
  cat base
  echo "session/b 01 rung newton"
} > change
expect 1 '^different: 1 of 6 lines'

sed 's/fast/exact/' base > change
echo 'session/[b-z] rung another rung is meant' > list
expect 0 '^explained: 1 lines: another rung is meant$' --explained list
expect 0 '^equal: 4 lines$' --explained list
sed -i 's/0x1p+0/0x1p+1/' change
expect 1 '^different: 1 of 5 lines' --explained list
echo 'session/b rung' > list
expect 1 'needed are a sequence, a field and a reason' --explained list

: > change
expect 1 'nothing was recorded'
