#!/bin/sh
# Proves docs/adding_a_variant.md: applies the diff that it shows to a copy of the tree, builds `ablate` there, and
# looks for the new variant in `ablate list --json`.
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh

page=docs/adding_a_variant.md
copy=build/adding_a_variant/tree
# No repository above the copy: inside of one, git apply passes over files that lie outside of its folder.
GIT_CEILING_DIRECTORIES=$PWD/build/adding_a_variant
export GIT_CEILING_DIRECTORIES

mkdir -p "$copy"
# The copy keeps its build folder, so that a second check is a short one; what is tracked is copied anew.
find "$copy" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
GIT_CEILING_DIRECTORIES='' git ls-files -z | xargs -0 cp --parents --no-dereference --preserve=timestamps -t "$copy"

awk '/^```diff$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$page" >build/adding_a_variant/page.diff
variant=$(sed -n 's/^+ *{"\([a-z0-9_]*\)", ABLATE_LAUNCH(.*/\1/p' build/adding_a_variant/page.diff)
if [ "$(printf '%s\n' "$variant" | grep -c .)" -ne 1 ]; then
  echo "$page: expected a diff that adds one line with ABLATE_LAUNCH, and found '$variant'" >&2
  exit 1
fi
(cd "$copy" && git apply --whitespace=error ../page.diff)

choose_preset
(cd "$copy" && mkdir -p build && build "$preset" ablate)
"$copy/build/$preset/ablate" list --json >build/adding_a_variant/list.json
if ! grep -q "\"$variant\"" build/adding_a_variant/list.json; then
  echo "$page: '$variant' was added, but is not in 'ablate list --json'" >&2
  exit 1
fi
echo "$page: the diff applies, builds, and '$variant' is in 'ablate list'"
