#!/bin/sh
# scripts/rivals/gated_attention_torch.py without PyTorch and without a GPU: what it measures, and on which inputs.
set -eu

exec python3 -B "$(dirname "$0")/gated_attention_torch_test.py"
