#!/bin/sh
# PTv3 in PyTorch, eager and on a CPU, against the program that CTest names. Skipped where PyTorch is missing.
set -eu

exec python3 -B "$(dirname "$0")/ptv3_torch_test.py"
