#!/usr/bin/env bash
# unit_test.sh UNPACKED: systemd understands every line of the unit, and finds little that an intruder could do in it.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$(dirname "$0")/common.sh"
unpacked=$1
has_packages "$unpacked"
need systemd-analyze
# systemd's figure for what a service could do: 0 nothing, 10 anything.  A unit without hardening has 9.6.  Most of the
# rest is the network, which is what the service is for.
readonly most_exposure=1.5
unit=$unpacked/unscatter/usr/lib/systemd/system/unscatter@.service

# prepare UNIT [DROP-IN]: as an instance, with the program where the package lies.
prepare() {
  rm -rf "$work/units"
  mkdir -p "$work/units/unscatter@default.service.d"
  sed "s|^ExecStart=/usr/bin/|ExecStart=$unpacked/unscatter/usr/bin/|" "$1" > "$work/units/unscatter@default.service"
  [[ -z ${2:-} ]] || cp "$2" "$work/units/unscatter@default.service.d/"
}
understood() {
  prepare "$@"
  local said
  said=$(systemd-analyze verify --man=no --recursive-errors=no "$work/units/unscatter@default.service" 2>&1) ||
    fail "$said"
  # A name that it does not know is no error to systemd.
  said=$(grep -F unscatter <<< "$said" || true)
  [[ -z $said ]] || fail "$said"
}
little_exposure() {
  prepare "$@"
  local said
  said=$(systemd-analyze security --no-pager --offline=true "$work/units/unscatter@default.service" 2>&1) ||
    fail "$said"
  said=$(sed -n 's/.*Overall exposure level for .*: \([0-9.]*\) .*/\1/p' <<< "$said")
  echo "exposure: $said"
  awk -v is="${said:-99}" -v most="$most_exposure" 'BEGIN { exit !(is <= most) }' ||
    fail "the exposure is $said, more than $most_exposure"
}
# What the service promises to those who operate it.
promised() {
  local line
  for line in Type=notify KillSignal=SIGTERM Restart=on-failure UMask=0077 LimitCORE=0 ProtectSystem=strict \
    ReadWritePaths=/var/lib/unscatter User=unscatter NoNewPrivileges=yes MemoryDenyWriteExecute=yes; do
    grep -qx -- "$line" "$1" || fail "the unit does not say $line"
  done
}
understood "$unit"
understood "$unit" "$unpacked/unscatter/usr/share/doc/unscatter/examples/tls.conf"
little_exposure "$unit"
promised "$unit"

sed 's/^ProtectHome=/ProtectHouse=/' "$unit" > "$work/planted"
must_fail "a name that systemd does not know" understood "$work/planted"
sed '/^SystemCallFilter=/d; /^CapabilityBoundingSet=/d' "$unit" > "$work/planted"
must_fail "a service that may do more" little_exposure "$work/planted"
sed '/^LimitCORE=/d' "$unit" > "$work/planted"
must_fail "memory images" promised "$work/planted"
