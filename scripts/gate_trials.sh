#!/bin/sh
# Tries the gate on this machine's GPU: how often it cries wolf on identical code, and what it misses of slow-downs that
# are injected. In parts, so that each fits a limited time:
#
#   sh scripts/gate_trials.sh OUT SECONDS PART…
#
#   build      builds four programs of these sources that differ in their link order alone
#   calibrate  A/A noise floors
#   aa         the gate on identical code, counters too, once more until there are $REPETITIONS results
#   inject     the gate on +3, +5 and +10 % in one half of the cases and then the other, $TRIALS times each
#   table      writes OUT/summary.json and OUT/summary.md
#
# A part that does not get to its end within SECONDS goes on where it was when it is called again. From the environment:
# BASELINE and CANDIDATE (programs that are built already), FURTHER (more of them, for the calibration), SUITE, POLICY, RUNS
# and PAIRS (of the calibration), REPETITIONS, TRIALS, PERCENTAGES.
set -eu

if [ $# -lt 3 ]; then
  sed -n '2,15s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
cd "$(dirname "$0")/.."
. scripts/common.sh

out=$1
seconds=$2
shift 2
end=$(($(date +%s) + seconds))
folder=build/gate_trials
baseline=${BASELINE:-$folder/ablate_a}
candidate=${CANDIDATE:-$folder/ablate_b}
further=${FURTHER-$folder/ablate_c $folder/ablate_d}
suite=${SUITE:-suites/gates/kernels.json}
policy=${POLICY:-suites/gates/default.json}
percentages=${PERCENTAGES:-3 5 10}
# Two halves: where most cases move one way the gate suspects the environment, and rightly.
first_half='^(voxelize|window_attention|hash_search)'
second_half='^(psh_bucket|hash_insert|kernel_map)'
mkdir -p "$out" "$folder"

left() { echo $((end - $(date +%s))); }

build_both() {
  choose_preset
  seed=0
  for name in a b c d; do
    cmake --preset release -B "$folder" -DABLATE_INJECT_DELAY=ON -DABLATE_LINK_SEED=$seed >/dev/null
    cmake --build "$folder" --parallel "$(build_jobs)" --target ablate
    cp "$folder/ablate" "$folder/ablate_$name"
    seed=$((seed + 1))
  done
}

calibrate() {
  status=0
  # shellcheck disable=SC2086 # FURTHER is a list
  "$baseline" calibrate "$baseline" "$candidate" $further "$suite" --policy "$policy" --runs "${RUNS:-20}" --pairs "${PAIRS:-6}" \
    --launches "$folder/calibrate" --resume --budget "$(left)" --out "$out/floors.json" || status=$?
  [ $status -eq 0 ] || note "the calibration ended with exit code $status; run this part again"
}

# gate NAME [OPTION…]: one result, OUT/NAME.json, unless it is there. A gate that the time cut short is no result: its
# pairs stay, and the next call goes on with them.
gate() {
  name=$1
  shift
  [ ! -e "$out/$name.json" ] || return 0
  if [ "$(left)" -lt 30 ]; then
    cut_short=yes
    return 0
  fi
  status=0
  timeout --signal=INT "$(left)" "$baseline" gate --baseline "$baseline" --candidate "$candidate" "$suite" \
    --policy "$policy" --floors "$out/floors.json" --out "$folder/$name" --resume \
    --json "$folder/$name.json" "$@" >"$folder/$name.txt" 2>"$folder/$name.log" || status=$?
  case $status in
    0 | 1 | 3 | 4) cp "$folder/$name.json" "$out/$name.json" && rm -rf "${folder:?}/$name" ;;
    124 | 130) cut_short=yes ;;
    *) note "$name ended with exit code $status: $(tail -n 1 "$folder/$name.log")" ;;
  esac
  note "$name: $(tail -n 1 "$folder/$name.txt")"
}

identical_code() {
  i=1
  while [ $i -le "${REPETITIONS:-10}" ]; do
    gate "aa-$i"
    i=$((i + 1))
  done
}

injected() {
  i=1
  while [ $i -le "${TRIALS:-1}" ]; do
    for percent in $percentages; do
      gate "plus$percent-$i-first" --no-counters --inject-delay "$percent" --inject-into "$first_half"
      gate "plus$percent-$i-second" --no-counters --inject-delay "$percent" --inject-into "$second_half"
    done
    i=$((i + 1))
  done
}

for part in "$@"; do
  cut_short=no
  say "$part"
  case $part in
    build) build_both ;;
    calibrate) calibrate ;;
    aa) identical_code ;;
    inject) injected ;;
    table) python3 scripts/gate_trials_table.py "$out" ;;
    *)
      echo "no part '$part'; expected build, calibrate, aa, inject or table" >&2
      exit 2
      ;;
  esac
  if [ $cut_short = yes ]; then note "out of time; run this part again"; fi
done
