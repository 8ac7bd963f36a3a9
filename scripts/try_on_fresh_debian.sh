#!/usr/bin/env bash
# Tries the commands of the README on a Debian 12 that has git, make and ca-certificates and nothing else.
#
#   scripts/try_on_fresh_debian.sh [--base FILE] [--as-user] [--keep] [MAKE_ARGUMENT...]
#
#   scripts/try_on_fresh_debian.sh                      make demo
#   scripts/try_on_fresh_debian.sh tutorial             make demo, then every command of docs/tutorial.md, with times
#   scripts/try_on_fresh_debian.sh test PRESETS=dev     make test PRESETS=dev
#   scripts/try_on_fresh_debian.sh predict              is a published model the same there?
#   scripts/try_on_fresh_debian.sh install              what `make package` built is installed, used and purged
#
# debootstrap puts a bare system into a temporary folder.  HEAD of this checkout is cloned into it; what is not
# committed does not count.  Then make runs there.  The exit status is that of make.
#
# `predict` builds nothing there.  It trains and publishes a model on this machine, with the program of build/release
# (or $UNSCATTER_PROGRAM), and predicts with the workspace.  Then it takes model.json, graphs without labels and the
# program into the new system, which gets the shared libraries of the program from its own packages.  The predictions
# there must be those of this machine to the last digit: with all threads and with one, and with the C library's code
# for processors without FMA and AVX2.  The exit status is 1 if a byte differs.
#
#   --base FILE    take the bare system from this tar file; make the file if it does not exist
#   --as-user      run make as a user who may use sudo, instead of as root
#   --keep         leave the tried system behind, and say where
#
# Packages come from where this machine gets its own: the Debian 12 mirrors in its apt sources, its proxies, its name
# servers.  TMPDIR (default: /var/tmp) chooses the disk.
set -euo pipefail
umask 022

readonly suite=bookworm
readonly packages=git,make,ca-certificates
readonly default_mirror=http://deb.debian.org/debian
readonly proxy_variables=(http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY)

die() {
  echo "try_on_fresh_debian: $*" >&2
  exit 2
}

base=
as_user=false
keep=false
while [[ ${1:-} == -* ]]; do
  case "$1" in
    --base)
      [[ $# -ge 2 ]] || die "--base needs the name of a file"
      base=$(realpath --canonicalize-missing -- "$2")
      shift
      ;;
    --as-user) as_user=true ;;
    --keep) keep=true ;;
    *) die "unknown option $1; there are --base FILE, --as-user and --keep" ;;
  esac
  shift
done
[[ $# -gt 0 ]] || set -- demo
# Who reads the tutorial has done what the README says first.
[[ $1 != tutorial ]] || set -- demo "$@"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ $(id -u) -eq 0 ]] || die "only root can make a system to change into; try: sudo $0"
command -v debootstrap > /dev/null || die "debootstrap is missing; on Debian and Ubuntu: apt-get install debootstrap"
command -v unshare > /dev/null || die "unshare is missing; it comes with util-linux"

work=$(mktemp -d "${TMPDIR:-/var/tmp}/fresh-debian.XXXXXX")
readonly work root=$work/root
contained_pid=

# Runs a command with mounts and processes of its own.  They end with it, in whatever way it ends.
contained() {
  local status=0
  unshare --mount --pid --fork --kill-child --mount-proc "$@" &
  contained_pid=$!
  wait "$contained_pid" || status=$?
  contained_pid=
  return "$status"
}

