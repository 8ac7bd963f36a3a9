# shellcheck shell=bash
# What the tests of the packages share; read by them.  UNPACKED has a folder per package and the packages themselves.
# $work is a folder of the test that reads this.
: "${work:?}"
export LC_ALL=C.UTF-8
name=$(basename "$0" .sh)

fail() {
  echo "$name: $*" >&2
  exit 1
}

skip() {
  echo "$name: skipped, because $*"
  exit 77
}

need() {
  local tool
  for tool in "$@"; do
    command -v "$tool" > /dev/null || skip "$tool is missing"
  done
}

# must_fail WHAT COMMAND...: a planted fault is noticed, by a sentence of fail().
must_fail() {
  local what=$1
  shift
  if ("$@") > "$work/planted.log" 2>&1; then fail "was not noticed: $what"; fi
  grep -q "^$name: " "$work/planted.log" || fail "$what: ended without a sentence: $(cat "$work/planted.log")"
}

# has_packages UNPACKED: they are built, or the test has nothing to look at.
has_packages() {
  [[ -x $1/unscatter/usr/bin/unscatter ]] || skip "there are no packages"
}
