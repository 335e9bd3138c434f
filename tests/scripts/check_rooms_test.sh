#!/bin/sh
# scripts/check_rooms.py: the tree is as its table allows, and every planted fault is named with its place.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

fail() {
  echo "FAILED: $1"
  exit 1
}

fresh_tree() {
  rm -rf "$tree"
  mkdir -p "$tree/docs" "$tree/kernels/common" "$tree/kernels/sort" "$tree/variants" "$tree/harness/runner" \
    "$tree/base/text" "$tree/base/record" "$tree/reports"
  cat >"$tree/docs/architecture.md" <<'TABLE'
| Room | Holds | May include |
| --- | --- | --- |
| `kernels/common` | blocks | |
| `kernels/*` | operations | `kernels/common` |
| `variants` | lines | `kernels/*` `harness/runner` |
| `harness/runner` | cases | `kernels/common` `base/record` |
| `base/text` | text | |
| `base/record` | records | `base/text` |
TABLE
  echo '#include "kernels/common/launch.h"' >"$tree/kernels/sort/sort.cu"
  echo '#include "kernels/sort/sort.h"' >"$tree/variants/sort.cpp"
  echo '#include "base/text/text.h"' >"$tree/base/record/record.h"
  printf '#include <vector>\n\n#include "base/record/record.h"\n' >"$tree/harness/runner/run.cpp"
}

expect_finding() { # expect_finding TEXT: the check fails, with a line that has the text
  if "$root/scripts/check_rooms.py" "$tree" >"$work/out" 2>&1; then fail "passed, expected: $1"; fi
  grep -qF "$1" "$work/out" || fail "expected '$1', found: $(cat "$work/out")"
}

"$root/scripts/check_rooms.py" >"$work/out" 2>&1 || fail "$(cat "$work/out")"

fresh_tree
"$root/scripts/check_rooms.py" "$tree" >"$work/out" 2>&1 || fail "$(cat "$work/out")"

fresh_tree
printf '\n#include "harness/runner/run.h"\n' >>"$tree/kernels/sort/sort.cu"
expect_finding "kernels/sort/sort.cu:3: includes harness/runner/run.h, which room 'kernels/sort' may not"

fresh_tree
echo '#include "oracles/sort/reference.h"' >>"$tree/kernels/sort/sort.cu"
expect_finding "kernels/sort/sort.cu:2: includes oracles/sort/reference.h, which room 'kernels/sort' may not"

fresh_tree
echo '#include "harness/runner/run.h"' >"$tree/base/text/text.cpp"
expect_finding "base/text/text.cpp:1: includes harness/runner/run.h"

fresh_tree
echo '#include "base/text/text.h"' >>"$tree/harness/runner/run.cpp"
expect_finding "harness/runner/run.cpp:4: includes base/text/text.h, which room 'harness/runner' may not"

fresh_tree
sed -i 's/| text | |/| text | `base\/record` |/' "$tree/docs/architecture.md"
echo '#include "base/record/record.h"' >"$tree/base/text/text.cpp"
expect_finding "circle: base/record -> base/text -> base/record"

fresh_tree
sed -i 's/| `kernels\/common` `base\/record` |/| `kernels\/common` `base\/record` `variants` |/' "$tree/docs/architecture.md"
echo '#include "variants/sort.h"' >"$tree/harness/runner/run.cpp"
echo '#include "harness/runner/run.h"' >>"$tree/variants/sort.cpp"
expect_finding "circle: harness/runner -> variants -> harness/runner"

fresh_tree
printf '#pragma once\n#include <cstdint>\n#include "kernels/common/text.h"\n' >"$tree/kernels/common/launch.h"
printf '#pragma once\n#include <string>\n' >"$tree/kernels/common/text.h"
expect_finding "kernels/common/text.h:2: includes <string>, which nvcc is slow on, and is included by kernels/sort/sort.cu"
sed -i 's/<string>/<cstddef>/' "$tree/kernels/common/text.h"
echo '#include <string>' >>"$tree/kernels/sort/sort.cu"
echo '#include "kernels/common/kernel_launch.h"' >>"$tree/kernels/sort/sort.cu"
printf '#include <vector>\n' >"$tree/kernels/common/kernel_launch.h"
"$root/scripts/check_rooms.py" "$tree" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
echo '#include "kernels/common/kernel_launch.h"' >>"$tree/kernels/common/text.h"
expect_finding "kernels/common/text.h:3: includes kernels/common/kernel_launch.h, which is for hosts, and is included by kernels/sort/sort.cu"

fresh_tree
touch "$tree/reports/report.cpp"
expect_finding "reports/report.cpp: expected no C++ file in the root of reports/"

fresh_tree
mkdir "$tree/harness/timing"
echo '#include "base/text/text.h"' >"$tree/harness/timing/clock.h"
expect_finding "harness/timing/clock.h:1: architecture.md has no room 'harness/timing'"

fresh_tree
echo '#include "base/record/question.h"' >>"$tree/harness/runner/run.cpp"
expect_finding "harness/runner/run.cpp:4: includes base/record/question.h, which only reports read"
sed -i 's/`harness\/runner` | cases/`harness\/cli` | commands/' "$tree/docs/architecture.md"
mv "$tree/harness/runner" "$tree/harness/cli"
"$root/scripts/check_rooms.py" "$tree" >"$work/out" 2>&1 || fail "$(cat "$work/out")"

fresh_tree
echo nothing >"$tree/docs/architecture.md"
expect_finding "expected a table of rooms"
rm "$tree/docs/architecture.md"
expect_finding "expected a table of rooms"

"$root/scripts/check_rooms.py" --help >"$work/out" 2>&1 || fail "--help: $(cat "$work/out")"
grep -qF "usage: check_rooms.py" "$work/out" || fail "--help: $(cat "$work/out")"

echo "rooms: every planted fault was found"
