#!/bin/sh
# What CI leaves to the night, for each takes longer than it tells: the operations' tests under the sanitizers, a project that
# fetches Ablate built and run whole, and a minute of fuzzing a reader.
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh
mkdir -p build

scripts/setup.sh
build asan ablate_operation_tests
ctest --preset asan --parallel "$(test_jobs)" --label-regex '^operations$'
scripts/test_package.sh fetch whole
scripts/fuzz.sh
