#!/bin/sh
# scripts/gate_bisect.sh on a made repository whose "program" is a script: it must name the commit that was planted, skip what
# does not build or cannot be told, and say so where nothing fails.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
git init -q repository
cd repository
git config user.name test
git config user.email test@example.org
git config commit.gpgsign false
echo '{}' >suite.json
echo out >.gitignore

# A commit whose program's gate, with it as the candidate, ends with this exit code; 99: it does not build.
commit() {  # subject, code
  echo "$2" >code
  echo "$1" >subject
  git add -A
  git commit -q -m "$1"
}

# The program gates itself: `PROGRAM gate --baseline B --candidate C …` ends with the code of C.
cat >program.in <<'PROGRAM'
#!/bin/sh
while [ $# -gt 0 ]; do
  if [ "$1" = --candidate ]; then candidate=$2; fi
  shift
done
code=$(sed -n 's/^# code //p' "$candidate")
[ "$code" != 1 ] || echo "SLOWER: planted"
exit "$code"
PROGRAM
build='[ "$(cat code)" != 99 ] && mkdir -p build && { cat program.in; echo "# code $(cat code)"; } >build/program && chmod +x build/program'

commit first 0
for i in 1 2 3 4; do commit "fast $i" 0; done
commit "does not build" 99
commit "cannot be told" 4
commit "fast again" 0
commit planted 1
for i in 1 2 3; do commit "slow $i" 1; done

"$root/scripts/gate_bisect.sh" HEAD~11..HEAD "$build" build/program suite.json --budget 60 >"$work/said"
grep -q "planted" "$work/said" || { cat "$work/said"; echo "FAILED: the planted commit is not named"; exit 1; }
grep -q "SLOWER" "$work/said" || { cat "$work/said"; echo "FAILED: what failed is not told"; exit 1; }
[ -z "$(git worktree list | sed 1d)" ] || { echo "FAILED: a worktree is left"; exit 1; }

if "$root/scripts/gate_bisect.sh" HEAD~11..HEAD~9 "$build" build/program suite.json >"$work/said" 2>&1; then
  cat "$work/said"
  echo "FAILED: blames a commit where none fails"
  exit 1
fi
if "$root/scripts/gate_bisect.sh" nothing..HEAD "$build" build/program suite.json 2>"$work/said"; then exit 1; fi
grep -q "'nothing' in 'nothing..HEAD' is none" "$work/said"
echo "passed"
