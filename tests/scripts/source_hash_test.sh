#!/bin/sh
# scripts/cmake/source_hash.cmake: the hash that sort and sha256sum give, of sources alone, without git.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

fail() {
  echo "FAILED: $1"
  exit 1
}

hash() {
  cmake -D ROOT="$tree" -P "$root/scripts/cmake/source_hash.cmake"
}

mkdir -p "$tree/kernels/b" "$tree/oracles" "$tree/variants" "$tree/harness/data" "$tree/reports/schema" "$tree/scripts/cmake" \
  "$tree/reports/node_modules/package" "$tree/tests"
echo "project(made)" >"$tree/CMakeLists.txt"
printf 'one;two[three\n' >"$tree/kernels/b/kernel.cu"
echo a >"$tree/kernels/Upper.h"
echo o >"$tree/oracles/reference.cpp"
echo b >"$tree/variants/v.cpp"
echo '{}' >"$tree/harness/data/groups.json"
echo c >"$tree/reports/report.cpp"
echo d >"$tree/scripts/cmake/step.cmake"
before=$(hash)

expected=$(cd "$tree" && find . -type f | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d ' ' -f 1)
[ "$before" = "$expected" ] || fail "$before is not what sort and sha256sum give, $expected"

echo '{}' >"$tree/reports/schema/record.schema.json"
echo e >"$tree/reports/node_modules/package/addon.cpp"
echo f >"$tree/tests/test.cpp"
echo g >"$tree/kernels/notes.md"
[ "$(hash)" = "$before" ] || fail "a file that is not in the program changed the hash"

echo h >>"$tree/harness/data/groups.json"
changed=$(hash)
[ "$changed" != "$before" ] || fail "an edited data file left the hash as it was"

mv "$tree/variants/v.cpp" "$tree/variants/w.cpp"
[ "$(hash)" != "$changed" ] || fail "a renamed file left the hash as it was"

rm -r "$tree/kernels"
if hash >"$work/said" 2>&1; then fail "a tree without kernels/ has a hash"; fi
grep -q "it has no kernels" "$work/said" || fail "the message does not name the missing folder"

echo "passed"
