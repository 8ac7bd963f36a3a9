#!/usr/bin/env bash
# Formats every tracked C++ file in place.  With --check it changes nothing, and fails where something would change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mode=(-i)
[[ "${1:-}" == --check ]] && mode=(--dry-run -Werror)
git ls-files -z '*.h' '*.cc' | xargs -0 -r clang-format "${mode[@]}"
