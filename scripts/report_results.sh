#!/bin/sh
# Regenerates what results/ contains for its records, and compresses records that are plain:
# - beside each record its summary with the picture of its answer, tables and plots; a record from before suites asked
#   questions answers that of the suite of its name;
# - for each chip the ledger of claims, results/<chip>/claims.md, and for all chips results/claims.md;
# - the documents' pictures, docs/figures/, those for papers by their own commands;
# - every figure in the README and in docs/findings/ (docs/quotes.md).
# Fails where a page is larger than 6 MB, where a sentence no longer agrees with its figure, and where no record backs a
# number. Needs no GPU and no CUDA Toolkit.
#   scripts/report_results.sh                        all of results/
#   scripts/report_results.sh results/h200/psh …     these records, the pictures, the ledgers and the documents
#   scripts/report_results.sh --figures              the pictures, the ledgers and the documents
#   scripts/report_results.sh --claims               the ledgers and the documents' text
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh

scripts/setup.sh
build tools ablate
ablate=build/tools/ablate

largest_page=6000000 # bytes

report() { # report FOLDER: the files beside its record
  say "Reporting $1"
  "$ablate" report "$1" --out "$1"
  page=$1/report.html
  if [ -f "$page" ] && [ "$(wc -c <"$page")" -gt $largest_page ]; then
    echo "$page: expected at most $largest_page bytes, found $(wc -c <"$page")" >&2
    exit 1
  fi
}

draw() { # draw SUITE NAME [OPTION…]: a picture of the record of a suite on an H200; on another chip ../CHIP/SUITE
  record=results/h200/$1
  name=$2
  shift 2
  "$ablate" report "$record" --figures "$name" "$@" --out build/figures
  cp "build/figures/$name.svg" docs/figures/
}

draw_for_papers() { # by the commands of docs/figures/paper/README.md
  rm -rf build/paper
  sed -n 's|^    ablate \(report .*\) --out out/paper$|\1|p' docs/figures/paper/README.md | while read -r words; do
    eval "set -- $words"
    ABLATE_FONT_METRICS=asked "$ablate" "$@" --out build/paper # whichever fonts are installed here
  done
  cp build/paper/*.svg docs/figures/paper/
}

if [ "${1:-}" != --claims ]; then
  if [ ! -d reports/node_modules/vega-lite ]; then
    echo "the plots cannot be redrawn: Vega-Lite is not installed (npm ci --prefix reports)" >&2
    exit 1
  fi
  if [ "${1:-}" = --figures ]; then
    shift
  else
    if [ $# -eq 0 ]; then set -- results/*/*/record.json*; fi
    for record in "$@"; do
      folder=${record%/record.json*}
      folder=${folder%/}
      for plain in "$folder"/record*.json; do
        if [ -e "$plain" ]; then scripts/pack_record.sh "$plain"; fi
      done
      report "$folder"
    done
    scripts/index_results.py --write
  fi
  say "Drawing the documents' pictures"
  draw psh psh_bucket-waterfall-two_stage_resident-path2
  draw psh psh_bucket-picture-two_stage_resident-z_div
  draw voxelization voxelize-scaling-lidar-clear_kernel-cold-clean
  draw voxelization voxelize-metrics-lidar-clear_kernel-cold-clean
  draw bucket_attention_backward window_attention_backward-roofline-cold-clean
  draw bucket_attention window_attention-across-rows-and-order-metrics-window1024-cold-clean
  draw bucket_attention window_attention-best-window-heads4-width128-cold-clean --variants \
    cudnn,flash_attention_2,mma_online,hopper_online,hopper_fixed_max,hopper_step_fixed_max_pingpong,hopper_cross_tile_overlap_pdl
  draw hard_voxelization hard_voxelize-scaling-cold-clean
  draw packed_hash hash_search-scaling-load-hit_percent0-cold-clean
  draw packed_hash hash_insert-scaling-rows0-insert-cold-clean --variants \
    packed,interleaved_load_first,interleaved_whole_load_first,interleaved_partitioned,interleaved_regions_pdl,interleaved_regions_clusters
  draw coordinate_sets coordinate_expand-scaling-kernel3-cold-clean
  draw serialization serialize-scaling-all-all-cold-clean
  draw ordering psh_bucket-and-serialize-across-region-quality-points124087-cold-clean
  draw selection_attention selection_attention-scaling-by_index-shared0-cold-clean
  draw compression_attention compression_attention-scaling-by_score-cold-clean
  draw gated_attention gated_attention-scaling-chosen-cold-clean
  draw ../h100/gated_attention_training_free block_sparse_attention-scaling-mass70-kept50-chosen-layer-cold-clean
  draw ../h100/gated_attention_training_free merged_attention-scaling-chosen-layer-cold-clean
  draw pooling_reduction pool-scaling-channels-in_bucket-cold-clean
  draw mlp_layers mlp-scaling-gelu-rows24576-cold-clean
  draw_for_papers
fi

for chip in results/*/; do
  say "Judging the claims on ${chip%/}"
  set -- "${chip%/}" --out "${chip%/}"
  if [ -f "${chip}gate/floors.json" ]; then set -- "$@" --floors "${chip}gate/floors.json"; fi
  "$ablate" claims "$@" | grep ' claims: '
done
set -- results/*/ --by-chip results/claims.md
for floors in results/*/gate/floors.json; do if [ -f "$floors" ]; then set -- "$@" --floors "$floors"; fi; done
"$ablate" claims "$@" >/dev/null
say "Fitting predictions to the records, and replaying searches"
"$ablate" dev predict-check --out results >/dev/null
"$ablate" dev search-check --out results >/dev/null
say "Writing the figures of the README and the findings"
"$ablate" dev quote README.md docs/findings/*.md --write