# shellcheck disable=SC2317  # called by the trap
clean_up() {
  if [[ -n $contained_pid ]]; then
    # When the first process in there is gone, so are all others.  Only then does unshare return.
    local first=
    read -r first 2> /dev/null < "/proc/$contained_pid/task/$contained_pid/children" || true
    kill -KILL "${first:-$contained_pid}" 2> /dev/null || true
    wait "$contained_pid" || true
  fi
  if $keep && [[ -d $root ]]; then
    echo "kept: $root"
  else
    rm -rf --one-file-system -- "$work"
  fi
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The Debian 12 sources of this machine, one "deb URI SUITE COMPONENT" per line.  Nothing if there is no apt or if it is
# another release.
host_sources() {
  command -v apt-get > /dev/null || return 0
  # apt fills in the $(...).
  # shellcheck disable=SC2016
  apt-get indextargets --format 'deb $(REPO_URI) $(CODENAME) $(COMPONENT)' 'Identifier: Packages' 'Origin: Debian' \
    2> /dev/null | grep -E "^deb https?://[^ ]+ $suite(-updates|-security)? " | sort -u || true
}

# How this machine reaches them.  Settings about other downloads than packages are left to the new system.
host_acquire_settings() {
  command -v apt-config > /dev/null || return 0
  apt-config dump | grep -E '^Acquire::' |
    grep -vE '^Acquire::(IndexTargets|Changelogs|CompressionTypes|Languages|cdrom)\b' || true
}

make_bare_system() {
  local mirror proxy=
  mirror=$(host_sources | awk -v suite="$suite" '$3 == suite && $4 == "main" { print $2; exit }')
  # debootstrap does not read apt's settings.
  if [[ -z ${http_proxy:-} ]] && command -v apt-config > /dev/null; then
    eval "$(apt-config shell proxy Acquire::http::Proxy)"
    [[ -z $proxy || $proxy == DIRECT ]] || export http_proxy=$proxy
  fi
  echo "== a bare Debian 12 from ${mirror:-$default_mirror}"
  contained debootstrap --variant=minbase --include="$packages" "$suite" "$root" "${mirror:-$default_mirror}" \
    > "$work/log" 2>&1 || {
    cat "$work/log" >&2
    die "debootstrap failed"
  }
}

if [[ -n $base && -f $base ]]; then
  echo "== a bare Debian 12 from $base"
  mkdir "$root"
  tar -C "$root" --numeric-owner -xpf "$base"
else
  make_bare_system
  if [[ -n $base ]]; then
    tar -C "$root" --numeric-owner -cf "$base.part" .
    mv "$base.part" "$base"
  fi
fi

# What is needed to reach the network: names, sources, proxies, and the certificate authorities that were added to this
# machine.
for file in /etc/resolv.conf /etc/hosts; do
  [[ ! -f $file ]] || cp --dereference "$file" "$root$file"
done
sources=$(host_sources)
[[ -z $sources ]] || echo "$sources" > "$root/etc/apt/sources.list"
host_acquire_settings > "$root/etc/apt/apt.conf.d/00-as-outside"
[[ ! -d /usr/local/share/ca-certificates ]] || cp -rL /usr/local/share/ca-certificates "$root/usr/local/share/"
git bundle create --quiet "$root/unscatter.bundle" HEAD

environment=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
for name in "${proxy_variables[@]}"; do
  [[ -z ${!name:-} ]] || environment+=("$name=${!name}")
done

# inside USER COMMAND [ARGUMENT...]: runs it in the new system. bash stays there as the first process, which collects
# orphans.  Background jobs ignore two signals, and so would what they start; env restores both.
inside() {
  local user=$1 home=/root change=()
  shift
  if [[ $user != root ]]; then
    home=/home/$user
    change=(setpriv "--reuid=$user" "--regid=$user" --init-groups)
  fi
  # shellcheck disable=SC2016
  contained --root="$root" --wd="$home" env -i --default-signal=INT,QUIT "${environment[@]}" "HOME=$home" "USER=$user" \
    bash -c '
    mount -t devpts -o gid=5,mode=620 devpts /dev/pts && mount -t tmpfs tmpfs /dev/shm || exit
    "$@"
    exit' in-the-new-system "${change[@]}" "$@"
}

# quietly USER COMMAND...: the same for a step whose output matters only if it fails.
quietly() {
  inside "$@" > "$work/log" 2>&1 || {
    cat "$work/log" >&2
    die "'${*:2}' failed in the new system"
  }
}

# The Debian packages that hold the shared libraries of a program.
packages_of() {
  ldd "$1" | awk '$3 ~ /^\// { print $3 }' | while read -r library; do
    # A system whose /lib is a link into /usr knows a file by either name.
    dpkg-query --search "$library" 2> /dev/null || dpkg-query --search "$(realpath "$library")" 2> /dev/null ||
      dpkg-query --search "/usr$library" 2> /dev/null || die "no package has $library"
  done | sed 's/:.*//' | sort -u
}

# predict_there NAME [VARIABLE=VALUE...]: predicts in the new system, and compares with what was predicted outside.
predict_there() {
  local name=$1 threads=0
  shift
  [[ $name != "one thread" ]] || threads=1
  inside root env "$@" /predict/unscatter predict --model /predict/model.json --data /predict/new.jsonl \
    --key /predict/signing.pub --format csv --scores --threads "$threads" \
    > "$work/there.csv" 2> "$work/log" || {
    cat "$work/log" >&2
    die "predict failed in the new system"
  }
  if cmp "$work/here.csv" "$work/there.csv"; then
    echo "$name: the same, $(wc -l < "$work/there.csv") lines, $(sha256sum < "$work/there.csv" | cut -c 1-16)"
  else
    echo "$name: DIFFERENT"
    return 1
  fi
}

compare_predictions() {
  local program=${UNSCATTER_PROGRAM:-build/release/apps/unscatter/unscatter} status=0
  [[ -x $program ]] || die "there is no program $program; build it, or name one by UNSCATTER_PROGRAM"
  mkdir "$root/predict"
  cp "$program" "$root/predict/unscatter"
  echo "== predictions by the workspace, on this machine"
  (
    export UNSCATTER_KEY=$work/signing.key
    "$program" datasets generate "$work/groups.jsonl" --groups 400 --seed 5 --quiet
    "$program" train --data "$work/groups.jsonl" --workspace "$work/w" --quiet
    "$program" release --workspace "$work/w" --out "$root/predict/model.json" --quiet
    # New graphs, without labels.
    "$program" datasets generate "$work/labelled.jsonl" --groups 1000 --seed 6 --quiet
    sed -E 's/"label":("[^"]*"|[0-9]+),//' "$work/labelled.jsonl" > "$root/predict/new.jsonl"
    "$program" predict --workspace "$work/w" --data "$root/predict/new.jsonl" --format csv --scores --quiet \
      > "$work/here.csv"
  ) > "$work/log" 2>&1 || {
    cat "$work/log" >&2
    die "the program failed on this machine"
  }
  cp "$work/signing.pub" "$root/predict/"
  echo "== packages of the program, in the new system"
  quietly root apt-get -qq update
  # shellcheck disable=SC2046  # one package per word
  quietly root env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends \
    $(packages_of "$program")
  echo "== predictions by model.json alone, in the new system"
  predict_there "all threads" || status=1
  predict_there "one thread" || status=1
  predict_there "no FMA, no AVX2" \
    GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2,-AVX512F,-FMA_Usable,-AVX2_Usable,-AVX512F_Usable || status=1
  # Planted: a model in which one weight has one more digit must not pass.
  cp "$root/predict/model.json" "$work/good.json"
  sed -i -E '0,/^ +\[-?[0-9]+\.[0-9]+/s//&7/' "$root/predict/model.json"
  ! cmp -s "$root/predict/model.json" "$work/good.json" || die "the model has no weight that could be changed"
  if (predict_there "a changed model") > "$work/planted" 2>&1; then
    cat "$work/planted"
    echo "a changed model was not noticed"
    status=1
  else
    echo "a changed model: noticed"
  fi
  exit "$status"
}

# The packages of this machine bring all that they need from Debian, and leave when they are purged.
try_packages() {
  shopt -s nullglob
  local built=(build/release/packages/*.deb)
  [[ ${#built[@]} -gt 0 ]] || die "there are no packages in build/release/packages; 'make package' builds them"
  cp "${built[@]}" "$root/root/"
  echo "== ${built[*]##*/}, in the new system"
  quietly root apt-get -qq update
  quietly root env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends \
    "${built[@]/#*\//./}"
  inside root unscatter demo
  quietly root env DEBIAN_FRONTEND=noninteractive apt-get -qq purge --yes unscatter libunscatter-dev
  [[ ! -e $root/var/lib/unscatter && ! -e $root/etc/unscatter ]] || die "a purge left something behind"
  exit 0
}

quietly root update-ca-certificates
[[ $1 != predict ]] || compare_predictions
[[ $1 != install ]] || try_packages
user=root
if $as_user; then
  user=guest
  quietly root apt-get -qq update
  quietly root env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends sudo
  quietly root useradd --create-home --shell /bin/bash "$user"
  echo "$user ALL=(ALL) NOPASSWD: ALL" > "$root/etc/sudoers.d/$user"
fi
quietly "$user" git clone --quiet /unscatter.bundle unscatter

megabytes() { du -sm --one-file-system "$root" | cut -f 1; }
# The processor time, in seconds, of everything that this script has started and that has ended.
processor_time() {
  sed 's/.*) //' "/proc/$$/stat" | awk -v ticks="$(getconf CLK_TCK)" '{ print int(($14 + $15) / ticks) }'
}
disk_before=$(megabytes)
processor_before=$(processor_time)
echo "== make $* (as $user, commit $(git rev-parse --short HEAD), $(nproc) processors)"
status=0
SECONDS=0
inside "$user" make --no-print-directory -C unscatter "$@" || status=$?
echo "== make $*: exit status $status, $SECONDS s ($(($(processor_time) - processor_before)) s of processor time)," \
  "$(($(megabytes) - disk_before)) MB on disk"
exit "$status"
