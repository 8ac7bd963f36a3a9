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

# A planted fault: a package without its licence.
cp -r "$unpacked/libunscatter-dev" "$work/planted"
cp -r "$unpacked/libunscatter-dev.control" "$work/planted/DEBIAN"
sed -i 's/^Package: .*/Package: planted/' "$work/planted/DEBIAN/control"
rm "$work/planted/usr/share/doc/libunscatter-dev/copyright" "$work"/planted/usr/lib/*.a
dpkg-deb --root-owner-group --build "$work/planted" "$work/planted.deb" > "$work/log"

# One call for all, because most of its time is its start.
lintian --allow-root "$unpacked"/packages/*.deb "$work/planted.deb" > "$work/said" 2>&1 || true
grep -q '^E: planted: no-copyright-file' "$work/said" || fail "a missing licence was not noticed: $(cat "$work/said")"
said=$(grep -v '^[EW]: planted: ' "$work/said" || true)
[[ -z $said ]] || fail "$said"
