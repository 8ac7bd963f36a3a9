#!/usr/bin/env bash
# Builds the Debian packages of the release build: build/release/packages/*.deb.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
umask 022

for tool in cpack dpkg-shlibdeps; do
  command -v "$tool" > /dev/null || {
    echo "package: $tool is missing; packages can be built on Debian, with cmake and dpkg-dev" >&2
    exit 1
  }
done
scripts/build_program.sh
readonly folder=build/release
{
  cmake --build "$folder" --target unscatter_package_files
  rm -rf "$folder/packages"
  cpack --config "$folder/CPackConfig.cmake"
} > "$folder/package.log" 2>&1 || {
  cat "$folder/package.log" >&2
  exit 1
}
ls -- "$folder"/packages/*.deb
