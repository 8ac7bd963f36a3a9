#!/usr/bin/env bash
# completion_bash_test.sh UNPACKED: what bash offers, asked in the way in which it asks itself.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$(dirname "$0")/common.sh"
unpacked=$1
has_packages "$unpacked"
script=$unpacked/unscatter/usr/share/bash-completion/completions/unscatter
touch "$work/some-file.jsonl" "$work/some file"
mkdir "$work/some-folder"

# offered WORD...: what an interactive bash offers for the last word, one per line.
offered() {
  (
    cd "$work"
    # shellcheck disable=SC2016  # the inner shell expands it
    bash --norc --noprofile -i -c '
      source "$1" || exit 1
      shift
      [[ $(complete -p unscatter) == "complete -F _unscatter unscatter" ]] || exit 2
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
      _unscatter
      [[ ${#COMPREPLY[@]} -eq 0 ]] || printf "%s\n" "${COMPREPLY[@]}"' bash "$script" "$@" 2> "$work/errors" | sort
  )
}

# expect 'EXPECTED...' WORD...: exactly these, in any order.
expect() {
  local wanted=$1
  shift
  diff <(tr ' ' '\n' <<< "$wanted" | sed '/^$/d' | sort) <(offered "$@") || fail "<: wanted, >: offered for '$*'"
}

program=$unpacked/unscatter/usr/bin/unscatter
commands() { "$program" "$@" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | tr '\n' ' '; }
[[ $(commands) == *train*forget* ]] || fail "--help names no commands"
expect "$(commands)" unscatter ''
expect 'train' unscatter tra
expect "$(commands datasets)" unscatter datasets ''
expect '--workspace' unscatter forget --works
expect '--version' unscatter --ver
expect 'bash zsh fish' unscatter --completion ''
expect 'row column symmetric' unscatter train --operator ''
expect 'column' unscatter train --operator c
expect 'column' unscatter train --operator = c
expect 'row column symmetric' unscatter train --operator =
expect 'groups fraud' unscatter datasets generate --kind ''
expect 'some-file.jsonl some-folder' unscatter train --data some-f
expect 'some-file.jsonl some-folder' unscatter --config some-f
expect 'some-file.jsonl' unscatter datasets info some-file
expect '' unscatter train --seed ''
expect '' unscatter train --nothing-like-that
# A value that looks like a command is none, and an option behind a value is completed again.
expect '--workspace' unscatter train --data forget --works
expect '--retrain' unscatter --config datasets verify --retr
# A name with a space is one name.
[[ $(offered unscatter train --data 'some f') == 'some file' ]] || fail "a name with a space is torn apart"
# Every option of every command.
for command in '' $(commands) $(commands datasets | sed 's/[a-z]*/datasets+&/g; s/datasets+ / /g; s/datasets+$//'); do
  read -ra path <<< "${command//+/ }"
  expect "$("$program" "${path[@]}" --help | sed -nE 's/^  ((-[a-z]),)?(--[a-z-]+).*/\2 \3/p; s/^  (-[a-z]) .*/\1/p' |
    tr '\n' ' ')" unscatter "${path[@]}" -
done

# A planted fault: a script that forgot an option.
sed 's/ --workspace / /' "$script" > "$work/planted"
script=$work/planted
must_fail "a script that forgot an option" expect '--workspace' unscatter forget --works
