#!/bin/sh
# Builds an image with Ablate's package, from the commit that is checked out.
#   build.sh oci BASE [NAME]         by podman, docker or buildah: the first that is there, or the one that BUILDER names [ablate]
#   build.sh apptainer BASE [FILE]   by apptainer, without root or a daemon [ablate.sif]
# BASE is an image of Debian 12 or Ubuntu 24.04. CUDA=OFF in the environment builds without a CUDA Toolkit, which BASE must have
# otherwise. What the images are made of is in install.sh.
set -eu

usage() {
  echo "build.sh: $1; usage: build.sh oci BASE [NAME] | build.sh apptainer BASE [FILE]" >&2
  exit 2
}

[ $# -ge 2 ] || usage "expected a kind of image and a base"
kind=$1 base=$2
cuda=${CUDA-ON}
case $cuda in ON | OFF) ;; *) usage "CUDA is '$cuda', expected ON or OFF" ;; esac
cd "$(dirname "$0")/../.."
commit=$(git rev-parse HEAD)

first_of() {
  for program in "$@"; do
    if command -v "$program" >/dev/null 2>&1; then
      echo "$program"
      return
    fi
  done
  echo "build.sh: none of these programs is in PATH: $*" >&2
  exit 4
}

# The committed files alone: no build folders, no records.
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
export_tree() {
  git archive --format=tar HEAD -- . ':!results' | tar -x -C "$context"
}

case $kind in
  oci)
    builder=${BUILDER:-$(first_of podman docker buildah)}
    export_tree
    "$builder" build -f "$context/scripts/container/Containerfile" --build-arg "BASE=$base" --build-arg "CUDA=$cuda" \
      --build-arg "COMMIT=$commit" -t "${3-ablate}" "$context"
    ;;
  apptainer)
    builder=$(first_of apptainer)
    export_tree
    "$builder" build --build-arg "BASE=$base" --build-arg "TREE=$context" --build-arg "CUDA=$cuda" \
      --build-arg "COMMIT=$commit" "${3-ablate.sif}" "$context/scripts/container/ablate.def"
    ;;
  *) usage "no kind '$kind' of image" ;;
esac
