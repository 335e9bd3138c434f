#!/bin/sh
# The commit of a build: the one that is given, else what git says of the sources, with whether they differ from it.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! command -v git >/dev/null 2>&1; then
  echo "there is no git here: skipped"
  exit 0
fi

tree=$work/tree
mkdir -p "$tree/kernels" "$tree/oracles" "$tree/variants" "$tree/harness" "$tree/reports" "$tree/scripts"
cp -r "$root/scripts/cmake" "$tree/scripts/cmake"
echo 'int kernel;' >"$tree/kernels/a.cpp"
cp "$root/CMakeLists.txt" "$tree/"
git -C "$tree" init -q
git -C "$tree" add .
git -C "$tree" -c user.name=a -c user.email=a@b commit -q -m sources
head=$(git -C "$tree" rev-parse HEAD)
given=0123456789abcdef0123456789abcdef01234567

# expect COMMIT DIRTY WHEN [GIVEN]: what the build facts hold.
expect() {
  cmake -D ROOT="$tree" -D OUT="$work/facts.cpp" -D VERSION=0 -D GIVEN_COMMIT="${4:-}" -D COMPILER=c -D CUDA_COMPILER= \
    -D CUDA_ARCHITECTURES= -D BUILD_TYPE=Release -P "$tree/scripts/cmake/write_build_facts.cmake"
  if ! grep -q "$1" "$work/facts.cpp" || ! grep -qw "$2" "$work/facts.cpp"; then
    echo "$3: expected commit $1, dirty $2, found:" >&2
    cat "$work/facts.cpp" >&2
    exit 1
  fi
}

expect "$head" false "sources as committed"
echo 'int changed;' >"$tree/kernels/a.cpp"
expect "$head" true "sources that differ"
expect "$given" false "a commit that is given" "$given"
