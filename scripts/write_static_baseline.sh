#!/bin/sh
# Rewrites suites/gates/static_baseline.json from the current kernels: what the static gate (.ci/run) compares
# with. Needs the CUDA Toolkit and no GPU. Instructions are counted by cuobjdump; where it is missing, kernels that have not
# changed keep the counts of the baseline. Options are those of `ablate static write`:
#   --sass LISTING     what `cuobjdump -sass build/release/ablate` printed on another machine
#   --sass-of FACTS    what `ablate static write --out FACTS` of another build wrote on one, by the same CUDA compiler
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
(
  cd "$root"
  . scripts/common.sh
  choose_preset
  if [ "$preset" = tools ]; then
    echo "the CUDA Toolkit $oldest_cuda or later is needed: without it there are no kernels" >&2
    exit 1
  fi
  mkdir -p build
  build release ablate
)
"$root/build/release/ablate" static write "$@" --sass-of "$root/suites/gates/static_baseline.json"
