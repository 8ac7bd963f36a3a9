#!/usr/bin/env bash
# system_calls_test.sh UNPACKED: what the program does when it trains, forgets and verifies is what the unit allows:
# its system calls, no memory that is both writable and executable, nothing of /proc but processes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$(dirname "$0")/common.sh"
unpacked=$1
has_packages "$unpacked"
need systemd-analyze strace
unit=$unpacked/unscatter/usr/lib/systemd/system/unscatter@.service
cp "$unpacked/unscatter/usr/bin/unscatter" "$work/"
strace -o /dev/null true 2> /dev/null || skip "strace may not look at processes here"

# members SET...: the system calls of systemd's sets, one per line.
members() {
  local set inner
  for set in "$@"; do
    while read -r inner; do
      case $inner in
        '#'* | "$set" | '') ;;
        @*) members "$inner" ;;
        *) echo "$inner" ;;
      esac
    done < <(systemd-analyze syscall-filter "$set")
  done
}
# allowed UNIT: what its filter leaves.  systemd itself always allows @default.
allowed() {
  local given taken
  given=$(sed -n 's/^SystemCallFilter=\([^~]*\)$/\1/p' "$1")
  taken=$(sed -n 's/^SystemCallFilter=~//p' "$1")
  # shellcheck disable=SC2086  # a set per word
  comm -23 <(members $given | sort -u) <([[ -z $taken ]] || members $taken | sort -u)
  members @default
}
used() { sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' "$work/trace" | sort -u; }
within() {
  local strangers
  strangers=$(comm -23 <(used) <(allowed "$1" | sort -u))
  [[ -z $strangers ]] || fail "the unit does not allow: $strangers"
}

export HOME=$work
unset XDG_CONFIG_HOME XDG_CACHE_HOME UNSCATTER_KEY UNSCATTER_CONFIG
cat > "$work/session.sh" << 'END'
"$1" datasets generate groups.jsonl --groups 60 --quiet && "$1" train --data groups.jsonl --workspace w --quiet &&
  "$1" forget --workspace w --graph 3 --quiet && "$1" release --workspace w --out model.json --quiet &&
  "$1" predict --model model.json --data groups.jsonl --out p.csv --quiet && "$1" verify --workspace w --quiet
END
# As root, SQLite gives files to their owner; the service is not root.  It sees of /proc what ProcSubset=pid shows.
as_service=()
if [[ $(id -u) -eq 0 ]]; then
  unshare --mount true 2> /dev/null || skip "a process cannot have mounts of its own here"
  chown nobody:nogroup "$work"
  grep -qx ProcSubset=pid "$unit" || fail "the unit shows more of /proc than this test"
  # shellcheck disable=SC2016  # the inner shell expands it
  as_service=(unshare --mount --pid --fork --kill-child sh -c 'mount -t proc -o subset=pid proc /proc &&
    exec setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"' sh)
fi
(cd "$work" && "${as_service[@]}" strace -f -o trace sh session.sh ./unscatter > log 2>&1) || fail "$(cat "$work/log")"
[[ $(used | wc -l) -gt 20 ]] || fail "strace saw almost nothing"
# The shell of this test starts programs; the service does not.
sed -i -E '/^[0-9]+ +(execve|wait4|vfork|clone|getppid)\(/d' "$work/trace"
within "$unit"
! grep -E '(mmap|mprotect)\(.*PROT_WRITE\|PROT_EXEC' "$work/trace" || fail "memory is writable and executable"

sed 's/^SystemCallFilter=~.*/&  fdatasync fsync/; s/^SystemCallFilter=@system-service/SystemCallFilter=@basic-io/' \
  "$unit" > "$work/planted"
must_fail "a filter that is too narrow" within "$work/planted"
