#!/usr/bin/env bash
# check_layers_test.sh CHECK_LAYERS: plants faults in a small tree and expects each to be found, with the right words.
set -euo pipefail
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

mkdir -p "$tree"/{include/unscatter,src}/{ground,wall,roof} "$tree"/{apps/unscatter,bench}
echo 'unscatter_add_module(ground LAYER 0 HEADERS g.h SOURCES g.cc)' > "$tree/src/ground/CMakeLists.txt"
printf 'unscatter_add_module(wall LAYER 1  # DEPENDS roof\n  DEPENDS ground\n  SOURCES w.cc)\n' \
  > "$tree/src/wall/CMakeLists.txt"
printf 'unscatter_add_module(roof LAYER 2 SOURCES r.cc\n  DEPENDS\n    ground wall)' > "$tree/src/roof/CMakeLists.txt"
printf '#include "unscatter/ground/g.h"\n#include "unscatter/wall/w.h"\n' > "$tree/include/unscatter/unscatter.h"
printf '#include <vector>\n#include <Eigen/Core>\n#include "unscatter/ground/g.h"\n' \
  > "$tree/include/unscatter/wall/w.h"
printf '#include <nlohmann/json.hpp>\n#include "wall/inner.h"\n#include "unscatter/wall/w.h"\n' > "$tree/src/wall/w.cc"
printf '#include "unscatter/ground/g.h"\n#include "unscatter/wall/w.h"\n' > "$tree/src/roof/r.cc"
printf '#include "wall/inner.h"\n' > "$tree/src/roof/inner.h"
printf '#include "unscatter/unscatter.h"\n#include "own.h"\n' > "$tree/apps/unscatter/main.cc"
printf '#include "wall/inner.h"\n' > "$tree/bench/look.cc"

"$check" "$tree" || {
  echo "the sound tree is refused" >&2
  exit 1
}

# expect_fault FILE INCLUDE WORDS
expect_fault() {
  local file=$tree/$1 output
  printf '#pragma once\n#include %s\n' "$2" > "$file"
  if output=$("$check" "$tree" 2>&1); then
    echo "not found: $1 with #include $2" >&2
    exit 1
  fi
  rm "$file"
  [[ $output == "layer check: $1:2: $2: $3" ]] || {
    echo "expected 'layer check: $1:2: $2: $3', got: $output" >&2
    exit 1
  }
}

expect_fault src/ground/bad.cc '"unscatter/wall/w.h"' 'module ground does not name wall in DEPENDS'
expect_fault src/ground/bad.cc '"wall/inner.h"' 'module ground does not name wall in DEPENDS'
expect_fault src/wall/bad.h '"unscatter/roof/r.h"' 'module wall does not name roof in DEPENDS'
expect_fault src/wall/bad.h '"unscatter/unscatter.h"' 'module wall does not name unscatter.h in DEPENDS'
expect_fault src/wall/bad.h '"unscatter/cellar/c.h"' 'there is no module cellar'
expect_fault include/unscatter/ground/bad.h '"unscatter/wall/w.h"' 'module ground does not name wall in DEPENDS'
expect_fault include/unscatter/wall/bad.h '"wall/inner.h"' 'a public header must not include a private one'
readonly heavy='a public header includes only the standard library, <Eigen/Core> and unscatter/'
expect_fault include/unscatter/wall/bad.h '<nlohmann/json.hpp>' "$heavy"
expect_fault include/unscatter/wall/bad.h '<Eigen/Dense>' "$heavy"
expect_fault include/unscatter/roof/bad.h '"wall/inner.h"' 'a public header must not include a private one'
expect_fault apps/unscatter/bad.cc '"wall/inner.h"' 'the program includes public headers and tools of base only'
expect_fault src/roof/bad.cc '"wall/testing/seeded.h"' 'for tests only'
expect_fault bench/bad.cc '"wall/testing/seeded.h"' 'for tests only'
