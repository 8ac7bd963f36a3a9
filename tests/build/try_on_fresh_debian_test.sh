#!/usr/bin/env bash
# try_on_fresh_debian_test.sh SCRIPT: what the trial on a bare Debian says, does and leaves behind.  Neither root nor a
# network is needed: stand-ins play id, debootstrap and unshare.
set -euo pipefail
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{checkout/scripts,tools,tmp}
cp "$1" "$tree/checkout/scripts/try_on_fresh_debian.sh"
cd "$tree/checkout"

# Only what the script may use, so that a debootstrap of this machine is not found.
for tool in bash env dirname realpath mktemp rm mkdir mv cp cat tar sed grep awk sort du cut nproc git getconf sleep; do
  ln -s "$(type -P "$tool")" "$tree/tools/$tool"
done
# stand_in NAME: a program whose text is read from standard input.
stand_in() {
  { echo '#!/usr/bin/env bash' && cat; } > "$tree/tools/$1"
  chmod +x "$tree/tools/$1"
}

expect_nothing_left() {
  [[ -z $(ls -A "$tree/tmp") ]] || {
    echo "left behind: $(ls -A "$tree/tmp")" >&2
    exit 1
  }
}

# expect STATUS WORDS ARGUMENT...: the script ends with this status, says these words and leaves nothing behind.
expect() {
  local status=0 output
  output=$(PATH=$tree/tools TMPDIR=$tree/tmp scripts/try_on_fresh_debian.sh "${@:3}" 2>&1) || status=$?
  [[ $status -eq $1 && $output == *"$2"* ]] || {
    echo "expected status $1 and '$2', got status $status and:" >&2
    echo "$output" >&2
    exit 1
  }
  expect_nothing_left
}

export STAND_IN_ID=1000
stand_in id << 'END'
echo "$STAND_IN_ID"
END
expect 2 'only root can make a system'
STAND_IN_ID=0
expect 2 'debootstrap is missing; on Debian and Ubuntu: apt-get install debootstrap'
expect 2 'unknown option --fresh' --fresh
expect 2 '--base needs the name of a file' --base

# debootstrap makes the few folders that are written to, in its last argument but one.
stand_in debootstrap << 'END'
[[ -z ${STAND_IN_DEBOOTSTRAP_FAILS:-} ]] || { echo 'E: no such mirror'; exit 1; }
root=${*: -2:1}
mkdir -p "$root"/{etc/apt/apt.conf.d,usr/local/share,root}
END
# unshare drops its options and runs the rest in the home folder, in the outer system.  What would change it there is
# left out, and make shows the clone.
stand_in unshare << 'END'
for argument in "$@"; do
  case "$argument" in
    --root=*) root=${argument#--root=} ;;
    --wd=*) cd "$root${argument#--wd=}" || exit 99 ;;
  esac
done
while [[ $1 == --* ]]; do shift; done
[[ -n ${root:-} ]] || exec "$@"
while [[ $1 != in-the-new-system ]]; do shift; done
case "$2" in
  git) git clone --quiet "$root/unscatter.bundle" unscatter ;;
  make)
    echo "arguments: ${*:3}"
    cat unscatter/committed
    [[ ! -e unscatter/not_committed ]] || echo 'cloned what is not committed'
    if [[ -n ${STAND_IN_MAKE_SECONDS:-} ]]; then
      # From here on it has this one child, as unshare has one.
      sleep "$STAND_IN_MAKE_SECONDS" &
      echo sleeping
      wait $!
    fi
    exit "${STAND_IN_MAKE_STATUS:-0}"
    ;;
esac
END

export GIT_CONFIG_GLOBAL=/dev/null GIT_{AUTHOR,COMMITTER}_NAME=nobody GIT_{AUTHOR,COMMITTER}_EMAIL=nobody@example.org
git init --quiet
echo first > committed
git add committed
git commit --quiet --message 'A file'
echo second > committed
touch not_committed

expect 0 $'arguments: --no-print-directory -C unscatter demo\nfirst\n== make demo: exit status 0'
expect 0 $'-C unscatter test PRESETS=dev\nfirst\n== make test PRESETS=dev: exit status 0' test PRESETS=dev
expect 2 "there are no packages in build/release/packages; 'make package' builds them" install
STAND_IN_MAKE_STATUS=7 expect 7 'make demo: exit status 7'
STAND_IN_DEBOOTSTRAP_FAILS=1 expect 2 $'E: no such mirror\ntry_on_fresh_debian: debootstrap failed'
# The second time, the bare system comes from the file.
expect 0 'a bare Debian 12 from http' --base "$tree/bare.tar"
STAND_IN_DEBOOTSTRAP_FAILS=1 expect 0 "a bare Debian 12 from $tree/bare.tar" --base "$tree/bare.tar"

# Stopped in the middle: what was started ends, and the folder goes.
: > "$tree/log"
PATH=$tree/tools TMPDIR=$tree/tmp STAND_IN_MAKE_SECONDS=1000 scripts/try_on_fresh_debian.sh > "$tree/log" 2>&1 &
script=$!
until grep -q '^sleeping$' "$tree/log"; do
  kill -0 "$script" || { cat "$tree/log" >&2 && exit 1; }
  sleep 0.1
done
kill -TERM "$script"
status=0
wait "$script" || status=$?
[[ $status -eq 143 ]] || {
  echo "stopped with status $status instead of 143" >&2
  exit 1
}
expect_nothing_left
