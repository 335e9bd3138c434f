#!/bin/sh
# scripts/rivals/dense_layers_torch.py without PyTorch and without a GPU: what it measures, on which inputs, and how layers are
# put together.
set -eu

exec python3 -B "$(dirname "$0")/dense_layers_torch_test.py"
