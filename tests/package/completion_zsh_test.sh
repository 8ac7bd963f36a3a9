#!/usr/bin/env bash
# completion_zsh_test.sh UNPACKED: an interactive zsh in a terminal of its own; the tabulator key completes.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$(dirname "$0")/common.sh"
unpacked=$1
has_packages "$unpacked"
need zsh
folder=$unpacked/unscatter/usr/share/zsh/vendor-completions
touch "$work/some-file.jsonl"
zsh -n "$folder/_unscatter" || fail "zsh does not read the script"

# Every line of standard input is typed, and completed.  Prints what is then on the command line.
cat > "$work/type.zsh" << 'END'
zmodload zsh/zpty
zpty -b shell zsh -f -i
say() { zpty -w shell "$1"; }
until_said() {
  local line
  repeat 1500; do
    if zpty -r -t shell line; then
      if [[ $line == *"$1"* ]]; then REPLY=$line; return 0; fi
    else
      sleep 0.02
    fi
  done
  print -u 2 "zsh did not say $1"
  exit 1
}
say "PS1=; PS2=; unsetopt beep list_beep; cd $2; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
say 'tell() { print -r -- "<on:$BUFFER:on>"; BUFFER=; zle -R }'
say 'zle -N tell; bindkey "^X" tell; bindkey "^I" complete-word'
say 'print re""ady'
until_said ready
while IFS= read -r typed; do
  zpty -w -n shell "$typed"$'\t\x18'
  until_said ':on>'
  REPLY=${REPLY##*<on:}
  print -r -- "${REPLY%%:on>*}"
done
zpty -d shell
END
completed() { zsh -f "$work/type.zsh" "$1" "$work" 2> "$work/errors" | sed 's/ *$//'; }

cat > "$work/cases" << 'END'
unscatter trai|unscatter train
unscatter forget --works|unscatter forget --workspace
unscatter train --operator c|unscatter train --operator column
unscatter train --operator=c|unscatter train --operator=column
unscatter datasets gen|unscatter datasets generate
unscatter datasets generate --kind f|unscatter datasets generate --kind fraud
unscatter --completion z|unscatter --completion zsh
unscatter train --data some-|unscatter train --data some-file.jsonl
unscatter datasets info some-|unscatter datasets info some-file.jsonl
unscatter train --data forget --works|unscatter train --data forget --workspace
unscatter train --seed some-|unscatter train --seed some-
END
completes() {
  diff <(cut -d '|' -f 2 "$work/cases" | sed 's/--workspace$/&=/') \
    <(cut -d '|' -f 1 "$work/cases" | completed "$1" | sed 's/--workspace=*$/--workspace=/') ||
    fail "<: wanted, >: on the command line; $(cat "$work/errors")"
}
completes "$folder"

mkdir "$work/planted"
grep -v -e '--workspace=' "$folder/_unscatter" > "$work/planted/_unscatter"
sed -i '/--workspace$/!d; q' "$work/cases"
must_fail "a script that forgot an option" completes "$work/planted"
