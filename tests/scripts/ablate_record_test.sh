#!/bin/sh
# reports/python/ablate_record.py on records of every schema, against the reports of the program that CTest names.
set -eu

exec python3 -B "$(dirname "$0")/ablate_record_test.py"
