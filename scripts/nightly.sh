#!/bin/sh
# What CI has no time for: operations' tests under the sanitizers, each file compiled by itself, a project that fetches Ablate,
# built and run, every digit of the documents planted wrong once, and a minute of fuzzing for each reader.
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh
mkdir -p build

scripts/setup.sh
build asan ablate_operation_tests
ctest --preset asan --parallel "$(test_jobs)" --label-regex '^operations$'
# Within a unit a file may use what another one includes; scripts/mutants.sh compiles them one by one. For one architecture.
choose_preset
if [ "$preset" != tools ]; then
  say "Building each file by itself"
  cmake --preset hopper -B build/alone -DCMAKE_UNITY_BUILD=OFF >build/alone.configure.log
  cmake --build build/alone --parallel "$(build_jobs)"
fi
scripts/check_upgrade.sh build/asan/ablate
say "Planting a wrong digit in the documents, each in turn"
build "$preset" ablate_tests
ABLATE_PLANT_ALL=1 "build/$preset/tests/ablate_tests" --gtest_filter='QuotedDocuments.*'
scripts/test_package.sh fetch whole
scripts/fuzz.sh
