#!/bin/sh
# Checks that every committed record names the sources that measured it: results/<chip>/<suite>/record.json of HEAD must
# come from a clean build of a commit in HEAD's history, and its source_hash must be the hash of that commit's tree.
#   scripts/check_records.sh [TREE]
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
tree=${1:-$root}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the hash of a commit's sources, as the commit's own script makes it: what counts as a source may change later.
# Records share commits, so each is hashed once; "-" stands for a commit whose sources cannot be hashed.
hash_of() {
  kept=$work/hashes/$(git -C "$tree" rev-parse --verify "$1^{commit}")
  if [ ! -e "$kept" ]; then
    rm -rf "$work/tree"
    mkdir -p "$work/tree" "$work/hashes"
    git -C "$tree" archive "$1" | tar -x -C "$work/tree"
    cmake -D ROOT="$work/tree" -P "$work/tree/scripts/cmake/source_hash.cmake" >"$kept" || echo - >"$kept"
  fi
  cat "$kept"
}

failures=0
refuse() {
  echo "$1: $2" >&2
  failures=$((failures + 1))
}

check() {
  record=$1
  git -C "$tree" show "HEAD:$record" >"$work/record.json"
  if ! facts=$(cmake -D RECORD="$work/record.json" -P "$root/scripts/cmake/read_record_build.cmake" 2>"$work/error"); then
    refuse "$record" "is no record: $(tr -s '\n ' ' ' <"$work/error")"
    return
  fi
  read -r commit dirty hash <<EOF
$facts
EOF
  if [ "$commit" = - ]; then
    refuse "$record" "names no commit"
  elif [ "$dirty" != OFF ]; then
    refuse "$record" "was measured by a build whose sources differed from its commit"
  elif ! git -C "$tree" cat-file -e "$commit^{commit}" 2>/dev/null; then
    refuse "$record" "names commit $commit, which is not in this repository (a shallow clone lacks history)"
  elif ! git -C "$tree" merge-base --is-ancestor "$commit" HEAD; then
    refuse "$record" "names commit $commit, which is not in the history of HEAD"
  else
    actual=$(hash_of "$commit")
    if [ "$actual" = - ]; then
      refuse "$record" "the sources of its commit $commit cannot be hashed"
    elif [ "$actual" != "$hash" ]; then
      refuse "$record" "has source_hash $hash, but the sources of its commit $commit have $actual"
    else
      echo "$record: measured by the sources of $commit"
    fi
  fi
}

git -C "$tree" ls-tree -r --name-only HEAD -- results/ >"$work/committed"
records=0
while read -r path; do
  case $path in
    results/*/*/*/*) ;;
    results/*/*/record.json)
      records=$((records + 1))
      check "$path"
      ;;
  esac
done <"$work/committed"

if [ "$failures" -gt 0 ]; then
  echo "$failures of $records committed records do not name the sources that measured them" >&2
  exit 1
fi
echo "committed records: $records, all of sources in this history"
