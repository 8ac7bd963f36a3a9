#!/usr/bin/env bash
# Format, clang-tidy, layers, references, README, tests and shell scripts.  Says nothing but "lint: clean" when all is
# well.
#
#   scripts/lint.sh [FILE.cc...]      clang-tidy on these files only; without arguments on every compiled file
#
# Most of clang-tidy's time goes into third-party headers, which it walks through again for every file.  Without
# arguments it therefore reads all sources of a target at once.  A group that was clean is not read again until one of
# its files, a header of ours or a .clang-tidy changes.  Measured: a group takes 5 to 34 s of processor time, and the
# 151 sources of src in their ten groups take 215 s.
#
# A file that is named is read alone.  This also shows whether it includes what it uses.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
export LC_ALL=C
status=0

scripts/format.sh --check || status=1
scripts/check_layers.sh || status=1
scripts/check_references.sh || status=1
scripts/umbrella_header.sh --check || status=1
scripts/check_readme.sh || status=1
scripts/check_tests.sh || status=1

mapfile -t shell_scripts < <(git ls-files '*.sh' .ci/run)
for script in "${shell_scripts[@]}"; do
  bash -n "$script" || status=1
done
if command -v shellcheck > /dev/null; then
  shellcheck --severity=warning "${shell_scripts[@]}" || status=1
fi

# A group and a file that is read alone need different compile commands, so there are two folders.
together=ON
folder=build/lint/together
if [[ $# -gt 0 ]]; then
  together=OFF
  folder=build/lint/alone
fi
readonly folder together
mkdir -p "$folder/clean" "$folder/tests"

# Configured only: clang-tidy needs the compile commands, not the objects.
bench=OFF
[[ -f bench/CMakeLists.txt ]] && bench=ON
cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=None -DUNSCATTER_BUILD_BENCH=$bench -DUNSCATTER_BUILD_TESTS=ON \
  -DCMAKE_UNITY_BUILD=$together -DCMAKE_UNITY_BUILD_BATCH_SIZE=0 > "$folder/configure.log" 2>&1 || {
  cat "$folder/configure.log" >&2
  exit 1
}
# clang-tidy looks for its settings above the file that it is given, and that of a group lies in the build folder.
cp tests/.clang-tidy "$folder/tests/.clang-tidy"

# Tracked files that are compiled, and groups of them.  Other generated files are of no interest, such as those that
# include one public header each.
if [[ $# -gt 0 ]]; then
  files=("$@")
else
  mapfile -t compiled < <(
    sed -n "s|^ *\"file\": \"$PWD/\(.*\)\",\{0,1\}\$|\1|p" "$folder/compile_commands.json" | sort -u)
  mapfile -t files < <(comm -12 <(git ls-files '*.cc' | sort -u) <(printf '%s\n' "${compiled[@]}")
    printf '%s\n' "${compiled[@]}" | grep '/Unity/unity_[0-9]*_cxx\.cxx$' |
    grep -v '/public_headers_alone\.dir/')
fi
if [[ ${#files[@]} -eq 0 ]]; then
  echo "lint: no compiled files found" >&2
  exit 1
fi

common=$(git ls-files -z '*.h' '*.inc' '.clang-tidy' '*/.clang-tidy' | xargs -0 cat | sha256sum)
tidy_one() {
  local file=$1 key output sources=() filter=()
  if [[ $file == */Unity/* ]]; then
    mapfile -t sources < <(sed -n 's|^#include "\(.*\)"$|\1|p' "$file")
    # To clang-tidy the sources of a group are headers.
    filter=("--header-filter=$PWD/(include|src|apps|tests|bench|examples)/.*\.(h|cc)$")
  fi
  key=$folder/clean/$({
    echo "$common $file"
    cat "$file" "${sources[@]}"
  } | sha256sum | cut -c 1-64)
  [[ -e $key ]] && return
  # Notes about suppressed warnings in system headers are not for us.
  if output=$(clang-tidy --quiet -p "$folder" "${filter[@]}" "$file" 2>&1); then
    touch "$key"
  else
    grep -v ' warnings\{0,1\} generated\.$' <<< "$output" >&2
    return 1
  fi
}
export -f tidy_one
export common folder
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'tidy_one "$0"' || status=1

((status == 0)) && echo "lint: clean"
exit $status
