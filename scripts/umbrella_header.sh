#!/usr/bin/env bash
# Keeps include/unscatter/unscatter.h complete: it includes all public headers but those for tests.
#
#   scripts/umbrella_header.sh            prints what the header should hold
#   scripts/umbrella_header.sh --write    writes it
#   scripts/umbrella_header.sh --check    fails, with the difference, if it is out of date
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C
readonly umbrella=include/unscatter/unscatter.h

content() {
  echo "// Every public header of the library.  Kept by scripts/umbrella_header.sh."
  echo "#pragma once"
  echo
  (cd include && find unscatter -name '*.h' ! -path '*/testing/*' ! -path unscatter/unscatter.h) | sort |
    sed 's/.*/#include "&"/'
}

case "${1:-}" in
  "") content ;;
  --write) content > "$umbrella.new" && mv "$umbrella.new" "$umbrella" ;;
  --check)
    diff "$umbrella" <(content) >&2 || {
      echo "$umbrella is out of date (<: as it is, >: as it should be); run scripts/umbrella_header.sh --write" >&2
      exit 1
    }
    ;;
  *)
    echo "umbrella_header: unknown option $1" >&2
    exit 2
    ;;
esac
