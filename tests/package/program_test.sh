#!/usr/bin/env bash
# program_test.sh UNPACKED: the program of the package does its work where nothing else of the build is.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$(dirname "$0")/common.sh"
unpacked=$1
has_packages "$unpacked"
cp "$unpacked/unscatter/usr/bin/unscatter" "$work/unscatter"
cd "$work"
export HOME=$work
unset XDG_CONFIG_HOME XDG_CACHE_HOME UNSCATTER_KEY UNSCATTER_CONFIG

version=$(sed -n 's/^Version: \(.*\)-.*/\1/p' "$unpacked/unscatter.control/control")
[[ $(./unscatter --version) == "unscatter $version" ]] || fail "the program says $(./unscatter --version)"
./unscatter datasets generate groups.jsonl --groups 60 --quiet > log
./unscatter train --data groups.jsonl --workspace w.unscatter --quiet >> log
subject=$(./unscatter subjects --workspace w.unscatter --json | grep -o 'user-[0-9]*' | head -n 1 || true)
[[ -n $subject ]] || fail "the workspace has no subject"
./unscatter forget --workspace w.unscatter --subject "$subject" --quiet >> log
./unscatter verify --workspace w.unscatter --quiet | tee -a log | grep -q '^verified' || fail "$(cat log)"
# The laboratory is not there.
status=0
./unscatter bench > log 2>&1 || status=$?
[[ $status -eq 1 ]] && grep -q 'not installed' log || fail "bench: exit status $status, $(cat log)"
