#!/bin/sh
# scripts/rivals/pool_torch.py without PyTorch and without a GPU: what it measures, on which inputs, by which clock.
set -eu

exec python3 -B "$(dirname "$0")/pool_torch_test.py"
