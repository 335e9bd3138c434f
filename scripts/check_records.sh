#!/bin/sh
# Checks that every committed record names the sources that measured it: results/<chip>/<suite>/record.json.xz of HEAD, and
# further launches beside it (record-*.json.xz), must come from a clean build of a commit in HEAD's history, and the source_hash
# must be the hash of that commit's tree. Checks, too, that results/ keeps to its budget, since every clone pays for it.
# Records that results/checked.txt lists by their content were checked before and cost nothing.
#   scripts/check_records.sh [--all | --write] [TREE]
#   --all    checks those too, as scripts/nightly.sh does
#   --write  lists what passed, for later runs
set -eu

# Bytes: of results/ as a whole, of a record on average, of the largest.
most_of_all=25000000
most_on_average=307200 # 300 KiB
most_of_one=614400     # 600 KiB

root=$(cd "$(dirname "$0")/.." && pwd)
mode=new
case ${1:-} in
  --all | --write)
    mode=${1#--}
    shift
    ;;
esac
tree=${1:-$root}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the hash of a commit's sources, as the commit's own script makes it: what counts as a source may change later.
# Records share commits, so each is hashed once; "-" means a commit whose sources cannot be hashed.
hash_of() {
  kept=$work/hashes/$(git -C "$tree" rev-parse --verify "$1^{commit}")
  if [ ! -e "$kept" ]; then
    rm -rf "$work/tree"
    mkdir -p "$work/tree" "$work/hashes"
    # No source is among the records and the documents, which are most of a commit's bytes.
    git -C "$tree" archive "$1" -- . ':!results' ':!docs' | tar -x -C "$work/tree"
    cmake -D ROOT="$work/tree" -P "$work/tree/scripts/cmake/source_hash.cmake" >"$kept" || echo - >"$kept"
  fi
  cat "$kept"
}

failures=0
refuse() {
  echo "$1: $2" >&2
  failures=$((failures + 1))
}

list=results/checked.txt
: >"$work/known"
if [ "$mode" != all ]; then git -C "$tree" show "HEAD:$list" >"$work/known" 2>/dev/null || true; fi
: >"$work/passed"
listed=0

# The commit of a record that was checked before, by the record's blob; nothing for another.
known_commit() { sed -n "s/^$1 //p" "$work/known" | head -n 1; }

check() {
  record=$1 blob=$2
  earlier=$(known_commit "$blob")
  if [ -n "$earlier" ] && git -C "$tree" merge-base --is-ancestor "$earlier" HEAD 2>/dev/null; then
    listed=$((listed + 1))
    echo "$blob $earlier" >>"$work/passed"
    return
  fi
  git -C "$tree" show "HEAD:$record" >"$work/record.json.xz"
  if ! xz -dc "$work/record.json.xz" >"$work/record.json" 2>"$work/error"; then
    refuse "$record" "expected a file as scripts/pack_record.sh makes it, found another: $(sed 's/.*: //' "$work/error")"
    return
  fi
  if ! facts=$(cmake -D RECORD="$work/record.json" -P "$root/scripts/cmake/read_record_build.cmake" 2>"$work/error"); then
    refuse "$record" "is not a record: $(tr -s '\n ' ' ' <"$work/error")"
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
      echo "$blob $commit" >>"$work/passed"
    fi
  fi
}

git -C "$tree" ls-tree -r -l HEAD -- results/ >"$work/committed"
records=0 all=0 of_records=0
while read -r _ _ blob bytes path; do
  all=$((all + bytes))
  case $path in
    results/*/*/*/*) ;;
    results/*/*/record.json | results/*/*/record-*.json)
      records=$((records + 1))
      refuse "$path" "expected a compressed record, found a plain one; scripts/pack_record.sh compresses it"
      ;;
    results/*/*/record.json.xz | results/*/*/record-*.json.xz)
      records=$((records + 1))
      of_records=$((of_records + bytes))
      if [ "$bytes" -gt $most_of_one ]; then
        refuse "$path" "expected at most $most_of_one bytes, found $bytes; fewer counters or cases make it smaller"
      fi
      check "$path" "$blob"
      ;;
  esac
done <"$work/committed"
if [ "$all" -gt $most_of_all ]; then
  refuse results/ "expected at most $most_of_all bytes, found $all"
fi
if [ "$records" -gt 0 ] && [ $((of_records / records)) -gt $most_on_average ]; then
  refuse results/ "expected at most $most_on_average bytes a record, found $((of_records / records)) on average"
fi

if [ "$failures" -gt 0 ]; then
  echo "$failures findings in $records committed records" >&2
  exit 1
fi
if [ "$mode" = write ]; then sort -u "$work/passed" >"$tree/$list"; fi
echo "committed records: $records, all of sources in this history ($listed checked before); results/ has $all bytes, its records $of_records"
