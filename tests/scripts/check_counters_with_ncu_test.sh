#!/bin/sh
# scripts/check_counters_with_ncu.py on made readings: neither ncu nor a GPU takes part.
set -eu

exec python3 "$(dirname "$0")/check_counters_with_ncu_test.py"
