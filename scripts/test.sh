#!/bin/sh
# The README's second command: sets this machine up, builds, and runs all tests. GPU tests skip with a reason where
# there is no GPU; where there is one they run from the machine code of the preset `release`, and once more from the
# compute_80 PTX of `ptx80`, so that the A100's code has run.
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh

scripts/setup.sh
choose_preset
build "$preset"

gpu=no
if [ "$preset" = release ] && has_gpu; then gpu=yes; fi

if [ "$gpu" = yes ]; then
  # ablate_tests too: ctest counts a test program that was not built as a failure.
  build ptx80
fi

say "Testing the preset '$preset'"
ctest --preset "$preset" --parallel "$(nproc)"
if [ "$gpu" = yes ]; then
  say "Testing the kernels once more, from the PTX of the preset 'ptx80'"
  ctest --preset ptx80 --label-regex gpu
elif [ "$preset" = release ]; then
  note "There is no GPU here: the kernels were compiled, described and checked for their resources, but have not run."
else
  note "There is no CUDA Toolkit here: the kernels were not compiled."
fi
