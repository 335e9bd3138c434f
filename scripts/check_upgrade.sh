#!/bin/sh
# Checks that `ablate dev record` makes of every record of version 1 that this history ever committed, byte for byte, what it
# makes of the one that results/ holds. Takes minutes, and needs the whole history.
#   scripts/check_upgrade.sh ABLATE [CHIP/SUITE...]
set -eu

ablate=$(realpath "$1")
shift
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The commit before the one that compressed the records.
last=$(git log --format=%H --diff-filter=D -- results/h200/quick/record.json | tail -n 1)
[ -n "$last" ] || { echo "results/h200/quick/record.json: expected a commit that removed it, found none (a shallow clone lacks it)" >&2; exit 2; }
if [ $# -eq 0 ]; then
  set -- $(git ls-tree -r --name-only "$last~" -- results/ | sed -n 's|^results/\([^/]*/[^/]*\)/record\.json$|\1|p')
fi
different=0
for name in "$@"; do
  packed=results/$name/record.json.xz
  git show "$last~:results/$name/record.json" >"$work/older.json"
  "$ablate" dev record "$work/older.json" --out "$work/upgraded.json" >/dev/null
  if [ -e "$packed" ]; then "$ablate" dev record "$packed" --out "$work/held.json" >/dev/null; fi
  if ! [ -e "$packed" ]; then
    echo "$name: measured again or gone since"
  elif ! xz -dc "$packed" | grep -q -m 1 '"upgraded_from"'; then
    echo "$name: measured again since"
  elif cmp -s "$work/held.json" "$work/upgraded.json"; then
    echo "$name: the same"
  else
    echo "$packed: expected that \`ablate dev record\` makes the same of it and of the one of $(git rev-parse --short "$last~")" >&2
    different=$((different + 1))
  fi
done
[ $different -eq 0 ]
