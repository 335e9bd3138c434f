#!/bin/sh
# scripts/mutants: what it says of mutants whose cases are at fault, and what is left of a run that is killed.
set -eu

exec python3 "$(dirname "$0")/mutants_test.py"
