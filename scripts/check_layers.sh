#!/usr/bin/env bash
# Do the #include lines keep to the layers?  The modules and what each may use are read from the unscatter_add_module()
# calls in src/*/CMakeLists.txt, which CMake checks against the layer numbers.
#
#   scripts/check_layers.sh [ROOT]
#
#   * A file of module M (include/unscatter/M, src/M) includes M and the modules that M names in DEPENDS, no other.
#     This holds for public headers ("unscatter/N/x.h") and for private ones ("N/x.h").
#   * A public header includes the standard library, <Eigen/Core> and "unscatter/...": what users compile is installed,
#     and nothing heavier.
#   * The program in apps/unscatter uses the library as its users do: public headers, and of the private ones the tools
#     of `base` and the headers of the list below.
#   * The binding in python/core uses public headers only.
#   * What lies in a folder src/M/testing is for tests only.
#   * Tests, fuzz targets, bench and apps/laboratory may look inside.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

# One line per module: its name, then its dependencies.
modules=$(cat src/*/CMakeLists.txt | sed 's/#.*//' | tr '()\n\t' '    ' | awk '{
  for (i = 1; i <= NF; ++i) {
    if ($i == "unscatter_add_module") { if (line != "") print line; line = $(i + 1); ++i; inside = 0 }
    else if ($i == "DEPENDS") inside = 1
    else if ($i ~ /^[A-Z_]+$/) inside = 0
    else if (inside) line = line " " $i
  }
  if (line != "") print line
}')
if [[ -z $modules ]]; then
  echo "layer check: no unscatter_add_module() call found under $PWD/src" >&2
  exit 1
fi

# Private headers that the program needs all the same.
#   embedding/npy.h              writes what `embed` has computed
#   embedding/fit_sample.h       constants of what `embed` has not read yet
#   unlearn/paper_setting.h      `train --preset paper`
#   service/serve.h, tokens.h    `serve` and `token`: the service is a part of the program
#   cluster/, comm/              the program under mpirun
program_may="service/serve.h service/tokens.h cluster/crew.h cluster/ranks.h cluster/worker.h comm/communicator.h
  store/shard_crew.h embedding/fit_sample.h embedding/npy.h unlearn/paper_setting.h"

folders=()
for folder in include/unscatter src apps bench python; do
  [[ -d $folder ]] && folders+=("$folder")
done

# /dev/null keeps the file name in grep's output when there is one file only.
include_line='^[[:space:]]*#[[:space:]]*include[[:space:]]+["<]'
{ grep -rnE --include='*.h' --include='*.cc' "$include_line" "${folders[@]}" /dev/null || true; } |
  awk -v modules="$modules" -v program_may="$program_may" '
    BEGIN {
      count = split(program_may, headers, " ")
      for (i = 1; i <= count; ++i) excepted[headers[i]] = 1
      count = split(modules, lines, "\n")
      for (i = 1; i <= count; ++i) {
        words = split(lines[i], word, " ")
        known[word[1]] = 1
        for (k = 1; k <= words; ++k) may[word[1], word[k]] = 1
      }
    }
    function fail(reason) { printf "layer check: %s:%s: %s: %s\n", file, line, included, reason; bad = 1 }
    {
      split($0, field, ":")
      file = field[1]
      line = field[2]
      match($0, /["<][^">]+[">]/)
      included = substr($0, RSTART, RLENGTH)
      name = substr(included, 2, RLENGTH - 2)
      quoted = included ~ /^"/
      public = file ~ /^include\//
      split(file, path, "/")
      split(name, part, "/")
      module = public ? path[3] : (path[1] == "src" ? path[2] : "")
      umbrella = file == "include/unscatter/unscatter.h"
      ours = part[1] == "unscatter"
      private_header = quoted && !ours && (part[1] in known)
      target = ours ? part[2] : part[1]

      if (public && !ours && quoted) { fail("a public header must not include a private one"); next }
      if (public && !ours && name !~ /^[a-z_0-9]+$/ && name != "Eigen/Core") {
        fail("a public header includes only the standard library, <Eigen/Core> and unscatter/"); next
      }
      if (private_header && part[2] == "testing" && path[3] != "testing") { fail("for tests only"); next }
      if (file ~ /^apps\/unscatter\// && private_header && target != "base" && !(name in excepted)) {
        fail("the program includes public headers and tools of base only"); next
      }
      if (file ~ /^python\// && private_header) { fail("the binding includes public headers only"); next }
      if (module == "" || umbrella || (!ours && !private_header)) next
      if (!(module in known)) { fail("module " module " is not declared by unscatter_add_module()"); next }
      if (target !~ /\.h$/ && !(target in known)) { fail("there is no module " target); next }
      if (!((module, target) in may)) fail("module " module " does not name " target " in DEPENDS")
    }
    END { exit bad }' >&2
