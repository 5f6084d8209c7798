#!/usr/bin/env bash
# Measures a GPU and what the runtime costs on it, and writes the results as one page.
#
#     bench/h200/gpu.sh OUT
#
# OUT/gpu.md has everything; OUT/platform.system.json is what `tactus gpu calibrate` writes,
# OUT/calibration.json its figures with counts and quantiles. The programs are taken from build/, or
# from the folder in BIN where all of them lie side by side. Takes about a minute, on an idle GPU.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?"usage: gpu.sh OUT"}
mkdir -p "$out/scratch"
program() {  # its path in a build folder, unless BIN says otherwise
  if [ -n "${BIN:-}" ]; then echo "$BIN/$(basename "$1")"; else echo "$here/../../build/$1"; fi
}
page=$out/gpu.md

# shown SECONDS TITLE COMMAND...: the command's output as a block of the page.
shown() {
  local limit=$1 title=$2 code
  shift 2
  timeout "$limit" "$@" > "$out/scratch/output" 2>&1
  code=$?
  {
    printf '\n## %s\n\n' "$title"
    sed 's/^/    /; s/ *$//' "$out/scratch/output"
    [ $code -eq 0 ] || printf '\nExit code %s.\n' "$code"
  } >> "$page"
  echo "$title: exit $code"
}

"$(program tactus)" gpu info > "$out/scratch/info" || exit 3
{
  printf '# The GPU and the runtime on it: measured %s\n\n' "$(date -u +%F)"
  printf 'All of it by `bench/h200/gpu.sh OUT`, on an otherwise idle machine. Times are in microseconds where nothing else is said.\n'
} > "$page"
shown 20 'What is there: `tactus gpu info`' "$(program tactus)" gpu info
shown 90 'Calibration: `tactus gpu calibrate`' "$(program tactus)" gpu calibrate \
  -o "$out/platform.system.json"
timeout 60 "$(program tactus)" gpu calibrate --no-switches --json > "$out/calibration.json"
shown 60 'A replayed graph beside a hand-written one: `build/bench/gpu_overhead`' "$(program bench/gpu_overhead)"
shown 60 'A real pipeline: `build/hog --jobs 100`' "$(program hog)" --jobs 100 --folder "$out/scratch"
shown 60 'Batches: `tactus gpu measure-batches examples/pbs-drone.system.json -o OUT --max-size 2`' \
  "$(program tactus)" gpu measure-batches "$here/../../examples/pbs-drone.system.json" \
  -o "$out/scratch/drone.system.json" --max-size 2
shown 60 'Tests: `build/tests/test_gpu`' bash -c "'$(program tests/test_gpu)' --gtest_color=no | grep -v '^\[ RUN\|^\[--'"
echo "wrote $page"
