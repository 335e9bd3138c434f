#!/bin/sh
# The README's second command: sets this machine up, builds, and runs all tests. Where there is a GPU they come in two
# halves, which can be called apart:
#   scripts/test.sh machine_code   the host's tests, and the kernels' from machine code for this GPU
#   scripts/test.sh ptx            the kernels' results once more, from the compute_80 PTX of `ptx80`: the A100's code has
#                                  run; and the test that needs a build with delays
# The second half runs even if tests of the first fail.
# ABLATE_TESTED=LABEL leaves out tests that have run elsewhere: CI runs those labelled `host` under the sanitizers.
# Without a GPU the kernels are compiled for every chip, their tests skip with a reason, and there is no second half.
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh

half=${1:-both}
case $half in
  both | machine_code | ptx) ;;
  *)
    echo "scripts/test.sh [machine_code|ptx]: there is no half '$half'" >&2
    exit 2
    ;;
esac

scripts/setup.sh
choose_preset

if [ "$half" = ptx ] && [ "$preset" != native ]; then
  echo "PTX only runs on a GPU: the CUDA Toolkit or the GPU is missing here" >&2
  exit 1
fi

failed=0
if [ "$half" != ptx ]; then
  build "$preset"
  say "Testing the preset '$preset'"
  ctest --preset "$preset" --parallel "$(test_jobs)" ${ABLATE_TESTED:+--label-exclude "^$ABLATE_TESTED\$"} || failed=$?
fi

# Which tests did not run, and what they lacked; ABLATE_REQUIRE=browser,node… makes failures of such skips.
count_skips() {
  if command -v python3 >/dev/null 2>&1; then
    say "Skipped tests"
    scripts/skips.py "$1=build/$1/Testing/Temporary/LastTest.log"
  fi
}

if [ "$half" != ptx ]; then count_skips "$preset"; fi
case $preset in
  native)
    if [ "$half" != machine_code ]; then
      # The host's tests are of the first half: here they are not even built.
      build ptx80 ablate ablate_gpu_tests
      say "Testing the kernels once more, from the PTX of the preset 'ptx80'"
      ctest --preset ptx80 --parallel "$(test_jobs)" --tests-regex '^gpu_results_|WhereItWasInjected$' || failed=$?
      count_skips ptx80
    fi
    ;;
  release) note "There is no GPU here: the kernels were compiled and their resources checked, but they have not run." ;;
  tools) note "There is no CUDA Toolkit here: the kernels were not compiled." ;;
esac
exit "$failed"
