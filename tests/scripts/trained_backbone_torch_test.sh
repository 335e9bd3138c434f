#!/bin/sh
# Backbones and blocks trained in PyTorch on a CPU, against the program that CTest names. Skipped where PyTorch is missing.
set -eu

exec python3 -B "$(dirname "$0")/trained_backbone_torch_test.py"
