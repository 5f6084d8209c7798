#!/usr/bin/env bash
# Copies on a GPU: how long they take beside copying neighbours, and whether they can be taken off. A step that
# fails does not stop the rest.
#
#     bench/h200/copies.sh PROGRAMS OUT [SWITCHES [RUNS]]
#
# PROGRAMS: folder with tactus (with CUDA), libtactus_preload.so and copy_channels: a build folder.
# OUT: gets measured.json and measured.system.json (`tactus measure` of copies.system.json: sizes and directions,
# beside copies of other sizes, directions, numbers and of pageable memory), and channels.txt (the experiment of
# copy_channels.cpp: as the tier is, and with the channels of copy engines).
# SWITCHES: how often copies are taken off (10000). RUNS: of each copy beside each neighbour (1000).
set -u
programs=$(realpath "$1") out=$2 switches=${3:-10000} runs=${4:-1000}
here=$(cd "$(dirname "$0")" && pwd)
copy_channels=$programs/copy_channels
[ -x "$copy_channels" ] || copy_channels=$programs/bench/copy_channels
mkdir -p "$out"

step() { printf '\n== %s (%s)\n' "$*" "$(date -u +%T)"; }

step "copies beside neighbours"
timeout 1500 "$programs/tactus" measure "$here/copies.system.json" --enemies copies,streaming --units none --noisy-ok \
  --runs "$runs" --json -o "$out/measured.system.json" > "$out/measured.json"
echo "exit code $?"
"$programs/tactus" analyze "$out/measured.system.json" --method rtgpu | head -20

# tried WORD SWITCHES MIB: the experiment with this word for the library
tried() {
  step "copies of $3 MiB taken off, TACTUS_CHANNEL_COPIES=$1"
  LD_PRELOAD=$programs/libtactus_preload.so TACTUS_CHANNEL_COPIES=$1 timeout 900 "$copy_channels" "$2" "$3" 2>&1
  echo "exit code $?"
}
{ tried no 200 4; tried yes "$switches" 4; tried yes $((switches / 10)) 64; } | tee "$out/channels.txt"
