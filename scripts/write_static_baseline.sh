#!/bin/sh
# Writes suites/gates/static_baseline.json anew from the kernels as they stand: what the static gate (.ci/run) compares
# with. Needs the CUDA Toolkit and no GPU; with cuobjdump, the instructions are counted too.
#   scripts/write_static_baseline.sh [LISTING]     a file with what `cuobjdump -sass build/release/ablate` printed
set -eu

listing=auto
if [ $# -gt 0 ]; then listing=$(realpath "$1"); fi
cd "$(dirname "$0")/.."
. scripts/common.sh

choose_preset
if [ "$preset" = tools ]; then
  echo "the CUDA Toolkit $oldest_cuda or later is needed: without it there are no kernels" >&2
  exit 1
fi
mkdir -p build
build release ablate
build/release/ablate static write --sass "$listing"
