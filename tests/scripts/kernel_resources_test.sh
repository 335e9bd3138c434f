#!/bin/sh
# scripts/cmake/write_kernel_resources.cmake on a stored report of ptxas, and on reports that are not whole.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
sample=$root/tests/scripts/data/sm_80_and_sm_90a.ptxas
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAILED: $1"
  exit 1
}

write() {  # the objects
  : >"$work/objects.txt"
  for object in "$@"; do echo "$work/$object" >>"$work/objects.txt"; done
  cmake -D OBJECTS="$work/objects.txt" -D OUT="$work/out.cpp" \
    -P "$root/scripts/cmake/write_kernel_resources.cmake" >"$work/said" 2>&1
}

has_row() {
  grep -qF "    {$1}," "$work/out.cpp" || fail "no row {$1}"
}

refuses() {  # what, a phrase of the message, the objects
  what=$1
  phrase=$2
  shift 2
  if write "$@"; then fail "should be refused: $what"; fi
  tr -s '\n ' ' ' <"$work/said" | grep -qF "$phrase" || fail "the message for $what does not say '$phrase'"
}

# The same kernels in two objects appear once; an object without kernels adds nothing.
cp "$sample" "$work/a.o.ptxas"
cp "$sample" "$work/b.o.ptxas"
: >"$work/none.o.ptxas"
write a.o b.o none.o || fail "the sample was refused"
has_row '"_ZN6ablate8voxelize6hashedILi2048EEEvNS0_7problemE", "sm_80", 32, 40, 24, 28, 16384'
has_row '"_ZN6ablate8voxelize6hashedILi2048EEEvNS0_7problemE", "sm_90a", 30, 0, 0, 0, 16384'
has_row '"_ZN6ablate8voxelize13global_atomicENS0_7problemE", "sm_80", 20, 0, 0, 0, 0'
has_row '"_ZN6ablate8voxelize13global_atomicENS0_7problemE", "sm_90a", 18, 0, 0, 0, 0'
grep -qF 'std::array<ablate::kernel_resources, 4> table' "$work/out.cpp" || fail "the table has not four rows"
grep -qF 'ablate::register_kernel_resources(table)' "$work/out.cpp" || fail "the table does not register itself"

# What did not change is not written again, so that nothing is compiled again.
touch -d '2001-01-01' "$work/out.cpp"
write b.o a.o
[ -z "$(find "$work" -name out.cpp -newer "$sample")" ] || fail "an unchanged table was written again"

write none.o || fail "an object without kernels was refused"
if grep -q 'register' "$work/out.cpp"; then fail "a table without kernels registers itself"; fi
write || fail "a build without kernels was refused"

refuses "an object without its report" "missing.o.ptxas is missing" missing.o

sed 's/Used 30 registers/Used 31 registers/' "$sample" >"$work/other.o.ptxas"
refuses "two kernels of one name" "two objects hold different machine code for _ZN6ablate8voxelize6hashed" a.o other.o

grep -v 'Used 20 registers' "$sample" >"$work/cut.o.ptxas"
refuses "a kernel without registers" "does not say how many registers '_ZN6ablate8voxelize13global_atomic" cut.o

head -n 2 "$sample" >"$work/end.o.ptxas"
refuses "a report that ends within a kernel" "does not say how many registers" end.o

grep -v '40 bytes stack frame' "$sample" >"$work/frame.o.ptxas"
refuses "a kernel without a stack frame" "does not name the stack frame" frame.o

echo "passed"
