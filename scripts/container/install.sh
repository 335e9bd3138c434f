#!/bin/sh
# What an image of Ablate is made of, inside of a container of Debian 12 or Ubuntu 24.04; called by Containerfile and ablate.def.
#   install.sh library                what the package is built with, and a project of one's own against it (docs/own_kernels.md)
#   install.sh packages               that, and Node.js, which draws plots
#   install.sh build TREE CUDA COMMIT  the package, from TREE into /opt/ablate; CUDA ON or OFF
set -eu

install() { apt-get install -y --no-install-recommends "$@"; }

case ${1:?library, packages or build} in
  library | packages)
    apt-get update
    install g++ cmake ninja-build git libfmt-dev nlohmann-json3-dev libcli11-dev libbenchmark-dev libsqlite3-dev \
      liblzf-dev libzip-dev xz-utils
    if [ "$1" = packages ]; then
      install nodejs
      rm -rf /var/lib/apt/lists/*
    fi
    ;;
  build)
    tree=${2:?the tree} cuda=${3:?ON or OFF} commit=${4-}
    # Some hundred packages, which only this step needs.
    apt-get update
    install npm
    npm ci --prefix "$tree/reports" --omit=dev --no-audit --no-fund
    (cd "$tree" && cmake --preset release -B /tmp/ablate-build -DABLATE_TESTS=OFF -DABLATE_CUDA="$cuda" -DABLATE_COMMIT="$commit")
    cmake --build /tmp/ablate-build
    cmake --install /tmp/ablate-build --prefix /opt/ablate
    rm -rf /tmp/ablate-build /var/lib/apt/lists/*
    ;;
  *)
    echo "install.sh: expected library, packages or build, found '$1'" >&2
    exit 2
    ;;
esac
