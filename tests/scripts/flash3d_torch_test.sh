#!/bin/sh
# Flash3D in PyTorch, eager and on a CPU, against the program that CTest names. Skipped where PyTorch is missing.
set -eu

exec python3 -B "$(dirname "$0")/flash3d_torch_test.py"
