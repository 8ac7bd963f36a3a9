#!/usr/bin/env bash
# Every reference such as [Pan23, Thm. 4.7] in comments and documents must be resolved in REFERENCES.md.
#
#   scripts/check_references.sh [ROOT]
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

folders=()
for folder in include src apps bench tests docs experiments; do
  [[ -d $folder ]] && folders+=("$folder")
done

# A key is a name and a year, with a letter where one name has several in a year: Gama19a.
used=$(grep -rohE --include='*.h' --include='*.cc' --include='*.md' '\[[A-Z][A-Za-z]+[0-9]{2}[a-z]?[],]' \
  "${folders[@]}" | tr -d "[]," | sort -u || true)
missing=0
for key in $used; do
  grep -qF "**[$key]**" REFERENCES.md && continue
  echo "REFERENCES.md has no entry for [$key], used in:" >&2
  grep -rlE --include='*.h' --include='*.cc' --include='*.md' "\[${key}[],]" "${folders[@]}" | sed 's/^/  /' >&2
  missing=1
done
exit $missing
