#!/bin/sh
# scripts/cmake/keep_ptxas_report.sh around a made compiler: the report is kept, the rest is passed on.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
object="$work/an object.o"

fail() {
  echo "FAILED: $1"
  exit 1
}

# Prints the sample and a warning to stderr, a line to stdout, and ends with the status that it is told.
cat >"$work/compiler" <<EOF
#!/bin/sh
echo "compiling"
echo "kernel.cu(3): warning #177-D: variable was declared but never referenced" >&2
cat "$root/tests/scripts/data/sm_80_and_sm_90a.ptxas" >&2
echo "ptxas warning : Stack size cannot be determined" >&2
exit "\$1"
EOF
chmod +x "$work/compiler"

run() {
  sh "$root/scripts/cmake/keep_ptxas_report.sh" "$work/compiler" "$@" >"$work/out" 2>"$work/err"
}

run 0 -c kernel.cu -o "$object" || fail "a good compilation has status $?"
cmp -s "$object.ptxas" "$root/tests/scripts/data/sm_80_and_sm_90a.ptxas" || fail "the report is not what ptxas said"
[ "$(cat "$work/out")" = compiling ] || fail "stdout was not passed on"
grep -q '177-D' "$work/err" || fail "a warning of the compiler was not passed on"
grep -q '^ptxas warning' "$work/err" || fail "a warning of ptxas was not passed on"
[ "$(wc -l <"$work/err")" -eq 2 ] || fail "more than the warnings was passed on"

status=0
run 2 -c kernel.cu -o "$object" || status=$?
[ "$status" -eq 2 ] || fail "a failed compilation has status $status instead of 2"
[ ! -e "$object.ptxas" ] || fail "a failed compilation left the report of an older one"
grep -q '177-D' "$work/err" || fail "the message of a failed compilation was not passed on"

run 0 --version || fail "a call without an object has status $?"
grep -q 'Compiling entry function' "$work/err" || fail "a call without an object was filtered"

[ "$(find "$work" -name '*.stderr*' | wc -l)" -eq 0 ] || fail "a working file was left behind"
echo "passed"
