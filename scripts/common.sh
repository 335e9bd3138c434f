# shellcheck shell=sh
# Sourced by the scripts beside it, which are run from the root of the tree.

oldest_cuda=12.6

say() { printf '\n== %s\n' "$*"; }
note() { printf '   %s\n' "$*"; }

# Whether version $1 is $2 or later.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# Prints the CUDA release of the compiler $1.
cuda_release() { "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p'; }

# Prints the first nvcc that is recent enough: $CUDACXX, of PATH, of /usr/local/cuda. Fails when there is none.
find_nvcc() {
  for candidate in "${CUDACXX:-}" "$(command -v nvcc || true)" /usr/local/cuda/bin/nvcc; do
    if [ -x "$candidate" ] && at_least "$(cuda_release "$candidate")" "$oldest_cuda"; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

# lacks CAPABILITY WHY [STATUS]: ends the script, which goes without, with the status of a skipped test (77), or fails it
# where ABLATE_REQUIRE lists the capability. The names are those of tests/support/capability.h.
lacks() {
  case ",${ABLATE_REQUIRE-}," in
    *",$1,"*)
      echo "[$1] ABLATE_REQUIRE names what is missing: $2" >&2
      exit 1
      ;;
  esac
  echo "[$1] $2"
  exit "${3:-77}"
}

has_gpu() {
  if command -v nvidia-smi >/dev/null 2>&1; then nvidia-smi -L 2>/dev/null | grep -q '^GPU'; else [ -e /dev/nvidia0 ]; fi
}

# Sets `preset`: `native` where kernels can be compiled and run, `release` where they can be compiled, else `tools`.
# shellcheck disable=SC2034  # the scripts that source this read it
choose_preset() {
  if ! CUDACXX=$(find_nvcc); then
    unset CUDACXX
    preset=tools
  else
    export CUDACXX
    if has_gpu; then preset=native; else preset=release; fi
  fi
}

# One compiler for each core, as far as the memory lets it: one takes up to 2.5 GB.
build_jobs() {
  by_memory=$(awk '/^MemAvailable:/ { print int($2 / 2621440) }' /proc/meminfo)
  cores=$(nproc)
  if [ "$by_memory" -lt 1 ]; then echo 1; elif [ "$by_memory" -lt "$cores" ]; then echo "$by_memory"; else echo "$cores"; fi
}

# Tests that run at once: one more than there are cores, for some wait for a browser, a signal or a clock.
test_jobs() { echo $(($(nproc) + 1)); }

# build PRESET [TARGET…]: configures and builds; with ABLATE_TESTED=host without the tests that have run elsewhere.
build() {
  preset_to_build=$1
  shift
  host_tests=ON
  if [ "${ABLATE_TESTED-}" = host ]; then host_tests=OFF; fi
  say "Building the preset '$preset_to_build'"
  configuring=$(date +%s)
  cmake --preset "$preset_to_build" -DABLATE_HOST_TESTS=$host_tests ${ABLATE_COMMIT:+"-DABLATE_COMMIT=$ABLATE_COMMIT"} \
    >"build/$preset_to_build.configure.log" 2>&1 || {
    cat "build/$preset_to_build.configure.log" >&2
    return 1
  }
  note "configured in $(($(date +%s) - configuring)) s"
  if [ $# -gt 0 ]; then
    cmake --build --preset "$preset_to_build" --parallel "$(build_jobs)" --target "$@"
  else
    cmake --build --preset "$preset_to_build" --parallel "$(build_jobs)"
  fi
}
