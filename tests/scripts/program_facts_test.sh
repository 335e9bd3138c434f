#!/bin/sh
# The build facts of a program outside of Ablate's tree: its own commit, and the hash of its own sources, not those of a build.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$root/scripts/common.sh"
command -v git >/dev/null 2>&1 || lacks clone "git is not installed"

fail() {
  echo "FAILED: $1"
  cat "$work/facts.cpp"
  exit 1
}

# write [COMMIT]
write() {
  cmake -D GIVEN_COMMIT="${1:-}" -D ROOT="$project" -D OUT="$work/facts.cpp" -D PROGRAM=mine -D VERSION=2.5 -D COMPILER="GNU 1" -D CUDA_COMPILER= \
    -D CUDA_ARCHITECTURES= -D BUILD_TYPE=Debug -D DATA=/opt/ablate/share/ablate -P "$root/scripts/cmake/write_program_facts.cmake"
}

has() { grep -qF "$1" "$work/facts.cpp" || fail "expected $1, $2"; }

hash_of_facts() { sed -n 's/.*source_hash = "\(.*\)".*/\1/p' "$work/facts.cpp"; }

repository=$work/repository
project=$repository/bench
mkdir -p "$project/kernels" "$project/build" "$project/.hidden"
echo 'project(mine)' >"$project/CMakeLists.txt"
echo 'int kernel;' >"$project/kernels/k.cu"
echo 'int made;' >"$project/build/made.cpp"
echo 'int hidden;' >"$project/.hidden/h.cpp"
touch "$project/build/CMakeCache.txt"
echo 'build/' >"$project/.gitignore"
git -C "$repository" init -q
write
has '.commit = ""' "in a folder that nobody tracks"
has '.program = "mine"' "its name"
has 'name_data_directory("/opt/ablate/share/ablate")' "the data of its prefix"
expected=$(cd "$project" && printf '%s\n' CMakeLists.txt kernels/k.cu | xargs sha256sum | sha256sum | cut -d ' ' -f 1)
[ "$(hash_of_facts)" = "$expected" ] || fail "expected the hash of its two sources, $expected"

write 0123456789abcdef0123456789abcdef01234567
has '.commit = "0123456789abcdef0123456789abcdef01234567"' "as it was given"

git -C "$repository" add .
git -C "$repository" -c user.name=a -c user.email=a@b commit -q -m sources
write
has ".commit = \"$(git -C "$repository" rev-parse HEAD)\"" "of the repository that holds it"
has '.dirty = false' "as committed"
touch -d '2001-01-01' "$work/facts.cpp"
write
[ -z "$(find "$work" -name facts.cpp -newer "$root/CMakeLists.txt")" ] || fail "unchanged facts were written again"
echo 'int other;' >"$repository/elsewhere.cpp"
write
has '.dirty = false' "where only another folder of the repository changed"
echo 'int changed;' >"$project/kernels/k.cu"
write
has '.dirty = true' "where a source changed"
[ "$(hash_of_facts)" != "$expected" ] || fail "another source has the same hash"
echo "passed"
