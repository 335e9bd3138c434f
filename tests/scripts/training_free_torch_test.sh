#!/bin/sh
# What sparse attention replaces in PyTorch on a CPU. Skipped where PyTorch or its flex_attention is missing.
set -eu

exec python3 -B "$(dirname "$0")/training_free_torch_test.py"
