#!/usr/bin/env bash
# Builds the page from web/ into web/dist, after it has made the types of the interface from docs/openapi.json.  With
# another FOLDER nothing in the checkout changes.
#
#   scripts/build_web.sh [FOLDER]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(realpath -m "${1:-web/dist}")

scripts/web_packages.sh
cd web
[[ $# -gt 0 ]] || npm run --silent types > /dev/null
npx --no-install tsc --noEmit
npx --no-install vite build --logLevel warn --emptyOutDir --outDir "$folder"
