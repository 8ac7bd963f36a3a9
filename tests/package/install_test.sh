#!/usr/bin/env bash
# install_test.sh UNPACKED: the packages come and go on a Debian that is a copy of this one.  The copy is an overlay:
# everything that is written goes into memory and is dropped.  Root is needed for that.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$(dirname "$0")/common.sh"
unpacked=$1
has_packages "$unpacked"
need unshare chroot dpkg adduser
umask 022
[[ $(id -u) -eq 0 ]] || skip "only root can make a system to change into"

cat > "$work/overlay.sh" << 'END'
set -e
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
END
mkdir "$work/system" "$work/packages"
cp "$unpacked"/packages/*.deb "$work/packages/"
unshare --mount sh "$work/overlay.sh" "$work/system" 2> "$work/log" || skip "no overlay can be mounted here"

cat > "$work/inside.sh" << 'END'
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
say() { echo "inside: $*" >&2; exit 1; }
rm -f /var/lib/man-db/auto-update  # pages need not be indexed
mount -t proc proc /proc
# No service manager runs here.
mkdir -p /run/systemd && rm -rf /run/systemd/system
workspaces=/var/lib/unscatter
! getent passwd unscatter > /dev/null || say "there is a user unscatter already"

# Installed: the user, the folder, nothing enabled.
dpkg --install /packages/*.deb > /log 2>&1 || { cat /log >&2; say "it cannot be installed"; }
[ "$(getent passwd unscatter | cut -d : -f 6-7)" = "$workspaces:/usr/sbin/nologin" ] || say "$(getent passwd unscatter)"
[ "$(stat -c '%U:%G %a' $workspaces)" = "unscatter:unscatter 750" ] || say "$(stat -c '%U:%G %a' $workspaces)"
[ -z "$(find /etc/systemd/system /etc/rc?.d -name '*unscatter*' 2> /dev/null)" ] || say "a unit was enabled"
dpkg --verify unscatter libunscatter-dev
[ "$(dpkg-query -W -f '${db:Status-Abbrev}' unscatter)" = 'ii ' ] || say "it is not installed as a whole"

# The user of the service works in its folder, and nobody else looks into it.
as() { user=$1; shift; setpriv --reuid="$user" --regid="$user" --init-groups env HOME=$workspaces "$@"; }
cd /
as unscatter unscatter datasets generate $workspaces/g.jsonl --groups 40 --quiet > /log
as unscatter unscatter train --data $workspaces/g.jsonl --workspace $workspaces/default.unscatter --quiet > /log
[ -s $workspaces/.config/unscatter/signing.key ] || say "the key is not where the unit looks for it"
! as nobody cat $workspaces/default.unscatter > /dev/null 2>&1 || say "everybody may read the workspace"
man -w unscatter unscatter-train unscatter.service > /log 2>&1 || say "$(cat /log)"
if command -v systemd-analyze > /dev/null; then
  systemd-analyze verify unscatter@default.service > /log 2>&1 || { cat /log >&2; say "the unit is not understood"; }
fi

# Settings survive an upgrade, and so does what the owner did with the folder.
echo '# mine' >> /etc/unscatter/default.conf
chmod 0700 $workspaces
dpkg --install --force-confdef --force-confold /packages/unscatter_*.deb > /log 2>&1 || say "$(cat /log)"
grep -q '^# mine$' /etc/unscatter/default.conf || say "an upgrade overwrote the settings"
[ "$(stat -c %a $workspaces)" = 700 ] || say "an upgrade changed the rights of the folder"

# Removed: settings stay.  Purged: settings and links go, workspaces and their owner stay.
mkdir -p /etc/systemd/system/multi-user.target.wants
ln -s /usr/lib/systemd/system/unscatter@.service /etc/systemd/system/multi-user.target.wants/unscatter@default.service
before=$(sha256sum $workspaces/default.unscatter)
dpkg --remove unscatter libunscatter-dev > /log 2>&1 || say "$(cat /log)"
[ ! -e /usr/bin/unscatter ] && [ -e /etc/unscatter/default.conf ] || say "a removal took too little or too much"
dpkg --purge unscatter > /log 2>&1 || say "$(cat /log)"
grep -q 'holds data' /log || say "a purge does not tell what it left: $(cat /log)"
[ "$(sha256sum $workspaces/default.unscatter)" = "$before" ] || say "a purge touched a workspace"
getent passwd unscatter > /dev/null || say "a purge took the owner of the workspaces"
[ ! -e /etc/unscatter ] || say "a purge left settings"
[ ! -L /etc/systemd/system/multi-user.target.wants/unscatter@default.service ] || say "a purge left a link"

# Without workspaces a purge leaves nothing.
dpkg --install /packages/unscatter_*.deb > /log 2>&1 || say "it cannot be installed again: $(cat /log)"
rm -rf $workspaces/* $workspaces/.config
dpkg --purge unscatter > /log 2>&1 || say "$(cat /log)"
[ ! -e $workspaces ] || say "a purge left an empty folder"
! getent passwd unscatter > /dev/null || say "a purge left the user"
left=$(find /etc /usr /var /opt /root -xdev -name '*unscatter*' -newer /started -not -path '/var/log/*' \
  -not -path '/var/cache/*')
[ -z "$left" ] || say "left behind: $left"
END
cat > "$work/outside.sh" << 'END'
set -e
sh "$1/overlay.sh" "$1/system"
root=$1/system/root
cp -r "$1/packages" "$root/packages"
cp "$1/inside.sh" "$root/inside.sh"
touch "$root/started"
sleep 0.01
exec chroot "$root" sh /inside.sh
END
unshare --mount --pid --fork --kill-child sh "$work/outside.sh" "$work" || fail "see above"
