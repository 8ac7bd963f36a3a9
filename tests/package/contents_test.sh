#!/usr/bin/env bash
# contents_test.sh SOURCE UNPACKED: what is in the packages, and what they say about themselves.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$(dirname "$0")/common.sh"
source=$1
unpacked=$2
has_packages "$unpacked"

# Everything in the package of the program.  The pages of commands are another test's business.
program_files() {
  cat << 'END'
etc/unscatter/default.conf
usr/bin/unscatter
usr/lib/unscatter/unscatter-network.so
usr/lib/systemd/system/unscatter@.service
usr/share/bash-completion/completions/unscatter
usr/share/doc/unscatter/changelog.Debian.gz
usr/share/doc/unscatter/changelog.gz
usr/share/doc/unscatter/copyright
usr/share/doc/unscatter/examples/tls.conf
usr/share/fish/vendor_completions.d/unscatter.fish
usr/share/lintian/overrides/unscatter
usr/share/man/man1/unscatter.1.gz
usr/share/man/man8/unscatter.service.8.gz
usr/share/zsh/vendor-completions/_unscatter
END
}

check_program() {
  diff <(program_files | sort) \
    <(cd "$1" && find . -type f -printf '%P\n' | grep -v '^usr/share/man/man1/unscatter-[a-z-]*\.1\.gz$' | sort) ||
    fail "the files of unscatter (>) are not those that are wanted (<)"
  # Settings of the administrator survive an upgrade only if they are named here.
  diff <(cd "$1" && find etc -type f -printf '/%p\n' | sort) <(sort "$2/conffiles") ||
    fail "conffiles (>) are not the files in /etc (<)"
}

# Public headers and the modules of the product.  Nothing of the laboratory, of Python, or of this machine.
check_development() {
  diff <(cd "$source/include" && find . -type f | sort) <(cd "$1/usr/include" && find . -type f | sort) ||
    fail "the headers (>) are not the public ones (<)"
  local module
  for module in "$source"/src/*/; do
    if grep -q '^unscatter_add_module(.* \(LABORATORY\|PROGRAM\)' "$module/CMakeLists.txt"; then continue; fi
    [[ -f $1/usr/lib/libunscatter_$(basename "$module").a ]] || fail "no library of the module $(basename "$module")"
  done
}

check_both() {
  local folder strangers
  for folder in "$@"; do
    strangers=$(find "$folder" \( -iname '*laborator*' -o -name '*experiment*' -o -name '*reembedding*' -o \
      -name '*bench*' -o -name '*.py' -o -name '*test*' \) -printf '%P ')
    [[ -z $strangers ]] || fail "does not belong into a package: $strangers"
    if grep -rlF "$source" "$folder"; then fail "the files above name the folder that they were built in"; fi
    (cd "$folder" && md5sum --check --quiet --strict "$folder.control/md5sums") || fail "md5sums are wrong"
    [[ $(find "$folder" -type f | wc -l) -eq $(wc -l < "$folder.control/md5sums") ]] || fail "md5sums are not complete"
    strangers=$(find "$folder" ! -type l -perm /022 -printf '%P ')
    [[ -z $strangers ]] || fail "others may write to: $strangers"
  done
}

# Every library that the program or its plug-in is linked with is in a package that it depends on.
need objdump dpkg-query
mapfile -t libraries < <(objdump -p "$unpacked/unscatter/usr/bin/unscatter" \
  "$unpacked/unscatter/usr/lib/unscatter/unscatter-network.so" | awk '$1 == "NEEDED" { print $2 }' | sort -u)
[[ ${#libraries[@]} -gt 0 ]] || fail "the program is linked with nothing"
owners=$(dpkg-query --search "${libraries[@]/#/*/}" || true)
check_depends() {
  local library owner
  for library in "${libraries[@]}"; do
    owner=$(sed -n "s|:.*/$library\$||p" <<< "$owners" | sort -u | sed 's/[+.]/\\&/g' | paste -sd '|')
    grep -qE "^Depends:.*[ ,](${owner:-none})( |,|$)" "$1/control" ||
      fail "$library is in ${owner:-no package}, which is not among the dependencies"
  done
}

check_words() {
  local file=$1/control version
  grep -qx 'Maintainer: unscatter developers <.*>' "$file" || fail "who maintains it is told otherwise"
  version=$(sed -n 's/^Version: //p' "$file")
  [[ $(zcat "$2"/changelog.Debian.gz | sed -n '1s/.*(\(.*\)).*/\1/p') == "$version" ]] ||
    fail "the first entry of package/debian/changelog is not about version $version"
  # The words of the licence, whatever the lines.
  diff <(sed -n '/^Permission/,$p' "$source/LICENSE" | tr -s ' \n' '\n') \
    <(sed -n '/^ Permission/,$p' "$2/copyright" | sed 's/^ \.$//' | tr -s ' \n' '\n' | sed '1{/^$/d}') ||
    fail "copyright has another licence than LICENSE"
}

program=$unpacked/unscatter
development=$unpacked/libunscatter-dev
check_program "$program" "$program.control"
check_development "$development"
check_both "$program" "$development"
check_depends "$program.control"
check_words "$program.control" "$program/usr/share/doc/unscatter"
check_words "$development.control" "$development/usr/share/doc/libunscatter-dev"
grep -qx 'Section: science' "$program.control/control" || fail "the section of unscatter is wrong"
grep -qx 'Section: libdevel' "$development.control/control" || fail "the section of libunscatter-dev is wrong"
for script in postinst prerm postrm; do sh -n "$program.control/$script"; done

# Planted faults.
cp -r "$program" "$program.control" "$work"
planted=$work/unscatter
touch "$planted/usr/bin/unscatter-laboratory"
must_fail "a program of the laboratory" check_program "$planted" "$planted.control"
must_fail "a program of the laboratory" check_both "$planted"
rm "$planted/usr/bin/unscatter-laboratory"
: > "$planted.control/conffiles"
must_fail "settings that an upgrade overwrites" check_program "$planted" "$planted.control"
echo >> "$planted/etc/unscatter/default.conf"
must_fail "a changed file" check_both "$planted"
sed -i 's/libtbb12[^,]*, //; s/, libtbb12[^,]*//' "$planted.control/control"
must_fail "a missing dependency" check_depends "$planted.control"
sed -i 's/^Version: .*/Version: 9.9-1/' "$planted.control/control"
must_fail "a version without an entry" check_words "$planted.control" "$program/usr/share/doc/unscatter"
