#!/bin/sh
# scripts/rivals/backbone_torch.py without PyTorch and without a GPU: what it measures, on which inputs, by which clock.
set -eu

exec python3 -B "$(dirname "$0")/backbone_torch_test.py"
