#!/bin/sh
# Builds the program and runs every kernel of every variant under memcheck, racecheck, initcheck and synccheck
# (docs/sanitizers.md).
#   scripts/sanitize.sh [--tools memcheck,racecheck] [--filter RE] [--out DIR] …     scripts/sanitize.sh --help
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh

mkdir -p build
choose_preset
if [ "$preset" != native ]; then
  echo "sanitizers check kernels: this needs the CUDA Toolkit ($oldest_cuda or later) and a GPU" >&2
  exit 2
fi
build native ablate
exec python3 scripts/sanitize "$@"
