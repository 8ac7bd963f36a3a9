#!/usr/bin/env bash
# Format, clang-tidy, layers, references and shell scripts.  Says nothing but "lint: clean" when all is well.
#
#   scripts/lint.sh [FILE.cc...]      clang-tidy on these files only; without arguments on every compiled file
#
# clang-tidy takes several seconds a file, so a file that was clean is not read again until it, a header of ours or
# .clang-tidy changes.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
export LC_ALL=C
readonly folder=build/lint
mkdir -p "$folder/clean"
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

# Configured only: clang-tidy needs the compile commands, not the objects.
bench=OFF
[[ -f bench/CMakeLists.txt ]] && bench=ON
cmake -S . -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=None -DUNSCATTER_BUILD_BENCH=$bench -DUNSCATTER_BUILD_TESTS=ON \
  > "$folder/configure.log" 2>&1 || {
  cat "$folder/configure.log" >&2
  exit 1
}

# Tracked files that are compiled; generated ones are of no interest.
if [[ $# -gt 0 ]]; then
  files=("$@")
else
  mapfile -t files < <(comm -12 <(git ls-files '*.cc' | sort -u) \
    <(sed -n "s|^ *\"file\": \"$PWD/\(.*\)\",\{0,1\}\$|\1|p" "$folder/compile_commands.json" | sort -u))
fi
if [[ ${#files[@]} -eq 0 ]]; then
  echo "lint: no compiled files found" >&2
  exit 1
fi

common=$(git ls-files -z '*.h' '.clang-tidy' '*/.clang-tidy' | xargs -0 cat | sha256sum)
tidy_one() {
  local file=$1 key output
  key=$folder/clean/$({
    echo "$common $file"
    cat "$file"
  } | sha256sum | cut -c 1-64)
  [[ -e $key ]] && return
  # Notes about suppressed warnings in system headers are not for us.
  if output=$(clang-tidy --quiet -p "$folder" "$file" 2>&1); then
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
