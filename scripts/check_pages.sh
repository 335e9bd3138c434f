#!/bin/sh
# Proves docs/adding_a_variant.md and docs/adding_an_operation.md: applies their diffs to one copy of the tree, builds
# `ablate` there, and looks for what was added. The new operation's check must pass its host reference, and must call
# a reference with a planted fault wrong.
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh

pages="docs/adding_a_variant.md docs/adding_an_operation.md"
work=build/pages
copy=$work/tree
# No repository above the copy: inside of one, git apply passes over files that lie outside of its folder.
GIT_CEILING_DIRECTORIES=$PWD/$work
export GIT_CEILING_DIRECTORIES

fail() {
  echo "$1" >&2
  exit 1
}

mkdir -p "$copy"
# The copy keeps its build folder, so that a second check is a short one; what is tracked is copied anew.
find "$copy" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
GIT_CEILING_DIRECTORIES='' git ls-files -z | xargs -0 cp --parents --no-dereference --preserve=timestamps -t "$copy"

for page in $pages; do
  awk '/^```diff$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$page" >"$work/page.diff"
  (cd "$copy" && git apply --whitespace=error ../page.diff) || fail "$page: its diff does not apply"
  sed -n 's/^+ *{"\([a-z0-9_]*\)", ABLATE_LAUNCH(.*/\1/p' "$work/page.diff" >"$work/$(basename "$page").variants"
done
operation=$(sed -n 's/^+ *\.name = "\([a-z0-9_]*\)",$/\1/p' "$work/page.diff")
[ "$(wc -l <"$work/adding_a_variant.md.variants")" -eq 1 ] ||
  fail "docs/adding_a_variant.md: expected a diff that adds one line with ABLATE_LAUNCH"
[ "$(printf '%s\n' "$operation" | grep -c .)" -eq 1 ] ||
  fail "docs/adding_an_operation.md: expected a diff that adds one line with .name, and found '$operation'"

build_copy() { (cd "$copy" && mkdir -p build && build "$preset" ablate); }

choose_preset
build_copy
ablate=$copy/build/$preset/ablate
"$ablate" list --json >"$work/list.json"
for name in "$operation" $(cat "$work"/*.variants); do
  grep -q "\"$name\"" "$work/list.json" || fail "'$name' was added, but is not in 'ablate list --json'"
done

cat >"$work/suite.json" <<EOF
{"name": "pages", "description": "The operation that a page adds", "cases": [{"operation": "$operation"}]}
EOF
"$ablate" plan "$work/suite.json" --chip h200 >"$work/plan.txt"
while read -r variant; do
  "$ablate" plan "$work/suite.json" --json | grep -q "\"$operation/$variant/" ||
    fail "docs/adding_an_operation.md: '$variant' is in no case of 'ablate plan'"
done <"$work/adding_an_operation.md.variants"

run_reference() {
  rm -rf "$work/out"
  status=0
  "$ablate" run "$work/suite.json" --device host --out "$work/out" >"$work/run.txt" 2>&1 || status=$?
}

run_reference
if [ "$status" -ne 0 ]; then
  cat "$work/run.txt" >&2
  fail "docs/adding_an_operation.md: its host reference ended with $status, expected 0"
fi

# The fault: every element is stored to one place, so all others keep what stood there.
reference=$copy/kernels/$operation/reference.cpp
sed -i 's/p\.out\[[^]]*\]/p.out[0]/' "$reference"
grep -q 'p\.out\[0\] = ' "$reference" || fail "docs/adding_an_operation.md: found no store to p.out to plant a fault in"
build_copy
run_reference
[ "$status" -eq 3 ] || fail "docs/adding_an_operation.md: with a fault in its reference 'ablate run' ended with $status, expected 3"

echo "$pages: the diffs apply and build, 'ablate list' and 'plan' have what they add, and the check finds a planted fault"
