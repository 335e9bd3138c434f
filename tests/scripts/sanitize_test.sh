#!/bin/sh
# scripts/sanitize, with a stand-in for compute-sanitizer.
set -eu

exec python3 "$(dirname "$0")/sanitize_test.py"
