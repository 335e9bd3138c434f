#!/bin/bash
# A suite in shards under Flux, a node each, and their merge: flux.sh SUITE SHARDS DIR, from an allocation or with an instance's URI.
# `flux bulksubmit` gives each job its index; Ablate is told it as i/n, since Flux has no array that `auto` knows.
set -eu
suite=${1:?a suite} shards=${2:?how many shards} out=${3:?a folder that all nodes see}
mkdir -p "$out"
# The record says what became of a case; a job that ended otherwise is missed where the records are merged.
flux bulksubmit --wait --nodes=1 --exclusive --output="$out/shard-{}.log" \
  ablate run "$suite" --devices all --shard "{}/$shards" --resume --out "$out/shard-{}" ::: $(seq "$shards") || true
ablate dev record "$out"/shard-*/record.json --out "$out/record.json"
ablate report "$out/record.json" --out "$out/report"
