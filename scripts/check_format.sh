#!/bin/sh
# Checks that C++ and CUDA files are as clang-format 14 writes them (other releases differ in places).
#   scripts/check_format.sh [FILE…]   # files of the tree, from its root; all tracked ones by default
set -eu

cd "$(dirname "$0")/.."
formatter=
for candidate in clang-format-14 clang-format; do
  if "$candidate" --version 2>/dev/null | grep -q 'version 14\.'; then
    formatter=$candidate
    break
  fi
done
if [ -z "$formatter" ]; then
  echo "clang-format 14 is needed to check the formatting (package clang-format-14)" >&2
  exit 1
fi

if [ $# -eq 0 ]; then
  # No tracked name has blanks.
  # shellcheck disable=SC2046
  set -- $(git ls-files '*.h' '*.cpp' '*.cu' '*.cuh')
fi
"$formatter" --dry-run -Werror "$@"
echo "formatting: $# files are as clang-format 14 writes them"
