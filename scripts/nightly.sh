#!/bin/sh
# What CI has no time for: operations' tests under the sanitizers, a project that fetches Ablate, built and run, and a minute of
# fuzzing for each reader.
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh
mkdir -p build

scripts/setup.sh
build asan ablate_operation_tests
ctest --preset asan --parallel "$(test_jobs)" --label-regex '^operations$'
scripts/test_package.sh fetch whole
scripts/fuzz.sh
