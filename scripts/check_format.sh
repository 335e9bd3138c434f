#!/bin/sh
# Checks that every tracked C++ and CUDA file stands as clang-format 14 writes it (other releases differ in places).
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

git ls-files -z '*.h' '*.cpp' '*.cu' '*.cuh' | xargs -0 -r "$formatter" --dry-run -Werror
echo "formatting: $(git ls-files '*.h' '*.cpp' '*.cu' '*.cuh' | wc -l) files stand as clang-format 14 writes them"
