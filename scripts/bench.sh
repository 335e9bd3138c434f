#!/bin/sh
# The README's first command: sets this machine up, builds what it needs, runs suites/quick.json, writes the report, and
# says where it is. Without a GPU it runs the host references, and renders what an H200 measured of the headline question.
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh

headline=results/h200/voxelization

scripts/setup.sh
choose_preset
# Kernels that cannot run here need not be compiled.
if [ "$preset" = release ]; then preset=tools; fi
build "$preset" ablate
ablate=build/$preset/ablate

say "Running suites/quick.json"
rm -rf out/quick
status=0
"$ablate" run suites/quick.json --out out/quick --overwrite || status=$?
if [ ! -e out/quick/record.json ]; then
  echo "the run left no record" >&2
  exit "$status"
fi
measured=$(grep -o '"kind": *"[a-z]*"' out/quick/record.json | head -n 1 | cut -d '"' -f 4)

say "Writing the report"
"$ablate" report out/quick/record.json --out out/quick/report
headline_report=out/h200-$(basename "$headline")
if [ "$measured" = host ]; then
  "$ablate" report "$headline" --out "$headline_report"
fi

# note_report WHAT FOLDER: prints the report's path, with those of its pages that were written.
note_report() {
  pages=
  for page in report.html summary.md; do
    if [ -e "$2/$page" ]; then pages="$pages${pages:+, }$page"; fi
  done
  note "$(printf '%-36s %s' "$1" "$2/ ($pages)")"
}

say "Done"
if [ "$measured" != host ]; then
  note_report "The report of this GPU:" out/quick/report
  note "The whole questions, in six launches and more, about 10 minutes each: $ablate run suites/voxelization.json --out out/voxelization, or suites/psh.json"
else
  if [ "$preset" = tools ] && has_gpu; then missing="CUDA Toolkit (see above)"; else missing="NVIDIA GPU with a driver"; fi
  note "No kernel was measured: there is no $missing here."
  note_report "The report of the host references:" out/quick/report
  note_report "What an H200 measured:" "$headline_report"
fi
if [ ! -e reports/node_modules/vega/build/vega.min.js ]; then
  note "These pages have no plots, which need the packages of reports/package.json: docs/other_machines.md says how to bring"
  note "them along. Any machine that has them draws the plots of a record: $ablate report RECORD --out DIR"
elif [ -z "$(find out/quick/report/plots -maxdepth 1 -name '*.svg' | head -n 1)" ]; then
  note "report.html draws its plots; SVG files need Node.js, here or on another machine: $ablate report RECORD --out DIR"
fi
exit "$status"
