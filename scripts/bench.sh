#!/bin/sh
# The README's first command: sets this machine up, builds, runs suites/quick.json, writes the report, and says where it
# is. Without a GPU it runs the host references, and renders the newest committed measurement of an H200 as well.
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh

scripts/setup.sh
choose_preset
build "$preset" ablate
ablate=build/$preset/ablate

say "Running suites/quick.json"
rm -rf out/quick
status=0
"$ablate" run suites/quick.json --out out/quick || status=$?
if [ ! -e out/quick/record.json ]; then
  echo "the run left no record" >&2
  exit "$status"
fi
measured=$(grep -o '"kind": *"[a-z]*"' out/quick/record.json | head -n 1 | cut -d '"' -f 4)

say "Writing the report"
"$ablate" report out/quick/record.json --out out/quick/report

# Prints the record under results/h200 that was measured last, by the date in it.
newest_h200_record() {
  for record in results/h200/*/record.json; do
    if [ -e "$record" ]; then
      printf '%s %s\n' "$(grep -o '"date": *"[^"]*"' "$record" | head -n 1 | cut -d '"' -f 4)" "$record"
    fi
  done | sort | tail -n 1 | cut -d ' ' -f 2-
}

h200_report=
if [ "$measured" = host ]; then
  h200_record=$(newest_h200_record)
  if [ -n "$h200_record" ]; then
    h200_report=out/h200-$(basename "$(dirname "$h200_record")")
    "$ablate" report "$h200_record" --out "$h200_report"
  fi
fi

say "Done"
if [ "$measured" != host ]; then
  note "The report of this GPU:             out/quick/report/ (report.html, summary.md)"
  note "The whole questions, 5 minutes each: $ablate run suites/voxelization.json --out out/voxelization, or suites/psh.json"
else
  if [ "$preset" = tools ]; then missing="no CUDA Toolkit (see above)"; else missing="no NVIDIA GPU with a driver"; fi
  note "No kernel was measured: there is $missing here."
  note "The report of the host references:  out/quick/report/ (report.html, summary.md)"
  if [ -n "$h200_report" ]; then
    note "What an H200 measured:              $h200_report/ (report.html, summary.md)"
  else
    note "There is no committed measurement of an H200 to show."
  fi
fi
exit "$status"
