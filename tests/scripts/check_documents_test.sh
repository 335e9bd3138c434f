#!/bin/sh
# scripts/check_documents.py: the tree's documents lead somewhere, and every planted fault is named with its place.
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
  mkdir -p "$tree/docs/findings" "$tree/harness" "$tree/scripts" "$tree/suites" "$tree/reports" "$tree/results/chip/suite"
  echo 'project(ablate VERSION 1.2.3 LANGUAGES CXX)' >"$tree/CMakeLists.txt"
  echo '{ "version": "1.2.3" }' >"$tree/reports/package.json"
  echo 'version: 1.2.3' >"$tree/CITATION.cff"
  printf '#define ABLATE_VERSION_%s\n' 'MAJOR 1' 'MINOR 2' 'PATCH 3' >"$tree/harness/version.h"
  printf '# Changelog\n\n## 1.2.3\n' >"$tree/CHANGELOG.md"
  touch "$tree/scripts/run.sh" "$tree/suites/quick.json"
  cat >"$tree/README.md" <<'PAGE'
# The tree

Version `1.2.3`. [Findings](docs/findings/one.md#why-it-is-so), [the folder](docs), [here](#the-tree), [out](https://example.org/x).
![a picture of `[brackets]`](docs/picture.svg) `scripts/run.sh` runs `suites/quick.json`; `kernels/<operation>/NAME.cu` and
`suites/*.json` are placeholders.

```sh
scripts/run.sh suites/quick.json > out/anywhere   # [no link](nowhere.md)
```
PAGE
  touch "$tree/docs/picture.svg"
  cat >"$tree/docs/findings/one.md" <<'PAGE'
# One

## Why: it `is` so?

Up to [the tree](../../README.md).

```diff
--- /dev/null
+++ b/kernels/added/added.cu
```

`kernels/added/added.cu` and `kernels/added` are added above.
PAGE
  echo '![drawn later](plots/none.svg)' >"$tree/results/chip/suite/summary.md"
}

expect_finding() { # expect_finding TEXT: the check fails, with a line that has the text
  if "$root/scripts/check_documents.py" "$tree" >"$work/out" 2>&1; then fail "passed, expected: $1"; fi
  grep -qF "$1" "$work/out" || fail "expected '$1', found: $(cat "$work/out")"
}

fresh_tree
"$root/scripts/check_documents.py" "$tree" >"$work/out" 2>&1 || fail "$(cat "$work/out")"

"$root/scripts/check_documents.py" >"$work/out" 2>&1 || fail "$(cat "$work/out")"

rm "$tree/docs/picture.svg"
expect_finding "README.md:4: links to docs/picture.svg, but there is no docs/picture.svg"

fresh_tree
sed -i 's/^## Why.*/## Because/' "$tree/docs/findings/one.md"
expect_finding "README.md:3: links to docs/findings/one.md#why-it-is-so, but docs/findings/one.md has no such heading"

fresh_tree
sed -i 's/(#the-tree)/(#a-tree)/' "$tree/README.md"
expect_finding "README.md:3: links to #a-tree, but README.md has no such heading"

fresh_tree
mv "$tree/scripts/run.sh" "$tree/scripts/walk.sh"
expect_finding "README.md:4: names scripts/run.sh, which does not exist"
expect_finding "README.md:8: names scripts/run.sh, which does not exist"

fresh_tree
sed -i 's/(..\/..\/README.md)/(..\/README.md)/' "$tree/docs/findings/one.md"
expect_finding "docs/findings/one.md:5: links to ../README.md, but there is no docs/README.md"

fresh_tree
# shellcheck disable=SC2016  # Markdown's backquotes
sed -i 's/`kernels\/added` are/`kernels\/others` are/' "$tree/docs/findings/one.md"
expect_finding "docs/findings/one.md:12: names kernels/others, which does not exist"

for file in CITATION.cff CHANGELOG.md README.md reports/package.json; do
  fresh_tree
  sed -i 's/1\.2\.3/1.2.4/' "$tree/$file"
  expect_finding "$file:1: states version 1.2.4, but CMakeLists.txt 1.2.3"
done

fresh_tree
sed -i 's/PATCH 3/PATCH 4/' "$tree/harness/version.h"
expect_finding "harness/version.h:1: states version 1.2.4, but CMakeLists.txt 1.2.3"

fresh_tree
rm "$tree/CITATION.cff"
expect_finding "CITATION.cff:1: states version none, but CMakeLists.txt 1.2.3"

echo "documents: every planted fault was found"
