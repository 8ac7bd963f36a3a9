#!/usr/bin/env bash
# lintian_test.sh UNPACKED: Debian's checker finds neither errors nor warnings.  The overrides in package/debian give
# their reasons.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$(dirname "$0")/common.sh"
unpacked=$1
has_packages "$unpacked"
need lintian

clean() {
  local said
  said=$(lintian --allow-root --fail-on error,warning "$@" 2>&1) || fail "$said"
}
clean "$unpacked"/packages/*.deb

# A planted fault: a package without its licence.
cp -r "$unpacked/libunscatter-dev" "$work/planted"
cp -r "$unpacked/libunscatter-dev.control" "$work/planted/DEBIAN"
rm "$work/planted/usr/share/doc/libunscatter-dev/copyright" "$work"/planted/usr/lib/*.a
dpkg-deb --root-owner-group --build "$work/planted" "$work/planted.deb" > "$work/log"
must_fail "a package without its licence" clean "$work/planted.deb"
