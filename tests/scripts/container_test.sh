#!/bin/sh
# scripts/container: what the builders of images are asked for, without any of them.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
. "$root/scripts/common.sh"
git -C "$root" rev-parse HEAD >/dev/null 2>&1 || lacks clone "images are of a commit, and git does not know the tree"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$1" >&2
  cat "$work/said" "$work/asked" >&2 2>/dev/null || true
  exit 1
}

# Replaces podman and apptainer: notes its words, and what the folder holds that the image is made of.
mkdir "$work/bin"
for name in podman apptainer; do
  cat >"$work/bin/$name" <<'END'
#!/bin/sh
echo "${0##*/} $*" >"$ASKED"
for word; do
  case $word in TREE=*) context=${word#TREE=} ;; *) last=$word ;; esac
done
ls "${context-$last}" >"$ASKED.tree"
END
  chmod +x "$work/bin/$name"
done

build() {
  ASKED="$work/asked" PATH="$work/bin:$PATH" sh "$root/scripts/container/build.sh" "$@" >"$work/said" 2>&1
}

expect_tree() {
  grep -qx CMakeLists.txt "$work/asked.tree" || fail "the image is not made of the tree"
  if grep -qx -e results -e build "$work/asked.tree"; then fail "the image is made of more than the sources"; fi
}

commit=$(git -C "$root" rev-parse HEAD)
build oci debian:12 mine || fail "build.sh oci failed"
expect_tree
for words in "podman build -f " "--build-arg BASE=debian:12" "--build-arg CUDA=ON" "--build-arg COMMIT=$commit" "-t mine "; do
  grep -qF -e "$words" "$work/asked" || fail "podman was not asked for '$words'"
done
CUDA=OFF build apptainer debian:12 || fail "build.sh apptainer failed"
expect_tree
for words in "apptainer build " "--build-arg CUDA=OFF" "ablate.sif "; do
  grep -qF -e "$words" "$work/asked" || fail "apptainer was not asked for '$words'"
done

for words in oci "tar debian:12"; do
  status=0
  # shellcheck disable=SC2086
  build $words || status=$?
  [ "$status" -eq 2 ] || fail "build.sh $words ended with $status, expected 2"
  [ "$(wc -l <"$work/said")" -eq 1 ] || fail "build.sh $words was not refused in one line"
done

# Both recipes install by the same script, which knows the words they call it with.
for recipe in Containerfile ablate.def; do
  for step in packages "build /tree"; do
    grep -q "install.sh $step" "$root/scripts/container/$recipe" || fail "$recipe does not call install.sh $step"
  done
done
status=0
sh "$root/scripts/container/install.sh" nonsense >"$work/said" 2>&1 || status=$?
[ "$status" -eq 2 ] || fail "install.sh nonsense ended with $status, expected 2"
