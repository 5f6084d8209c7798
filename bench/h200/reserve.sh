#!/usr/bin/env bash
# Reservations on a GPU: four networks as processes that are admitted one after the other beside a training, a fifth
# that is refused and runs as best effort, and one that is admitted and then takes ten times its time.
#
#     bench/h200/reserve.sh PROGRAMS OUT [SECONDS]
#
# PROGRAMS: folder with tactus, tactusd, libtactus.so, libtactus_client.so and libtactus_preload.so: a build folder.
# OUT gets reserved.md (a table), answers.txt, arbiter.log, and what each program said. SECONDS: 60. About four
# minutes. COSTS: of the GPU in ms, as start,off,on. A second run follows with twice those costs if the first one
# has no table.
set -u
programs=$(realpath "$1") out=$2 seconds=${3:-60}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
for costs in ${COSTS:-0.3,1.2,0.8} 0.6,2.4,1.6; do
  timeout $((seconds + 150)) python3 "$here/../torch/reserved.py" "$out" --programs "$programs" --seconds "$seconds" \
    --costs "$costs" 2>&1 | tee -a "$out/reserve.txt"
  [ -s "$out/reserved.md" ] && break
  for said in "$out"/*.txt; do echo "== $said"; tail -3 "$said"; done
done
{
  echo "Events of the arbiter:"
  grep -o '"event": "[a-z-]*"' "$out/arbiter.log" | sort | uniq -c
  grep -h '"demote"\|"slow"\|"late"\|"invariant"' "$out/arbiter.log" | head -20
} | tee -a "$out/reserve.txt"
