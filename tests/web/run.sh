#!/usr/bin/env bash
# One test of the page.  Exit code 77: it cannot run here, and says why.
#
#   tests/web/run.sh unit|types|dist|client|flows PROGRAM
set -euo pipefail
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
readonly root
export UNSCATTER_PROGRAM=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$root/scripts/web_packages.sh"
cd "$root/web"
case "$1" in
  unit) npx --no-install vitest run ;;
  types)
    npx --no-install openapi-typescript ../docs/openapi.json --output "$work/schema.d.ts" > /dev/null
    diff "$work/schema.d.ts" src/api/schema.d.ts
    npx --no-install tsc --noEmit
    npx --no-install prettier --check --log-level warn .
    ;;
  dist)
    "$root/scripts/build_web.sh" "$work/dist"
    diff -r "$work/dist" dist || {
      echo "web/dist is not what web/src gives; run make web" >&2
      exit 1
    }
    if grep -r -l sourceMappingURL dist || grep -E '<style|<script>| style=| on[a-z]+=' dist/index.html; then
      echo "web/dist has a source map, or something inline that the service's policy forbids" >&2
      exit 1
    fi
    ;;
  client) npx --no-install vitest run --config tests/service.config.ts tests/client ;;
  flows)
    command -v chromium > /dev/null || {
      echo "page: chromium is not installed" >&2
      exit 77
    }
    npx --no-install vitest run --config tests/service.config.ts tests/flows
    ;;
  *)
    echo "unknown test '$1'" >&2
    exit 2
    ;;
esac
