#!/bin/sh
# scripts/ci_times.py on a run that is written down here: sums, what it compares with, and a file that is not one of stages.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/build/ci" "$work/build/release"

fail() {
  echo "$1" >&2
  cat "$work/said" >&2
  exit 1
}
run_on() { "$root/scripts/ci_times.py" "$work/build" "$@" >"$work/said" 2>&1; }
says() { grep -qE "$1" "$work/said" || fail "expected a line '$1'"; }

if run_on; then fail "a build without stages was accepted"; fi

printf 'began\t1000\ntests\t500\npages\t40\n' >"$work/build/ci/stages.tsv"
printf '   configured in 12 s\nTotal Test time (real) = 100.60 sec\n   configured in 3 s\n' >"$work/build/ci/tests.log"
# A process of an earlier run, one that compiled, one that linked, and one that did neither.
printf '# ninja log v5\n0\t9000\t999000000000\told.o\tx\n0\t70000\t1001000000000\ta.cu.o\tx\n10\t5010\t1002000000000\ttests/ablate_tests\tx\n0\t900\t1002000000000\tfacts.json\tx\n' \
  >"$work/build/release/.ninja_log"
run_on --out "$work/times.json" || fail "a run was refused"
says '^tests +500 +15 +101$'
says '^pages +40$'
says '^total +540$'
says '^release +1 +70 +5$'

printf 'began\t1000\ntests\t450\npages\t40\n' >"$work/build/ci/stages.tsv"
run_on --against "$work/times.json" || fail "a run was not compared"
says '^tests +450 +500 +15 +101$'
says '^total +490 +540$'

printf 'began\t1000\ntests soon\n' >"$work/build/ci/stages.tsv"
if run_on; then fail "a line without seconds was accepted"; fi
says "stages.tsv:2: expected NAME, a tab and seconds, found 'tests soon'$"
