#!/bin/sh
# scripts/fit_dispatch.py on the committed records; skipped where Python has no SciPy.
set -eu

. "$(dirname "$0")/../../scripts/common.sh"

for python in python3 /usr/bin/python3; do
  if "$python" -c 'import numpy, scipy.optimize' 2>/dev/null; then
    exec "$python" -B "$(dirname "$0")/fit_dispatch_test.py"
  fi
done
lacks benchmark_tools "SciPy is not installed (scripts/setup.sh)"
