#!/bin/sh
# Proves that projects outside of the tree can use Ablate. No GPU and no network are needed.
#   test_package.sh BUILD       installs this build, moves the prefix, and builds projects against it: tests/package, and what
#                               `ablate new` writes, by the very commands of docs/own_kernels.md, without root or a network
#   test_package.sh fetch       configures tests/package with the tree as a part of it (FetchContent), and compiles the
#                               project's own files; `fetch whole` builds and runs it, without CUDA
# Then it looks for what must be so: which operations a program has, whose commit and sources its records name, that reports find
# their page and policies, that the project's flags and folders are unharmed.
set -eu

cd "$(dirname "$0")/.."
root=$PWD
. scripts/common.sh
case ${2:-whole} in
  whole) ;;
  *)
    echo "scripts/test_package.sh fetch [whole]: there is no part '$2'" >&2
    exit 2
    ;;
esac
case ${1:?a build folder such as build/tools, or fetch} in
  fetch) build='' work=$root/build/package ;;
  *) build=$(cd "$1" && pwd) work=$build/package ;;
esac
home=$work/home  # a user's, in which the documents expect the prefix
prefix=$home/ablate
jobs=$(build_jobs)

fail() {
  echo "$1" >&2
  [ $# -lt 2 ] || cat "$2" >&2
  exit 1
}

# quietly NAME COMMAND…: what it says goes to NAME.log, and is shown if it fails.
quietly() {
  log=$work/$1.log
  shift
  "$@" >"$log" 2>&1 || fail "failed: $*" "$log"
}

# expect PROGRAM_TEXT: a Python expression of `json` (a file that was read) which must be true.
expect() {
  python3 - "$1" "$2" <<'END' || fail "$1: expected $2"
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    json = json.load(file)
sys.exit(0 if eval(sys.argv[2]) else 1)
END
}

# configure SOURCE BUILD OPTIONS…: as a user would, but with the ccache of this tree.
configure() {
  source=$1
  binary=$2
  shift 2
  set -- -S "$source" -B "$binary" -G Ninja -DCMAKE_BUILD_TYPE=Release "$@"
  if command -v ccache >/dev/null 2>&1; then
    launcher="env;CCACHE_BASEDIR=$root;CCACHE_SLOPPINESS=locale;ccache"
    set -- "$@" "-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher" "-DCMAKE_CUDA_COMPILER_LAUNCHER=$launcher"
  fi
  cmake "$@"
}

# A repository of its own, in which the project is a folder: its commit is the user's.
make_project() {
  mkdir -p "$work/repository"
  cp -r tests/package "$work/repository/rows"
  (
    cd "$work/repository"
    git init -q
    git add .
    git -c user.name=somebody -c user.email=some@body commit -q -m 'Softmax over rows'
  )
  project=$work/repository/rows
}

# check_program PROGRAM NAME: what a program of tests/package must show, wherever its Ablate came from.
check_program() {
  program=$1
  commit=$(git -C "$project" rev-parse HEAD)
  "$program" list --json >"$work/$2.list.json" || fail "$program: list failed"
  expect "$work/$2.list.json" '[o["name"] for o in json["operations"]] == ["ceilings", "row_sums", "softmax"]'
  expect "$work/$2.list.json" 'all("voxel" not in name and "attention" not in name for name in json["kernels"])'
  "$program" --version >"$work/$2.version"
  grep -q '^rows 2.5.0$' "$work/$2.version" || fail "$program: expected its own name and version" "$work/$2.version"
  quietly "$2.run" "$program" run "$project/suites/small.json" --device host --out "$work/$2.out"
  record=$work/$2.out/record.json
  expect "$record" "json['context']['ablate']['build']['commit'] == '$commit'"
  expect "$record" 'json["context"]["ablate"]["build"]["dirty"] is False'
  expect "$record" 'json["context"]["ablate"]["build"]["version"] == "2.5.0"'
  expect "$record" 'json["context"]["ablate"]["build"]["ablate"]["version"] == "'"$version"'"'
  expect "$record" 'json["context"]["ablate"]["build"]["ablate"]["source_hash"] != json["context"]["ablate"]["build"]["source_hash"]'
  expect "$record" '{e["operation"] for e in json["benchmarks"]} == {"softmax"}'
  expect "$record" 'any(e["operation"] == "row_sums" and "oracle" in e["reason"] for e in json["unmeasured"])'
  if command -v node >/dev/null 2>&1 && [ -d reports/node_modules/ajv ]; then
    quietly "$2.validate" node reports/validate.mjs reports/schema/record.schema.json "$record"
  fi
  quietly "$2.report" "$program" report "$work/$2.out" --out "$work/$2.report"
  [ -s "$work/$2.report/report.html" ] || fail "$program: report wrote no report.html" "$work/$2.report.log"
  quietly "$2.plan" "$program" plan "$project/suites/rows.json" --chip h200
}

# check_flags FOLDER: none of ours on the project's files, all of its own.
check_flags() {
  python3 - "$1/compile_commands.json" <<'END' || fail "$1: the project's flags are not its own"
import json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    # A unity build compiles the project's files under another name.
    commands = [c for c in json.load(file) if "/rows.dir/" in c["command"] or "/rows_kernels.dir/" in c["command"]]
assert commands, "no command for the project's files"
for c in commands:
    words = c["command"].split()
    for flag in ("-Werror", "-Wall", "-Wextra", "-ffp-contract=off", "-lineinfo"):
        assert not any(w.endswith(flag) for w in words), (flag, c["file"])
    assert "-DROWS_OF_THE_USER" in words, c["file"]
    assert any("ROWS_MINIMUM_COLUMNS=1" in w for w in words), c["file"]
    assert ("-Wshadow" in words) != c["file"].endswith(".cu"), c["file"]
    assert any(w in ("-O0", "-O3") for w in words), c["file"]
END
}

install_and_move() {
  say "Installing, and moving the prefix"
  quietly install cmake --install "$build" --prefix "$work/installed"
  mkdir -p "$home"
  mv "$work/installed" "$prefix"
  if grep -rlF -e "$root" "$prefix/lib" "$prefix/include" --include='*.cmake' --include='*.h' --include='*.cuh' --include='*.in'; then
    fail "these files of the package name the folder that it was built in"
  fi
  cuda=$(sed -n 's/^ABLATE_CUDA:BOOL=//p' "$build/CMakeCache.txt")
}

build_project() {
  say "tests/package against the prefix, CUDA $cuda"
  quietly configure configure "$project" "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
  quietly build cmake --build "$work/build" --parallel "$jobs"
  check_program "$work/build/rows" package
  check_flags "$work/build"
  if [ "$cuda" = ON ]; then
    expect "$work/package.list.json" 'sum("softmax_rows" in name for name in json["kernels"]) == 4'
    expect "$work/package.list.json" 'sum("ablate::ceilings" in name for name in json["kernels"]) > 4'
    expect "$work/package.list.json" 'all(v["kernels"] for o in json["operations"] if o["name"] != "ceilings" for v in o["variants"])'
  fi
}

find_faults() {
  say "A commit that is not the sources', and a fault in the reference"
  echo '// a comment' >>"$project/operations/softmax.cpp"
  sed -i 's/float>(std::exp/float>(1.001 * std::exp/' "$project/operations/softmax_reference.cpp"
  quietly rebuild cmake --build "$work/build" --parallel "$jobs"
  status=0
  "$work/build/rows" run "$project/suites/small.json" --device host --out "$work/wrong.out" >"$work/wrong.log" 2>&1 || status=$?
  [ "$status" -eq 3 ] || fail "a wrong reference ended with $status, expected 3" "$work/wrong.log"
  expect "$work/wrong.out/record.json" 'json["context"]["ablate"]["build"]["dirty"] is True'
  (cd "$project" && git checkout -q .)
}

refuse_other_compiler() {
  say "Another compiler"
  if command -v clang++ >/dev/null 2>&1; then
    if configure "$project" "$work/clang" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER=clang++ >"$work/clang.log" 2>&1; then
      fail "a project compiled by clang was accepted"
    fi
    grep -q "it was built by GNU [0-9]*, and this project is compiled by Clang [0-9]*; install it again" "$work/clang.log" ||
      fail "a project compiled by clang was refused, but not in one line" "$work/clang.log"
  else
    note "there is no clang++: not tried"
  fi
}

# confined COMMAND…: in the user's home, with a user's rights and no network, as far as this machine lets one take them away.
confined() {
  # shellcheck disable=SC2086  # one word each
  (cd "$home" && HOME=$home $confinement "$@")
}

find_confinement() {
  nobody=65534
  as_nobody="setpriv --reuid=$nobody --regid=$nobody --clear-groups --no-new-privs"
  if [ "$(id -u)" -eq 0 ]; then
    chown -R "$nobody:$nobody" "$home"
    set -- "unshare -n $as_nobody" "$as_nobody" "unshare -n"
  else
    set -- "unshare -c -n"
  fi
  for confinement in "$@"; do
    if confined test -w . 2>/dev/null; then
      note "as: $confinement"
      return
    fi
  done
  confinement=
  note "this machine lets no rights and no network be taken away: as the user who calls"
}

# In an empty folder, by the commands that the document tells.
follow_tutorial() {
  say "docs/own_kernels.md, from \`ablate new\` to a report and a gate"
  cp -r tests/package/results/h200/rows "$home/rows"
  find_confinement
  python3 tests/package/tutorial.py docs/own_kernels.md "2. A project" "3. A report" >"$work/tutorial.sh" ||
    fail "docs/own_kernels.md: its sections or their commands are gone"
  quietly tutorial confined env -u CMAKE_CXX_COMPILER_LAUNCHER -u CMAKE_CUDA_COMPILER_LAUNCHER CMAKE_BUILD_PARALLEL_LEVEL="$jobs" \
    sh -eux "$work/tutorial.sh"
  project=$home/mine
  for report in counters host; do
    [ -s "$project/out/$report/report/report.html" ] || fail "the tutorial made no report in out/$report" "$work/tutorial.log"
  done
  files=$(cd "$project" && find . -type f ! -path './build/*' ! -path './out/*' | wc -l)
  [ "$files" -le 5 ] || fail "ablate new: wrote $files files, expected at most 5"
  expect "$project/out/host/record.json" '{e["status"] for e in json["unmeasured"]} <= {"not_applicable"} and json["benchmarks"]'
  cat >"$work/after.sh" <<END
"$prefix/bin/ablate" new mine --gate
cd mine
build/mine plan suites/gates/mine.json --chip h200
build/mine run suites/mine.json --device host --out out/mine
build/mine claims out/mine
build/mine report ../rows --out out/rows
END
  quietly after confined sh -eux "$work/after.sh"
  grep -q 'three_reads_warp' "$project/out/rows/summary.md" || fail "the record of an H200 made no summary" "$work/after.log"
  if ! has_gpu; then
    status=0
    confined sh -c 'cd mine && build/mine gate --baseline build/mine --candidate build/mine suites/gates/mine.json' \
      >"$work/gate.log" 2>&1 || status=$?
    [ "$status" -eq 4 ] || fail "a gate without a GPU ended with $status, expected 4" "$work/gate.log"
    grep -q '^ablate: there is no GPU: ' "$work/gate.log" || fail "a gate without a GPU gave no reason" "$work/gate.log"
  fi
  lines=$(cat "$project/operations/mine.cpp" "$project/kernels/mine.cu" | grep -c '[^ ]')
  [ "$lines" -le 60 ] || fail "ablate new: $lines lines are the user's to write, expected at most 60"
}

# A plugin in C needs a header of the package, and no build.
use_plugin() {
  say "A plugin"
  sed 's|"harness/plugin.h"|<ablate/plugin.h>|' tests/harness/wrapped/data/plugin.c >"$work/plugin.c"
  quietly plugin cc -std=c99 -shared -fPIC -I "$prefix/include" -o "$work/plugin.so" "$work/plugin.c"
  "$home/mine/build/mine" wrap "$work/plugin.so" list --json >"$work/plugin.list.json" || fail "wrap plugin.so: list failed"
  expect "$work/plugin.list.json" '{"mine", "plugin_copy"} <= {o["name"] for o in json["operations"]}'
}

# own_objects FOLDER: what a build compiles of the project's own files.
own_objects() {
  python3 - "$1/compile_commands.json" <<'END'
import json, shlex, sys
with open(sys.argv[1], encoding="utf-8") as file:
    for command in json.load(file):
        words = shlex.split(command["command"])
        if any(w.startswith("CMakeFiles/rows.dir/") for w in words):
            print(words[words.index("-o") + 1])
END
}

# fetch PART: by FetchContent, the project's own files or, with `whole`, everything.
fetch() {
  say "tests/package by FetchContent, without CUDA"
  # ccache finds no unit of this unity build among those of others: without optimization, then.
  binary=$root/build/fetched
  quietly configure configure "$project" "$binary" -DABLATE_SOURCE="$root" -DABLATE_CUDA=OFF \
    "-DCMAKE_CXX_FLAGS_RELEASE=-O0 -DNDEBUG" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=48 -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
  check_flags "$binary"
  if [ "$1" = whole ]; then
    quietly build cmake --build "$binary" --parallel "$jobs"
    check_program "$binary/rows" fetch
  else
    objects=$(own_objects "$binary")
    [ -n "$objects" ] || fail "$binary: expected files of the project itself to compile"
    # shellcheck disable=SC2086  # one word each
    quietly build cmake --build "$binary" --parallel "$jobs" --target $objects
  fi
}

# Compiling the kernels once more would show nothing that the package does not.
configure_fetching_with_cuda() {
  if CUDACXX=$(find_nvcc); then
    say "The same with CUDA, configured"
    export CUDACXX
    echo 'enable_language(CUDA)' >"$work/enable_cuda.cmake"
    quietly configure_cuda configure "$project" "$work/with_cuda" -DABLATE_SOURCE="$root" -DCMAKE_CUDA_ARCHITECTURES=90a-real \
      "-DCMAKE_PROJECT_rows_INCLUDE=$work/enable_cuda.cmake"
    grep -q 'rows_kernels.dir/kernels/softmax.cu.o' "$work/with_cuda/build.ninja" || fail "its kernels are not compiled" "$work/configure_cuda.log"
  else
    note "there is no CUDA Toolkit: not tried with one"
  fi
}

mkdir -p "$work"
# The build folder stays, that a second test be a short one.
find "$work" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
version=$(sed -n 's/^project(ablate VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
make_project
if [ -z "$build" ]; then
  configure_fetching_with_cuda
  fetch "${2:-own_files}"
  echo "a project that fetches Ablate compiles${2:+, builds and runs}, and keeps what is its own"
  exit 0
fi
install_and_move
build_project
find_faults
refuse_other_compiler
follow_tutorial
use_plugin
echo "the package installs, moves, and builds projects outside of the tree ($lines lines by hand), which keep what is their own"
