#!/bin/sh
# Finds the first commit whose build the gate fails, by git's bisection:
#   scripts/gate_bisect.sh OLD..NEW BUILD PROGRAM SUITE [OPTION…]
# BUILD is a shell command that builds the checked-out commit and leaves its program at PROGRAM, a path inside the tree; OPTIONs go
# to `ablate gate`. Each commit is gated against OLD's build. One that does not build, or whose gate is INCONCLUSIVE or INVALID, is
# skipped. Works in a worktree of its own below out/bisect: yours stays as it is. Run it from the root of a repository.
#
#   scripts/gate_bisect.sh v1.2..main 'cmake --preset native && cmake --build --preset native --target ablate' \
#     build/native/ablate suites/gates/kernels.json --floors floors.json --budget 600
set -eu

if [ $# -lt 4 ]; then
  echo "usage: scripts/gate_bisect.sh OLD..NEW BUILD PROGRAM SUITE [OPTION…]" >&2
  exit 2
fi
range=$1 build=$2 program=$3 suite=$4
shift 4
old=${range%%..*} new=${range##*..}
for end in "$old" "$new"; do
  if ! git rev-parse --quiet --verify "$end^{commit}" >/dev/null; then
    echo "gate_bisect.sh: expected OLD..NEW, two commits; '$end' in '$range' is none" >&2
    exit 2
  fi
done
old=$(git rev-parse "$old^{commit}") new=$(git rev-parse "$new^{commit}")
if ! git merge-base --is-ancestor "$old" "$new"; then
  echo "gate_bisect.sh: $old is not an ancestor of $new" >&2
  exit 2
fi

out=$PWD/out/bisect
tree=$out/tree
rm -rf "$out"
mkdir -p "$out"
git worktree prune
git worktree add --quiet --detach "$tree" "$old"
trap 'git -C "$tree" bisect reset >/dev/null 2>&1; git worktree remove --force "$tree" >/dev/null 2>&1' EXIT
suite=$(realpath "$suite")

echo "== Building $old"
(cd "$tree" && sh -c "$build")
cp "$tree/$program" "$out/baseline"

# What git asks of each commit: 0 good, 1 bad, 125 cannot be told.
cat >"$out/judge" <<'JUDGE'
#!/bin/sh
out=$1 build=$2 program=$3 suite=$4
shift 4
commit=$(git rev-parse --short HEAD)
if ! sh -c "$build" >"$out/$commit.build.log" 2>&1; then
  echo "$commit: does not build ($out/$commit.build.log)"
  exit 125
fi
code=0
"$out/baseline" gate --baseline "$out/baseline" --candidate "$program" "$suite" --changed --out "$out/$commit" "$@" \
  >"$out/$commit.gate.log" 2>&1 || code=$?
case $code in
  0) echo "$commit: passes" ;;
  1 | 3) echo "$commit: fails" ; code=1 ;;
  130) code=255 ;;
  *) echo "$commit: cannot be told (exit code $code, $out/$commit.gate.log)" ; code=125 ;;
esac
exit $code
JUDGE
chmod +x "$out/judge"

cd "$tree"
git checkout --quiet --detach "$new"
code=0
"$out/judge" "$out" "$build" "./$program" "$suite" "$@" || code=$?
if [ $code -ne 1 ]; then
  echo "gate_bisect.sh: $new does not fail the gate against $old: there is nothing to find" >&2
  exit 1
fi
git bisect start "$new" "$old" >/dev/null
git bisect run "$out/judge" "$out" "$build" "./$program" "$suite" "$@" >"$out/bisect.log" 2>&1 || true
grep -E '^[0-9a-f]+: (passes|fails|does not build|cannot be told)' "$out/bisect.log" || true
if ! first=$(sed -n 's/^\([0-9a-f]*\) is the first bad commit$/\1/p' "$out/bisect.log") || [ -z "$first" ]; then
  echo "gate_bisect.sh: no single commit is to blame; git says ($out/bisect.log):" >&2
  tail -n 5 "$out/bisect.log" >&2
  exit 1
fi
echo "== The first commit that fails:"
git log -1 --format='%h %ad %an%n    %s' --date=short "$first"
grep -hE 'SLOWER|WORSE|WRONG' "$out/$(git rev-parse --short "$first").gate.log" | head -n 10 || true
