#!/bin/sh
# Compiler launcher: runs nvcc (through ccache, say) with -Xptxas=-v in its arguments, and keeps what ptxas reports of
# every kernel beside the object, as <object>.ptxas, for kernel_facts.cmake. The report is not printed; all else that
# the compiler says is.
#   keep_ptxas_report.sh [ccache] nvcc … -o object …
set -u

object=
previous=
for argument in "$@"; do
  if [ "$previous" = -o ]; then object=$argument; fi
  previous=$argument
done
if [ -z "$object" ]; then exec "$@"; fi

said=$object.stderr
report=$object.ptxas
trap 'rm -f "$said"' EXIT
rm -f "$report"

"$@" 2>"$said"
status=$?

info='^ptxas info|^ +[0-9]+ bytes stack frame, [0-9]+ bytes spill stores, [0-9]+ bytes spill loads$'
grep -Ev "$info" "$said" >&2
if [ "$status" -eq 0 ]; then
  # Whole or not at all: what the build reads must not be a half-written report.
  grep -E "$info" "$said" >"$said.part"
  mv "$said.part" "$report" || status=1
fi
exit "$status"
