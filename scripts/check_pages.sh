#!/bin/sh
# Proves docs/adding_a_variant.md and docs/adding_an_operation.md: applies their diffs to one copy of the tree, builds
# `ablate` there, and looks for what was added. The new operation's host reference must pass its check, and the check
# must find a fault that is planted in the reference. Where there is a GPU, the kernels run too.
set -eu

cd "$(dirname "$0")/.."
. scripts/common.sh

variant_page=docs/adding_a_variant.md
operation_page=docs/adding_an_operation.md
work=$PWD/build/pages
copy=$work/tree
# No repository above the copy: inside of one, git apply ignores files outside of its folder.
GIT_CEILING_DIRECTORIES=$work
export GIT_CEILING_DIRECTORIES

fail() {
  echo "$1" >&2
  exit 1
}

# blocks LANGUAGE PAGE: the page's fenced blocks in that language, one after the other.
blocks() { awk -v fence="\`\`\`$1" '/^```$/ { inside = 0 } inside; $0 == fence { inside = 1 }' "$2"; }

# The copy keeps its build folder, so that a second check is a short one; tracked files are copied again.
copy_tree() {
  mkdir -p "$copy"
  find "$copy" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
  GIT_CEILING_DIRECTORIES='' git ls-files -z | xargs -0 cp --parents --no-dereference --preserve=timestamps -t "$copy"
}

# apply_diff PAGE NAME: applies the page's diff to the copy; keeps it as NAME.diff, with the variants that it adds in
# NAME.variants and the values of switches in NAME.values.
apply_diff() {
  blocks diff "$1" >"$work/$2.diff"
  (cd "$copy" && git apply --whitespace=error "$work/$2.diff") || fail "$1: its diff does not apply"
  sed -n 's/^+.*{"\([a-z0-9_]*\)",\( ABLATE_LAUNCH(.*\)\{0,1\}$/\1/p' "$work/$2.diff" >"$work/$2.variants"
  sed -n 's/^+ *{"\([a-z0-9_]*\)", "[^"]*"},$/\1/p' "$work/$2.diff" >"$work/$2.values"
  [ -s "$work/$2.variants" ] || fail "$1: expected a diff that adds an entry with ABLATE_LAUNCH"
}

# The page's table names every file of its diff with the lines added, and its first paragraph their sums.
check_line_counts() {
  git apply --numstat "$work/operation.diff" | awk '{ print $3, "+" $1, "-" $2 }' | sort >"$work/lines.found"
  # shellcheck disable=SC2016  # Markdown's backquotes
  sed -n 's/^| `\([^`]*\)` | \([0-9]*\) |.*/\1 +\2 -0/p' "$operation_page" | sort >"$work/lines.claimed"
  diff "$work/lines.claimed" "$work/lines.found" >&2 ||
    fail "$operation_page: its table of files and lines (<) differs from its diff (>)"
  sums=$(awk '/^tests/ { tests += $2; next } { sum += $2; ++files } END { print sum, files, tests }' "$work/lines.found")
  claimed=$(sed -n 's/.* takes \([0-9]*\) lines in \([0-9]*\) files; \([0-9]*\) more .*/\1 \2 \3/p' "$operation_page")
  [ "$claimed" = "$sums" ] ||
    fail "$operation_page: says '$claimed' (lines, files, lines of tests), expected '$sums'"
  [ "${sums%% *}" -le 120 ] || fail "$operation_page: expected an operation of at most 120 lines, found ${sums%% *}"
}

# What CI asks of the tree, of the copy: rooms, the new files' formatting, mutants that apply.
check_sources() {
  "$copy/scripts/check_rooms.py" "$copy"
  sed -n 's/^\([^ ]*\.\(h\|cpp\|cu\)\) .*/\1/p' "$work/lines.found" | xargs "$copy/scripts/check_format.sh"
  "$copy/scripts/mutants.sh" --check --only "^$operation/" >"$work/mutants"
  [ "$(wc -l <"$work/mutants")" -ge 2 ] || fail "$operation_page: expected two mutants or more"
}

build_copy() { (cd "$copy" && mkdir -p build && build "$preset" ablate); }

# has_cases SUITE REGEX: whether the copy's program plans such cases of the suite.
has_cases() {
  "$ablate" plan "$1" --filter "$2" >"$work/plan.txt" || fail "$operation_page: $1 has no case '$2'"
}

check_program() {
  "$ablate" list --json >"$work/list.json"
  for name in "$operation" $(cat "$work"/*.variants "$work"/*.values); do
    grep -q "\"$name\"" "$work/list.json" || fail "'$name' was added, but is not in 'ablate list --json'"
  done
  while read -r variant; do
    for suite in "$work/suite.json" "$copy/tests/sanitizers/suite.json"; do
      has_cases "$suite" "^$operation/$variant/"
    done
  done <"$work/operation.variants"
  while read -r _ cases; do
    has_cases "$copy/tests/mutants/suite.json" "$cases"
  done <"$work/mutants"
}

# run_on DEVICE EXPECTED: runs the page's suite, which must end with this exit code.
run_on() {
  rm -rf "$work/out"
  status=0
  "$ablate" run "$work/suite.json" --device "$1" --out "$work/out" >"$work/run.txt" 2>&1 || status=$?
  [ "$status" -eq "$2" ] || {
    cat "$work/run.txt" >&2
    fail "$operation_page: 'ablate run --device $1' ended with $status, expected $2"
  }
}

# One NaN as the last element: the check must compare everything, not take NaN for equal, and name the place.
plant_fault() {
  reference=$copy/oracles/$operation/reference.cpp
  sed -i 's/^}$/  p.out[p.side * p.side - 1] = __builtin_nanf("");\n}/' "$reference"
  grep -q nanf "$reference" || fail "$operation_page: its reference has no closing brace to plant a fault before"
}

copy_tree
apply_diff "$variant_page" variant
apply_diff "$operation_page" operation
operation=$(sed -n 's/^+.*\.name = "\([a-z0-9_]*\)",$/\1/p' "$work/operation.diff")
blocks json "$operation_page" >"$work/suite.json"
check_line_counts
check_sources

choose_preset
ablate=$copy/build/$preset/ablate
build_copy
check_program
run_on host 0
if has_gpu; then run_on 0 0; fi

plant_fault
build_copy
run_on host 3
grep -q 'wrong: .*row \([0-9]*\), column \1: expected .*, found -\{0,1\}nan' "$work/run.txt" || {
  cat "$work/run.txt" >&2
  fail "$operation_page: expected its check to name the last element, which is NaN"
}

echo "$variant_page, $operation_page: the diffs apply and build, the program has their additions, and the check finds a planted fault"
