#!/usr/bin/env bash
# completion_fish_test.sh UNPACKED: what fish offers.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$(dirname "$0")/common.sh"
unpacked=$1
has_packages "$unpacked"
need fish
script=$unpacked/unscatter/usr/share/fish/vendor_completions.d/unscatter.fish
export HOME=$work
touch "$work/some-file.jsonl"
fish --no-execute "$script" || fail "fish does not read the script"

# offered LINE: what fish offers at the end of the line, without descriptions.
offered() {
  (cd "$work" && fish --no-config --command "source $script; complete -C '$1'" | cut -f 1 | sort -u)
}
expect() {
  diff <(tr ' ' '\n' <<< "$1" | sed '/^$/d' | sort) <(offered "$2") || fail "<: wanted, >: offered for '$2'"
}

program=$unpacked/unscatter/usr/bin/unscatter
commands=$("$program" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | tr '\n' ' ')
expect "$commands" 'unscatter '
expect 'train' 'unscatter trai'
expect 'list info generate fetch' 'unscatter datasets '
expect '--workspace' 'unscatter forget --works'
expect 'row column symmetric' 'unscatter train --operator '
expect '--operator=column' 'unscatter train --operator=c'
expect 'groups fraud' 'unscatter datasets generate --kind '
expect 'bash zsh fish' 'unscatter --completion '
expect 'some-file.jsonl' 'unscatter train --data some-'
expect 'some-file.jsonl' 'unscatter datasets info some-'
expect '' 'unscatter train --seed '
expect '--workspace' 'unscatter train --data forget --works'
expect '--retrain' 'unscatter --config datasets verify --retr'

grep -v "'__unscatter_at unscatter forget'.* -l workspace" "$script" > "$work/planted.fish"
script=$work/planted.fish
must_fail "a script that forgot an option" expect '--workspace' 'unscatter forget --works'
