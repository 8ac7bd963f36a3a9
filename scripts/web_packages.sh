#!/usr/bin/env bash
# Puts the packages of the page into web/node_modules, exactly as web/package-lock.json names them.  Does nothing if
# they are there.  Exit code 77: npm is missing or cannot be reached, so the page can be neither built nor tested here.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../web"
readonly oldest_node=18

if ! command -v node > /dev/null || ! command -v npm > /dev/null; then
  echo "page: node and npm are not installed; scripts/setup.sh web installs them" >&2
  exit 77
fi
version=$(node --version)
major=${version#v}
if ((${major%%.*} < oldest_node)); then
  echo "page: Node.js $version is too old; $oldest_node or newer is needed" >&2
  exit 77
fi

# Several tests may come here at the same time.
exec 9> .packages.lock
flock 9
readonly done_for=node_modules/.installed-for
current=$(sha256sum package.json package-lock.json)
[[ -f $done_for && $(< "$done_for") == "$current" ]] && exit 0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! npm ci --no-audit --no-fund > "$log" 2>&1; then
  cat "$log" >&2
  # Without a network nothing can be said about the page.  With one, a lock file that does not fit is a fault.
  npm ping > /dev/null 2>&1 || exit 77
  exit 1
fi
echo "$current" > "$done_for"
