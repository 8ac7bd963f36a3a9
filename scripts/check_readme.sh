#!/usr/bin/env bash
# Does the README tell the truth about this tree?
#
#   scripts/check_readme.sh [ROOT]
#
#   * Its C++ lines are those between the marks of examples/ten_lines.cc, so that they compile.
#   * Every `make TARGET`, `unscatter COMMAND` and option of the program that stands in its code exists.
#   * Every link inside the tree, of README.md and of docs/glossary.md, leads to a file, and to a title if it names one.
#   * docs/glossary.md is in alphabetical order, without doubles, and every word has a link.
#   * CITATION.cff names the version of the project.
set -euo pipefail
export LC_ALL=C
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"
readonly example=examples/ten_lines.cc
status=0
complain() {
  echo "readme check: $1" >&2
  status=1
}

# The first fenced block of C++.
shown=$(awk '/^```cpp$/ { inside = 1; next } /^```$/ && inside { exit } inside' README.md)
compiled=$(sed -n '/^\/\/ \[README$/,/^\/\/ README\]$/p' "$example" | sed '1d;$d')
if [[ -z $shown || $shown != "$compiled" ]]; then
  complain "the C++ lines of README.md are not those of $example:"
  diff <(echo "$shown") <(echo "$compiled") >&2 || true
fi

# Code: fenced and indented lines whole, and what stands between backticks elsewhere.
code=$(awk '
  /^```/ { fenced = !fenced; next }
  fenced || /^    / { print; next }
  { n = split($0, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' README.md)

while read -r target; do
  grep -qE "^$target:" Makefile || complain "README.md names \`make $target\`, which the Makefile does not have"
done < <(grep -oE '(^|[^a-z-])make [a-z][a-z-]*' <<< "$code" | sed 's/.*make //' | sort -u)

# Commands of the laboratory are named in a table, because two programs know them.
registered() {
  grep -rqE --include='*.cc' --include='*.h' "(add_subcommand\(|LaboratoryCommand k[A-Za-z]+\{)\"$1\"" apps
}
commands=0
while read -r command below; do
  commands=$((commands + 1))
  registered "$command" || complain "README.md names \`unscatter $command\`, which is no command"
  if [[ $command == datasets ]]; then
    registered "$below" || complain "README.md names \`unscatter datasets $below\`, which is no command"
  fi
done < <(grep -oE '(^|[ /])unscatter [a-z][a-z-]*( [a-z-]+)?' <<< "$code" | sed 's/.*unscatter //' | sort -u)
((commands > 0)) || complain "README.md shows no command of the program"

while read -r option; do
  grep -rqE --include='*.cc' -e "\"(-[a-z],)?${option}[\",]" apps bench src ||
    complain "README.md shows the option $option, which the program does not have"
done < <(grep -E '(^|[ /])unscatter [a-z]' <<< "$code" | sed 's/ #.*//' | grep -oE -e ' --[a-z][a-z-]*' |
  tr -d ' ' | sort -u)

# Titles as links spell them: lower case, no punctuation, hyphens for spaces.
anchors_of() { sed -nE 's/^#+ +(.*)$/\1/p' "$1" | tr 'A-Z' 'a-z' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'; }
for file in README.md docs/glossary.md; do
  while read -r link; do
    path=${link%%#*}
    target=$file
    [[ -n $path ]] && target=$(dirname "$file")/$path
    if [[ ! -e $target ]]; then
      complain "$file links to $link, which is not there"
    elif [[ $link == *"#"* ]] && ! grep -qxF -e "${link#*#}" <(anchors_of "$target"); then
      complain "$file links to $link, but there is no such title"
    fi
  done < <({
    grep -oE '\]\([^)]+\)' "$file" | sed -E 's/^\]\(//; s/\)$//'
    grep -oE '(src|srcset)="[^"]+"' "$file" | sed -E 's/^[a-z]+="//; s/"$//'
  } | grep -vE '^[a-z]+:' | sort -u)
done

# One entry per line: its words, a tab, its text.
entries=$(awk '
  /^\* \*\*/ { if (entry != "") print entry; entry = $0; next }
  /^  / && entry != "" { entry = entry " " $0; next }
  entry != "" { print entry; entry = "" }
  END { if (entry != "") print entry }' docs/glossary.md | sed -E 's/^\* \*\*([^*]*)\*\*/\1\t/')
words=$(cut -f 1 <<< "$entries")
[[ -n $words ]] || complain "docs/glossary.md has no entry"
if ! sort -f -c <<< "$words" 2> /dev/null; then
  complain "docs/glossary.md is not in alphabetical order: $(sort -f -c <<< "$words" 2>&1 | sed 's/.*disorder: //')"
fi
doubles=$(uniq -di <<< "$words")
[[ -z $doubles ]] || complain "docs/glossary.md has two entries for: $doubles"
while IFS=$'\t' read -r word text; do
  [[ $text == *"]("* ]] || complain "docs/glossary.md: '$word' has no link"
done <<< "$entries"

project=$(sed -nE 's/.*project\(unscatter VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
cited=$(sed -nE 's/^version: *"?([0-9.]+)"?$/\1/p' CITATION.cff)
[[ -n $project && $project == "$cited" ]] || complain "CITATION.cff has version '$cited', the project '$project'"
exit $status
