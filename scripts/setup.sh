#!/usr/bin/env bash
# Installs the Debian 12 packages that one purpose needs.  Does nothing if all of them are there.
#
#   scripts/setup.sh [--dry-run] [PURPOSE]...     (default: demo)
#
# Purposes: demo tutorial test package python torch web bench lint fuzz gin plots mpi.
#
# --dry-run says what would be installed.  UNSCATTER_SKIP_SETUP=1 skips everything.
set -euo pipefail

readonly build_packages=(
  g++ make cmake ninja-build pkg-config ccache
  libeigen3-dev liblbfgspp-dev libhwy-dev libtbb-dev libarchive-dev libsodium-dev libsqlite3-dev libfmt-dev
  libxxhash-dev nlohmann-json3-dev libboost-dev libcli11-dev libcurl4-openssl-dev libssl-dev zlib1g-dev
  ca-certificates)
# The Python package and what its tests use: the packages that it works with, and the tools that check it.
readonly python_packages=(
  python3 python3-dev python3-pybind11 pybind11-dev python3-pip python3-venv python3-setuptools python3-wheel
  python3-numpy python3-scipy python3-sklearn python3-networkx python3-matplotlib python3-pytest python3-hypothesis
  python3-tqdm python3-pandas python3-sphinx mypy)
# An example embeds by a network.  Its BLAS library is a faster one than the plain one.
readonly torch_packages=(python3-torch libopenblas0-serial)
# Many machines: the plug-in is built where MPI is, and its tests start real ranks.
readonly mpi_packages=(libopenmpi-dev openmpi-bin)
readonly fuzz_packages=(clang-14 libclang-rt-14-dev)
readonly package_packages=(dpkg-dev)
# The tests of the packages look at them with Debian's own checker, the shells that complete and what reads the unit.
readonly package_test_packages=("${package_packages[@]}" lintian man-db zsh fish systemd strace)
# The page.  A Node.js that came from somewhere else brings npm along and does not agree with Debian's.
web_packages=()
command -v npm > /dev/null || web_packages=(nodejs npm)
readonly web_packages
# The release build compiles the benchmarks, so that they always compile.  The page is tested in a browser.
readonly test_packages=(
  libgtest-dev libbenchmark-dev chromium python3-jsonschema curl openssl libfaketime "${python_packages[@]}"
  "${web_packages[@]}" "${package_test_packages[@]}" "${mpi_packages[@]}" iproute2 python3-yaml)
readonly bench_packages=(libbenchmark-dev python3 python3-numpy python3-scipy python3-sklearn)
# The baseline of the experiments. libtorch takes the BLAS library that it finds.  The plain one is ten times slower
# than this one.
readonly gin_packages=(libtorch-dev libopenblas0-serial)
readonly plots_packages=(python3 python3-matplotlib)
# clang-tidy reads every source, so lint needs the headers that tests and benchmarks include.
readonly lint_packages=(clang-format clang-tidy shellcheck libgtest-dev libbenchmark-dev)
# Enough to try a build on a system where packages cannot be queried.
readonly build_tools=(cmake ninja pkg-config)

die() {
  echo "setup: $*" >&2
  exit 1
}

[[ "${UNSCATTER_SKIP_SETUP:-0}" == 1 ]] && exit 0

dry_run=false
packages=("${build_packages[@]}")
for argument in "$@"; do
  case "$argument" in
    --dry-run) dry_run=true ;;
    demo) ;;
    tutorial) packages+=(python3) ;;
    test) packages+=("${test_packages[@]}") ;;
    package) packages+=("${package_packages[@]}") ;;
    python) packages+=("${python_packages[@]}") ;;
    torch) packages+=("${python_packages[@]}" "${torch_packages[@]}") ;;
    web) packages+=("${web_packages[@]}") ;;
    bench) packages+=("${bench_packages[@]}") ;;
    lint) packages+=("${lint_packages[@]}") ;;
    fuzz) packages+=("${fuzz_packages[@]}") ;;
    gin) packages+=("${gin_packages[@]}") ;;
    plots) packages+=("${plots_packages[@]}") ;;
    mpi) packages+=("${mpi_packages[@]}") ;;
    *)
      die "unknown purpose '$argument'; choose from demo, tutorial, test, package, python, torch, web, bench, lint," \
        "fuzz, gin, plots, mpi"
      ;;
  esac
done

if ! command -v dpkg-query > /dev/null || ! command -v apt-get > /dev/null; then
  echo "setup: this is not a Debian-like system; needed are the equivalents of: ${packages[*]}" >&2
  for tool in "${build_tools[@]}"; do
    command -v "$tool" > /dev/null || die "$tool is not installed, so there is nothing to build with"
  done
  exit 0
fi

# One query for all. dpkg-query complains about names that it does not know; those are then missing like the others.
installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "${packages[@]}" 2> /dev/null || true)
missing=()
for package in "${packages[@]}"; do
  [[ $'\n'"$installed"$'\n' == *$'\n'"installed $package"$'\n'* ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0
mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)

if $dry_run; then
  echo "setup: would install ${missing[*]}"
  exit 0
fi

if [[ $EUID -eq 0 ]]; then
  as_root=()
elif command -v sudo > /dev/null; then
  as_root=(sudo)
else
  die "these packages are missing and can be installed only by root or through sudo: ${missing[*]}"
fi

echo "setup: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" \
    < /dev/null > "$log" 2>&1 || {
    cat "$log" >&2
    die "apt-get $1 failed; the packages wanted were: ${missing[*]}"
  }
}
quietly update
quietly install --yes --no-install-recommends "${missing[@]}"
