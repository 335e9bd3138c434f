#!/bin/sh
# scripts/check_records.sh on made repositories: it must pass true records and refuse each kind of untrue one.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
repository=$work/repository

git() {
  command git -C "$repository" -c user.name=test -c user.email=test@example.org -c commit.gpgsign=false "$@"
}

commit_all() {
  git add -A
  git commit -q -m "$1"
}

record() {  # commit, dirty, source hash, suite
  folder=$repository/results/h200/${4:-voxelization}
  mkdir -p "$folder"
  cat >"$folder/record.json" <<EOF
{"context": {"ablate": {"build": {"commit": "$1", "dirty": $2, "source_hash": "$3"}}}, "benchmarks": [{"n": "a;b[c"}]}
EOF
  "$root/scripts/pack_record.sh" "$folder/record.json"
  commit_all "a record"
}

passes() {
  if ! "$root/scripts/check_records.sh" "$repository" >"$work/said" 2>&1; then
    echo "FAILED: should pass: $1"
    cat "$work/said"
    exit 1
  fi
}

refuses() {  # what, a phrase of the message
  if "$root/scripts/check_records.sh" "$repository" >"$work/said" 2>&1; then
    echo "FAILED: should be refused: $1"
    exit 1
  fi
  if ! grep -q "$2" "$work/said"; then
    echo "FAILED: the message for $1 does not say '$2':"
    cat "$work/said"
    exit 1
  fi
}

mkdir -p "$repository"
git init -q
for folder in kernels oracles variants harness reports scripts/cmake; do
  mkdir -p "$repository/$folder"
  echo "// $folder" >"$repository/$folder/file.cpp"
done
cp "$root/scripts/cmake/source_hash.cmake" "$repository/scripts/cmake"
echo "project(made)" >"$repository/CMakeLists.txt"
commit_all "sources"
passes "a tree without records"

sources=$(git rev-parse HEAD)
hash=$(cmake -D ROOT="$repository" -P "$repository/scripts/cmake/source_hash.cmake")
record "$sources" false "$hash"
passes "a true record"

echo "// edited" >"$repository/kernels/file.cpp"
commit_all "later sources"
passes "a true record of an older commit"

record "$sources" false "$hash" pooling
passes "two true records of one commit"

record "$sources" false "$(echo "$hash" | tr 0-9a-f 1-9a-f0)" pooling
refuses "one false record of a commit that a true one names, too" "1 findings in 2 committed records"
record "$sources" false "$hash" pooling

record "$sources" true "$hash"
refuses "a dirty record" "sources differed from its commit"

record "$(git rev-parse HEAD)" false "$hash"
refuses "the hash of other sources" "has source_hash $hash, but"

record 0123456789012345678901234567890123456789 false "$hash"
refuses "an unknown commit" "not in this repository"

record "" false "$hash"
refuses "no commit" "names no commit"

side=$(git commit-tree -m "a side branch" "$sources^{tree}")
record "$side" false "$hash"
refuses "a commit beside the history" "not in the history of HEAD"

folder=$repository/results/h200/voxelization
echo '{"context": {}}' >"$folder/record.json"
"$root/scripts/pack_record.sh" "$folder/record.json"
commit_all "no build facts"
refuses "a file without build facts" "expected /context/ablate/build/commit"

record "$sources" false "$hash"
passes "the record as it was"
xz -dc "$folder/record.json.xz" >"$folder/record.json"
commit_all "a plain one beside it"
refuses "a record that is not compressed" "scripts/pack_record.sh compresses it"
git rm -q "$folder/record.json"

head -c 40 "$folder/record.json.xz" >"$work/cut"
cp "$work/cut" "$folder/record.json.xz"
commit_all "cut short"
refuses "a record that is cut short" "record.json.xz: expected a file as .* found another: Unexpected end of input"

record "$sources" false "$hash"
"$root/scripts/check_records.sh" --write "$repository" >"$work/said"
commit_all "a list of what was checked"
passes "records that the list has"
grep -q "(2 checked before)" "$work/said" || { cat "$work/said"; echo "FAILED: both should be in the list"; exit 1; }
record "$sources" false "$(echo "$hash" | tr 0-9a-f 1-9a-f0)" pooling
refuses "a record that has changed since it was listed" "has source_hash"
blob=$(git rev-parse HEAD:results/h200/pooling/record.json.xz)
echo "$blob $sources" >>"$repository/results/checked.txt"
commit_all "a false record that is listed all the same"
passes "what the list says it is, by the list"
if "$root/scripts/check_records.sh" --all "$repository" >"$work/said" 2>&1; then
  echo "FAILED: --all should check what is listed"
  exit 1
fi
record "$sources" false "$hash" pooling
git rm -q results/checked.txt
commit_all "no list"
folder=$repository/results/h200/voxelization

head -c 700000 /dev/urandom >"$folder/picture"
commit_all "within the budget"
passes "a file that is no record and larger than one may be"
cp "$folder/picture" "$folder/record.json.xz"
commit_all "too large"
refuses "a record that is too large" "expected at most 614400 bytes, found 700000"
refuses "records that are too large on average" "expected at most 307200 bytes a record, found"
record "$sources" false "$hash"
head -c 25000000 /dev/zero >"$folder/picture"
commit_all "too much in all"
refuses "results that are too large" "results/: expected at most 25000000 bytes, found 25"

echo "passed"
