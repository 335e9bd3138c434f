#!/bin/sh
# ABLATE_COMMIT is judged when configuring: what is no commit ends it, with one line that says so.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$1" >&2
  cat "$work/said" >&2
  exit 1
}

configure() {
  cmake -S "$root" -B "$work/build" -G Ninja -DABLATE_CUDA=OFF "-DABLATE_COMMIT=$1" >"$work/said" 2>&1
}

hash=0123456789abcdef0123456789abcdef01234567
for wrong in main 01234 "${hash}8" "0123456789ABCDEF0123456789ABCDEF01234567"; do
  if configure "$wrong"; then fail "ABLATE_COMMIT=$wrong was accepted"; fi
  grep -qF "ABLATE_COMMIT is '$wrong': expected the 40 hexadecimal digits of a commit" "$work/said" ||
    fail "ABLATE_COMMIT=$wrong was refused without saying why"
done
configure "$hash" || fail "ABLATE_COMMIT=$hash was refused"
configure '' || fail "no ABLATE_COMMIT was refused"
