#!/bin/sh
# Plants the faults of tests/mutants in the kernels, one at a time, and shows whether the suite calls each `wrong`:
# docs/mutants.md. Needs a finished build and a GPU. All options: scripts/mutants.sh --help
set -eu

exec python3 "$(dirname "$0")/mutants" "$@"
