#!/usr/bin/env bash
# check_readme_test.sh CHECK_README: a README that fits its tree passes, and each of these faults is found.
set -euo pipefail
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

make_tree() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/apps/program" "$tree/bench" "$tree/docs" "$tree/examples" "$tree/src"
  cat > "$tree/README.md" << 'END'
# Something

See [the words](docs/glossary.md#glossary) and <img src="picture.svg">. Run `make demo`, not make believe.

```cpp
int answer() { return 42; }
```

    unscatter train --data x.jsonl   # --not-an-option
    unscatter datasets list
    unscatter bench
END
  printf '%s\n' '// [README' 'int answer() { return 42; }' '// README]' > "$tree/examples/ten_lines.cc"
  printf '%s\n' 'demo: build' > "$tree/Makefile"
  printf '%s\n' 'add_subcommand("train", ""); add_subcommand("datasets", ""); add_subcommand("list", "");' \
    'add_option("-d,--data", x);' > "$tree/apps/program/commands.cc"
  echo 'constexpr LaboratoryCommand kBenchCommand{"bench", ""};' > "$tree/apps/program/laboratory.h"
  printf '%s\n' '# Glossary' '' '* **anchor**: A word. [here](glossary.md)' '* **Band**: Two' \
    '  lines. [top](#glossary)' '* **cell**: A word. [up](../README.md#something)' > "$tree/docs/glossary.md"
  echo 'project(unscatter VERSION 1.2.3 LANGUAGES CXX)' > "$tree/CMakeLists.txt"
  echo 'version: 1.2.3' > "$tree/CITATION.cff"
  touch "$tree/picture.svg"
}

# expect_fault WORDS SED FILE: after the edit the check fails, and says so in these words.
expect_fault() {
  make_tree
  sed -i -E "$2" "$tree/$3"
  local output
  if output=$("$check" "$tree" 2>&1); then
    echo "not found: $1" >&2
    exit 1
  fi
  [[ $output == *"$1"* ]] || {
    echo "expected '$1', got: $output" >&2
    exit 1
  }
}

make_tree
"$check" "$tree"
expect_fault "are not those of examples/ten_lines.cc" 's/42/43/' README.md
expect_fault "are not those of examples/ten_lines.cc" 's/\[README/[ELSEWHERE/' examples/ten_lines.cc
expect_fault "names \`make demo\`" 's/^demo/other/' Makefile
expect_fault "names \`unscatter train\`" 's/"train"/"learn"/' apps/program/commands.cc
expect_fault "names \`unscatter datasets list\`" 's/"list"/"show"/' apps/program/commands.cc
expect_fault "names \`unscatter bench\`" 's/"bench"/"measure"/' apps/program/laboratory.h
expect_fault "shows the option --data" 's/--data/--dataset/' apps/program/commands.cc
expect_fault "shows no command" 's/unscatter/something/' README.md
expect_fault "README.md links to nowhere.md, which is not there" 's/docs.glossary.md#glossary/nowhere.md/' README.md
expect_fault "links to picture.png, which is not there" 's/picture.svg/picture.png/' README.md
expect_fault "no such title" 's/md#glossary/md#words/' README.md
expect_fault "no such title" 's/\(#glossary/(#words/' docs/glossary.md
expect_fault "not in alphabetical order" 's/anchor/zebra/' docs/glossary.md
expect_fault "two entries for" 's/anchor/band/' docs/glossary.md
expect_fault "'cell' has no link" 's/ \[up\].*//' docs/glossary.md
expect_fault "CITATION.cff has version" 's/1.2.3/1.2.4/' CITATION.cff
