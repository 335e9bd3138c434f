#!/bin/sh
# scripts/rivals without PyTorch and without a GPU: steady clocks, NVML and turns, each with a stand-in.
set -eu

exec python3 -B "$(dirname "$0")/rivals_test.py"
