#!/usr/bin/env bash
# build_test.sh CPACK BUILD UNPACKED: builds the packages from what is compiled, and unpacks them for the other tests.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$(dirname "$0")/common.sh"
cpack=$1
build=$2
unpacked=$3
rm -rf "$unpacked"
need dpkg-deb dpkg-shlibdeps

mkdir -p "$unpacked"
"$cpack" --config "$build/CPackConfig.cmake" -B "$unpacked/packages" > "$work/log" 2>&1 || fail "$(cat "$work/log")"
shopt -s nullglob
packages=("$unpacked"/packages/*.deb)
[[ ${#packages[@]} -eq 2 ]] || fail "expected two packages, found: ${packages[*]}"
for package in "${packages[@]}"; do
  folder=$unpacked/$(dpkg-deb --field "$package" Package)
  dpkg-deb --extract "$package" "$folder"
  dpkg-deb --control "$package" "$folder.control"
done
rm -rf "$unpacked/packages/_CPack_Packages"
ls "$unpacked"
