#!/bin/sh
# scripts/quote_claims.awk on a made ledger, and on the committed one: the README must quote it as it is.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/ledger.md" <<'EOF'
| source | claims | refuted |
| --- | ---: | ---: |
| a study | 2 | 1 |
| all | 2 | 1 |

| suite | record |
| --- | --- |
| one | r.json |

| claim | statement | about | verdict | figure | expected | predicted | suite |
| --- | --- | --- | --- | --- | --- | --- | --- |
| [c-1](claims/list.md#c-1) | It is so. | h100 | refuted | 0.5 to 2 | at most 1 | - | one |
| [c-2](claims/list.md#c-2) | And so. | - | reproduced | 3 | 3 | - | one |
EOF
cat >"$work/readme.md" <<'EOF'
Before.

| source | claims |
| --- | ---: |
| a study | 7 |

| claim | statement | verdict | figure | expected |
| --- | --- | --- | --- | --- |
| [c-2](results/h200/claims/list.md#c-2) | Otherwise. | refuted | 4 | 3 |

After [c-1](results/h200/claims/list.md#c-1).
EOF
cat >"$work/expected.md" <<'EOF'
Before.

| source | claims | refuted |
| --- | ---: | ---: |
| a study | 2 | 1 |
| all | 2 | 1 |

| claim | statement | verdict | figure | expected |
| --- | --- | --- | --- | --- |
| [c-2](results/h200/claims/list.md#c-2) | And so. | reproduced | 3 | 3 |

After [c-1](results/h200/claims/list.md#c-1).
EOF
awk -f "$root/scripts/quote_claims.awk" "$work/ledger.md" "$work/readme.md" >"$work/quoted.md"
diff "$work/expected.md" "$work/quoted.md"

echo '| [c-9](results/h200/claims/list.md#c-9) | x | y | z | 1 |' >>"$work/readme.md"
if awk -f "$root/scripts/quote_claims.awk" "$work/ledger.md" "$work/readme.md" >"$work/quoted.md" 2>"$work/error"; then
  echo "FAILED: a row of a claim that the ledger lacks should be refused"
  exit 1
fi
grep -q "readme.md: line 12: the ledger has no claim 'c-9'" "$work/error"

awk -f "$root/scripts/quote_claims.awk" "$root/results/h200/claims.md" "$root/README.md" >"$work/quoted.md"
if ! diff "$root/README.md" "$work/quoted.md"; then
  echo "FAILED: the README does not quote the ledger; scripts/report_results.sh --claims makes both anew"
  exit 1
fi
