#!/bin/sh
# scripts/rivals/sparse_conv_torch.py without PyTorch and without a GPU: what it measures, and on which voxels.
set -eu

exec python3 -B "$(dirname "$0")/sparse_conv_torch_test.py"
