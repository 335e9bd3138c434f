#!/bin/bash
# Submits the shards and their merge; more options of sbatch may follow. SBATCH_* variables hold, too.
set -eu
out='/scratch/me/first run'
site=(--account=vision --partition=gpu "$@")

shards=$(sbatch --parsable --output="$out/shard-%a.log" "${site[@]}" "$out/shard.sbatch")
shards=${shards%%;*}
merge=$(sbatch --parsable --output="$out/merge.log" --dependency="afterany:$shards" --kill-on-invalid-dep=yes \
  "${site[@]}" "$out/merge.sbatch")
echo "shards: job $shards, merge: job ${merge%%;*}, record: $out/record.json"
