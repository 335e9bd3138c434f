#!/bin/sh
# Installs what the build and the tests need and this machine lacks (Debian 12, Ubuntu 24.04 or later). Says what and
# why; goes on where something is not vital. Run again, it does nothing. scripts/bench.sh and scripts/test.sh call it.
#   CMAKE_PREFIX_PATH     folders in which libraries were installed without root, separated by colons
#   ABLATE_NODE_MODULES   a node_modules/ folder brought along from a machine with npm (docs/other_machines.md)
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh

missing_vital=
missing_useful=

# in_prefix NAME: whether a folder of CMAKE_PREFIX_PATH holds this CMake package.
in_prefix() (
  IFS=':;'
  for prefix in ${CMAKE_PREFIX_PATH:-}; do
    for folder in "$prefix"/lib "$prefix"/lib64 "$prefix"/lib/*-linux-gnu "$prefix"/share; do
      if [ -d "$folder/cmake/$1" ]; then exit 0; fi
    done
  done
  exit 1
)

# need KIND COMMAND PACKAGE WHY: a package is there when its command is, however it was installed. A library has the name
# of its CMake package, -NAME, in that place, other files a dash.
need() {
  case $2 in
    -) ;;
    -*) if in_prefix "${2#-}"; then return 0; fi ;;
    *) if command -v "$2" >/dev/null 2>&1; then return 0; fi ;;
  esac
  if dpkg-query -W -f '${Status}' "$3" 2>/dev/null | grep -q ' installed$'; then return 0; fi
  note "$3 is missing: $4"
  if [ "$1" = vital ]; then missing_vital="$missing_vital $3"; else missing_useful="$missing_useful $3"; fi
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    note "this needs root, and there is no sudo"
    return 1
  fi
}

install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
    -o DPkg::Lock::Timeout=300 "$@" >build/apt.log 2>&1
}

mkdir -p build
say "Looking for the build's dependencies"
need vital g++ g++ "compiles the program"
need vital cmake cmake "configures the build (3.25 or later)"
need vital ninja ninja-build "runs the build"
need vital -fmt libfmt-dev "formats text"
need vital xz xz-utils "expands the records of results/"
need vital -nlohmann_json nlohmann-json3-dev "reads suites and records, writes records"
need vital -CLI11 libcli11-dev "reads the command line"
need vital -benchmark libbenchmark-dev "runs the cases"
need vital -GTest libgtest-dev "runs the tests"
need vital -GTest libgmock-dev "runs the tests"
need useful git git "names the commit in every record"
need useful ccache ccache "makes the second build a short one"
need useful clang-format-14 clang-format-14 "checks the formatting"
need useful - libbenchmark-tools "its compare.py compares two records in a test"
need useful - python3-scipy "compare.py uses it"
need useful node nodejs "draws the plots of reports"
need useful npm npm "installs Vega, which draws them"
need useful chromium chromium "opens the HTML report in a test"
need useful - libsqlite3-dev "keeps a history of records"
need useful -liblzf liblzf-dev "reads compressed PCD files"
need useful -libzip libzip-dev "reads .npz files"
need useful slurmctld slurmctld "runs what \`ablate dev submit\` writes, in a test"
need useful slurmd slurmd "is a node of that test's cluster"
need useful sbatch slurm-client "submits to it"
need useful munged munge "is what its parts trust"
need useful clang++ clang "compiles the readers for fuzzing"
need useful - libclang-rt-dev "holds libFuzzer, which scripts/fuzz.sh runs"

if [ -n "$missing_vital$missing_useful" ]; then
  if ! command -v apt-get >/dev/null 2>&1; then
    note "there is no apt-get here: install the packages above by this system's package manager"
  else
    say "Installing:$missing_vital$missing_useful"
    as_root apt-get update -q -o Acquire::Retries=1 -o Acquire::http::Timeout=30 >build/apt.log 2>&1 || note "apt-get update failed; using the existing lists"
    # shellcheck disable=SC2086  # one word a package
    if [ -n "$missing_vital" ] && ! install $missing_vital; then
      tail -n 5 build/apt.log >&2
      echo "The build needs:$missing_vital. Install them as root: apt-get install$missing_vital" >&2
      echo "Without root: docs/other_machines.md says how to bring them along (CMAKE_PREFIX_PATH)" >&2
      exit 1
    fi
    # One by one: a package that this release does not have must not keep back the others.
    for package in $missing_useful; do
      install "$package" || note "$package could not be installed; continuing without its features"
    done
  fi
else
  note "everything is here"
fi

installed_cmake=$(cmake --version | sed -n 's/^cmake version //p')
if ! at_least "$installed_cmake" 3.25; then
  echo "CMake $installed_cmake is too old: 3.25 or later is needed (Debian 12 and Ubuntu 24.04 have it)" >&2
  exit 1
fi

modules=reports/node_modules

# version_in FILE: the first "version" of a package.json.
version_in() { sed -n 's/.*"version": *"\([^"]*\)".*/\1/p' "$1" 2>/dev/null | head -n 1; }

# why_not_these FOLDER PACKAGE…: what keeps a node_modules/ folder from being used, or nothing. These packages must have the
# versions that reports/package.json pins.
why_not_these() {
  folder=$1
  shift
  for package in "$@"; do
    pinned=$(sed -n "s/^ *\"$package\": *\"\([0-9.]*\)\".*/\1/p" reports/package.json)
    found=$(version_in "$folder/$package/package.json")
    if [ "$found" != "$pinned" ]; then
      echo "$folder/$package: expected version $pinned, found ${found:-none}"
      return
    fi
  done
}

why_no_drawing() { why_not_these "$1" vega vega-lite vega-embed; }

install_modules() {
  if [ -n "${ABLATE_NODE_MODULES:-}" ]; then
    why=$(why_no_drawing "$ABLATE_NODE_MODULES")
    if [ -n "$why" ]; then
      note "ABLATE_NODE_MODULES is not used: $why (reports/package.json pins it)"
    elif [ -n "$(why_no_drawing $modules)" ]; then
      say "Copying Vega for the plots of reports from $ABLATE_NODE_MODULES"
      rm -rf $modules
      cp -R "$ABLATE_NODE_MODULES" $modules
    fi
  fi
  if [ -z "$(why_not_these $modules vega vega-lite vega-embed ajv playwright-core)" ]; then return; fi
  if command -v npm >/dev/null 2>&1; then
    say "Installing Vega for the plots of reports (npm ci in reports/)"
    if (cd reports && npm ci --no-audit --no-fund --fetch-retries=1 >../build/npm.log 2>&1); then return; fi
    tail -n 3 build/npm.log
    note "npm ci failed"
  fi
  if [ -n "$(why_no_drawing $modules)" ]; then
    note "without npm or its packages reports get texts, tables and the plots' specifications, but no drawings:"
    note "docs/other_machines.md says how to bring them along"
  fi
}
install_modules

say "Looking for the CUDA Toolkit ($oldest_cuda or later)"
if nvcc=$(find_nvcc); then
  note "$nvcc, CUDA $(cuda_release "$nvcc")"
  if ! command -v cuobjdump >/dev/null 2>&1 && [ ! -x /usr/local/cuda/bin/cuobjdump ]; then
    note "cuobjdump is missing (the toolkit's package cuda-cuobjdump): the static gate does not count instructions"
  fi
else
  note "not found in PATH or /usr/local/cuda: only list, plan, report and the host references are built."
  distribution=$(apt-cache policy nvidia-cuda-toolkit 2>/dev/null | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')
  if [ -n "$distribution" ] && at_least "$distribution" "$oldest_cuda"; then
    note "To measure: apt-get install nvidia-cuda-toolkit (this distribution's $distribution is recent enough)"
  else
    note "To measure: install the packages cuda-nvcc, cuda-cudart-dev, cuda-cccl, cuda-nvtx and cuda-cupti-dev of the"
    note "same release from NVIDIA's package repository (see NVIDIA's CUDA Installation Guide for Linux)."
  fi
fi
