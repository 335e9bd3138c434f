#!/bin/sh
# What CI has no time for: all tests with every check of the sanitizers, the sources of every record, files compiled by
# themselves, a project that fetches Ablate, built and run, every digit of the documents planted wrong once, the legends of every
# committed record, and a minute of fuzzing for each reader.
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh
mkdir -p build

scripts/setup.sh
scripts/check_records.sh --all
build asan_all ablate_tests ablate_operation_tests
ctest --preset asan_all --parallel "$(test_jobs)" --label-regex '^(host|operations)$'
# Within a unit a file may use what another one includes; scripts/mutants.sh compiles them one by one. For one architecture,
# and each night a seventh of the files, since all of them take hours on two cores: ABLATE_ALONE=all compiles them all.
choose_preset
if [ "$preset" != tools ]; then
  cmake --preset hopper -B build/alone -DCMAKE_UNITY_BUILD=OFF -DCMAKE_CXX_FLAGS_RELEASE=-O0 >build/alone.configure.log
  ninja -C build/alone -t targets all | sed -n 's/^\([^ ]*\.o\): .*/\1/p' | sort -u >build/alone.objects
  if [ "${ABLATE_ALONE:-}" != all ]; then
    awk -v day="$(date +%u)" 'NR % 7 == day % 7' build/alone.objects >build/alone.tonight
    mv build/alone.tonight build/alone.objects
  fi
  say "Building $(wc -l <build/alone.objects) files, one by one"
  xargs ninja -C build/alone -j "$(build_jobs)" <build/alone.objects
fi
scripts/check_upgrade.sh build/asan_all/ablate
say "Planting a wrong digit in each document in turn"
build "$preset" ablate_document_tests
ABLATE_PLANT_ALL=1 "build/$preset/tests/ablate_document_tests" --gtest_filter='QuotedDocuments.*'
say "Making the page of every committed record, and looking at its legends"
ABLATE_ALL_RECORDS=1 "build/$preset/tests/ablate_document_tests" \
  --gtest_filter='CommittedRecords.EachFitsAPage*:Html.LegendsOfCommittedRecords*'
scripts/test_package.sh fetch whole
scripts/fuzz.sh
