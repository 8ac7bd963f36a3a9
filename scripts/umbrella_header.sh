#!/usr/bin/env bash
# Keeps include/unscatter/unscatter.h complete: it includes all public headers.  And keeps those few.
#
#   scripts/umbrella_header.sh            prints what the header should hold
#   scripts/umbrella_header.sh --write    writes it
#   scripts/umbrella_header.sh --check    fails if it is out of date, with the difference, or if there are too many
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C
readonly umbrella=include/unscatter/unscatter.h
# Public headers have to be learned and kept stable.  Make another one private before you add a further one.
readonly most_headers=56

content() {
  echo "// Every public header of the library.  Kept by scripts/umbrella_header.sh."
  echo "#pragma once"
  echo
  (cd include && find unscatter -name '*.h' ! -path unscatter/unscatter.h) | sort |
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
    count=$(find include -name '*.h' | wc -l)
    if ((count > most_headers)); then
      echo "there are $count public headers, and at most $most_headers are wanted;" \
        "make private what users do not need" >&2
      exit 1
    fi
    ;;
  *)
    echo "umbrella_header: unknown option $1" >&2
    exit 2
    ;;
esac
