#!/usr/bin/env bash
# Runs every fuzz target of tests/fuzz under libFuzzer, two at a time, and prints a table (docs/fuzzing.md). Needs clang.
#   scripts/fuzz.sh [SECONDS [TARGET…]]     default: 60 seconds each, all targets
# Exit code 1 where something was found: the inputs are in out/fuzz/findings, what they did in out/fuzz/TARGET.log.
# What reached new code stays in out/fuzz/corpus, and the next run goes on from there.
set -euo pipefail

cd "$(dirname "$0")/.."
. scripts/common.sh

seconds=${1:-60}
targets=("${@:2}")
out=$PWD/out/fuzz
mkdir -p build "$out/findings"

if ! command -v clang++ >/dev/null; then
  echo "libFuzzer comes with clang: scripts/setup.sh installs it (packages clang and libclang-rt-dev)" >&2
  exit 2
fi
build fuzz
program=build/fuzz/tests/ablate_fuzz
if [ ${#targets[@]} -eq 0 ]; then
  for seeds in tests/fuzz/seeds/*; do targets+=("$(basename "$seeds")"); done
fi

# The schema of a target's format: its words are in the dictionary.
schema_of() {
  case $1 in
    record | report | compare | explain | history | merge | verify) echo reports/schema/record.schema.json ;;
    claims) echo reports/schema/claims.schema.json ;;
    suite) echo suites/schema.json ;;
    policy) echo suites/gates/schema.json ;;
  esac
}

# The longest input in bytes: large ones for readers that are quick with them (docs/fuzzing.md).
longest_of() {
  case $1 in
    expression | kernel_code | triton | journal | findings | accepted | sass | fat_binaries | metric_groups | across) echo 262144 ;;
    *) echo 16384 ;;
  esac
}

# Every short text in quotes that the seeds and the schema hold, as libFuzzer reads dictionaries.
write_dictionary() {
  # shellcheck disable=SC2046  # no schema is no word
  { grep -ahoE '"[][A-Za-z0-9_.$@^/-]{1,60}"' tests/fuzz/seeds/"$1"/* $(schema_of "$1") || true; } | sort -u |
    sed 's/^"\(.*\)"$/"\\"\1\\""/' >"$out/$1.dict"
}

# Files for the readers are made in memory where there is such a place.
scratch=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)" ablate_fuzz_XXXXXX)
trap 'rm -rf "$scratch"' EXIT

# Slow inputs (2 s of the processor) are found by the targets themselves; the wall clock only ends what hangs.
run_target() {
  mkdir -p "$out/corpus/$1"
  write_dictionary "$1"
  local dictionary=()
  if [ -s "$out/$1.dict" ]; then dictionary=(-dict="$out/$1.dict"); fi  # libFuzzer refuses an empty one
  ABLATE_FUZZ_TARGET=$1 ABLATE_REPORTS_DIR=$scratch TMPDIR=$scratch nice -n 15 "$program" \
    -max_total_time="$seconds" -timeout=60 -malloc_limit_mb=1024 -rss_limit_mb=2048 -max_len="$(longest_of "$1")" \
    "${dictionary[@]}" -artifact_prefix="$out/findings/$1-" -print_final_stats=1 \
    "$out/corpus/$1" "tests/fuzz/seeds/$1" >"$out/$1.log" 2>&1 || true
}

say "Fuzzing ${#targets[@]} readers, $seconds s each, two at a time"
for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n || true; done
  run_target "$target" &
done
wait

# last NUMBER-PATTERN LOG: the last number after it, or a dash.
last() { grep -oE "$1 *[0-9]+" "$2" | tail -n 1 | grep -oE '[0-9]+$' || echo -; }

found=0
printf '\n| target | seconds | executions | edges covered | inputs kept | findings |\n| --- | ---: | ---: | ---: | ---: | --- |\n'
for target in "${targets[@]}"; do
  log=$out/$target.log
  finding=$(sed -n 's/^SUMMARY: //p' "$log" | head -n 1)
  if [ -z "$finding" ] && ! grep -q 'Done [0-9]* runs' "$log"; then finding="did not run: $(tail -n 1 "$log")"; fi
  if [ -n "$finding" ]; then found=1; fi
  printf '| %s | %s | %s | %s | %s | %s |\n' "$target" "$(last 'runs in' "$log")" \
    "$(last 'number_of_executed_units:' "$log")" "$(last 'cov:' "$log")" "$(last 'corp:' "$log")" "${finding:-none}"
done
exit $found
