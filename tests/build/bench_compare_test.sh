#!/usr/bin/env bash
# bench_compare_test.sh COMPARE: verdicts on given numbers, a planted slowdown among them.
set -euo pipefail
compare=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# document FILE NAME SECONDS [NAME SECONDS]...
document() {
  local file=$folder/$1 results=""
  shift
  while (($#)); do
    results+="${results:+,}{\"name\": \"$1\", \"p50_seconds\": $2}"
    shift 2
  done
  echo "{\"results\": [$results, {\"name\": \"load\", \"skipped\": \"no file\"}]}" > "$file"
}

# expect STATUS PATTERN [COMPARE_OPTION...]
expect() {
  local status=0 output wanted=$1 pattern=$2
  shift 2
  output=$(/usr/bin/env python3 -B "$compare" "$@" --base "$folder"/base* --change "$folder"/change* 2>&1) || status=$?
  if [[ $status -ne $wanted ]] || ! grep -qE "$pattern" <<< "$output"; then
    echo "expected status $wanted and /$pattern/, got status $status and:" >&2
    echo "$output" >&2
    exit 1
  fi
}

# The third run of the base was disturbed: the median does not see it.
document base.1 forget 0.0010 embed 0.010
document base.2 forget 0.0011 embed 0.011
document base.3 forget 0.9000 embed 0.012

document change.1 forget 0.0012 embed 0.005
expect 0 '^forget +1\.1 ms +1\.2 ms +1\.09 +same'
expect 0 '^embed .* 0\.45 +faster'
expect 1 '^forget .* SLOWER' --factor 1.05

document change.1 forget 0.0022 embed 0.011
expect 1 '^forget .* 2\.00 +SLOWER'
expect 1 '^slower or gone: forget$'
expect 0 '^forget .* 2\.00 +same' --factor 2.5

document change.1 embed 0.011 batch 1
expect 1 '^forget .* GONE'
expect 1 '^batch .* new'

rm "$folder"/base.*
document base.1
sed -i 's/\[, /[/' "$folder/base.1"
expect 1 'the base measured nothing'
