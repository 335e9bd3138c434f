#!/bin/sh
# docs/examples/cluster with the program that CTest names, on the host: stand-ins take the places of Flux and Kubernetes, and
# cluster_examples_test.py that of ReFrame. What they start is what the examples say.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAILED: $1" >&2
  cat "$work/log" >&2
  exit 1
}

mkdir "$work/bin"
ln -s "$ABLATE_PROGRAM" "$work/bin/ablate"
export PATH="$work/bin:$PATH" CUDA_VISIBLE_DEVICES=
cat >"$work/small.json" <<'END'
{"name": "small", "description": "two bundles", "sampling": {"maximum_seconds": 0.05},
 "cases": [{"operation": "voxelize", "axes": {"points": [1000, 2000], "grid": 16}}]}
END

# As `flux bulksubmit` does with {} and what follows `:::`, but one after the other.
cat >"$work/bin/flux" <<'END'
#!/bin/bash
set -eu
[ "$1" = bulksubmit ] && shift
log= command=()
while [ "$1" != ::: ]; do
  case $1 in
    --output=*) log=${1#--output=} ;;
    --*) [ ${#command[@]} -eq 0 ] || command+=("$1") ;;
    *) command+=("$1") ;;
  esac
  shift
done
shift
for index in "$@"; do "${command[@]//\{\}/$index}" >"${log//\{\}/$index}" 2>&1; done
END
chmod +x "$work/bin/flux"
bash "$root/docs/examples/cluster/flux.sh" "$work/small.json" 3 "$work/flux" >"$work/log" 2>&1 || fail "flux.sh"
[ -s "$work/flux/report/report.html" ] || fail "flux.sh made no report"

# The pod's command, for each of its indices.
sed -n '/args:/,/env:/p' "$root/docs/examples/cluster/kubernetes.yaml" | sed '1d;$d;s/^ *-* //' | tr '\n' ' ' |
  sed "s|/opt/ablate/share/ablate/suites/voxelization.json|$work/small.json|;s|/results|$work/pods|" >"$work/pod.sh"
grep -q -- '--shard auto/8' "$work/pod.sh" || fail "kubernetes.yaml: expected --shard auto/8"
for index in 0 1 2 3 4 5 6 7; do
  JOB_COMPLETION_INDEX=$index sh "$work/pod.sh" >"$work/log" 2>&1 || fail "kubernetes.yaml, index $index"
done
ablate dev record "$work"/pods/shard-*/record.json --out "$work/pods/record.json" >"$work/log" 2>&1 || fail "kubernetes.yaml: merge"

PYTHONPATH="$root/reports/python" python3 -B "$root/tests/scripts/cluster_examples_test.py" "$root/docs/examples/cluster" "$work/small.json"
echo "passed"
