#!/bin/sh
# Makes anew what results/ holds of its records: beside each record.json its summary, tables and plots, and for each chip
# the ledger of claims, results/<chip>/claims.md, which the README quotes. Needs no GPU and no CUDA Toolkit.
#   scripts/report_results.sh                        all of results/
#   scripts/report_results.sh results/h200/psh …     these records, and the ledgers
#   scripts/report_results.sh --claims               the ledgers alone
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh

scripts/setup.sh
build tools ablate
ablate=build/tools/ablate

if [ "${1:-}" != --claims ]; then
  if [ ! -d reports/node_modules/vega-lite ]; then
    echo "the plots cannot be drawn anew: Vega-Lite is not installed (npm ci --prefix reports)" >&2
    exit 1
  fi
  if [ $# -eq 0 ]; then set -- results/*/*/record.json; fi
  for record in "$@"; do
    folder=${record%/record.json}
    folder=${folder%/}
    say "Reporting $folder"
    "$ablate" report "$folder/record.json" --out "$folder"
  done
fi

for chip in results/*/; do
  say "Judging the claims on ${chip%/}"
  "$ablate" claims "${chip%/}" --out "${chip%/}" | grep ' claims: '
done
awk -f scripts/quote_claims.awk results/h200/claims.md README.md >build/README.md
cp build/README.md README.md
