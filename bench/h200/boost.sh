#!/usr/bin/env bash
# The arbiter that opens gates (tactusd --protocol boost) on a GPU: what its operations take, and the case study
# beside the other ways of sharing. A step that fails does not stop the rest.
#
#     bench/h200/boost.sh PROGRAMS OUT [SECONDS [OPERATIONS]]
#
# PROGRAMS: folder with tactus, tactusd, libtactus_preload.so, gate_pulse and plain_loop: a build folder.
# OUT: gets case-*.json, steal-*.txt, operations-*.log and boost.log; bench/h200/boost_report.py makes tables of them.
# SECONDS: length of each run of the case study (30). OPERATIONS: of each kind for the distributions (10000; 0: none).
# PARTS: which parts (operations cases; both if absent). LOADS: best-effort loads ("2 4").
# MODES: which of off lock arbiter boost hold.
set -u
programs=$(realpath "$1") out=$2 seconds=${3:-30} operations=${4:-10000}
here=$(cd "$(dirname "$0")" && pwd)
system=${SYSTEM:-$here/../../examples/gcaps-h200.system.json}
parts=${PARTS:-operations cases}
mkdir -p "$out"
private=$(mktemp -d)
gate_pulse=$programs/gate_pulse
[ -x "$gate_pulse" ] || gate_pulse=$programs/bench/gate_pulse
plain_loop=$programs/plain_loop
if ! [ -x "$plain_loop" ]; then
  plain_loop=$private/plain_loop
  nvcc -O2 -arch=sm_90 -cudart static "$here/plain_loop.cu" -o "$plain_loop" || exit 2
fi
export TACTUS_SOCKET=$private/arbiter.socket
trap 'rm -rf "$private"' EXIT
watched=$(($(nproc) - 1))

step() { printf '\n== %s (%s)\n' "$*" "$(date -u +%T)"; }

# pulses NAME COMMAND...: under an arbiter with a log of its own, operations-NAME.log
pulses() {
  local name=$1 arbiter
  shift
  timeout 200 "$programs/tactusd" --protocol boost --log "$out/operations-$name.log" --cpu $((watched - 1)) --spin 20 &
  arbiter=$!
  for _ in $(seq 100); do [ -S "$TACTUS_SOCKET" ] && break; sleep 0.02; done
  "$@"
  timeout 10 "$programs/tactus" top --costs
  timeout 10 "$programs/tactus" top
  kill $arbiter; wait $arbiter
}
# Pauses of 4 ms: the arbiter logs at most 1000 lines per second of a client.
alone() { timeout 60 "$gate_pulse" 1000 150 4000; }
side_by_side() {
  timeout 100 "$gate_pulse" $((operations / 2)) 150 3900 3 & local other=$!
  sleep 2
  timeout 100 "$gate_pulse" $((operations / 2)) 150 4100 1
  wait $other
}
above_a_loop() {
  timeout 150 "$programs/tactus" exec --best-effort --tier channel --required -- "$plain_loop" $((operations / 200 + 4)) &
  local loop=$!
  sleep 2.5
  timeout 100 "$gate_pulse" "$operations" 150 4000
  timeout 10 "$programs/tactus" top
  wait $loop; echo "exit code of the program that was taken off: $?"
}

operations() {
  [ "$operations" -gt 0 ] || return 0
  step "operations: starts without a change of process"; pulses alone alone
  step "operations: $operations starts by two processes in turn"; pulses turns side_by_side
  step "operations: $operations starts, takings off and puttings on of a program that fills the GPU"
  pulses loop above_a_loop
}

case_study() {  # name, system file, options
  step "case study: $1"
  python3 "$here/steal.py" "$watched" > "$out/steal-$1.txt" & local watcher=$!
  timeout $((seconds + 60)) taskset -c "0-$((watched - 1))" "$programs/tactus" run "$2" --policy gcaps --backend cuda --realtime \
    --fill 85 --duration $((seconds * 1000)) --json "${@:3}" > "$out/case-$1.json"
  echo "exit code $?"
  kill $watcher; wait $watcher 2>/dev/null
  tail -1 "$out/steal-$1.txt"
}

cases() {
  local loads mode
  for loads in ${LOADS:-2 4}; do
    python3 "$here/with_loads.py" "$system" "$loads" > "$private/$loads.json"
    for mode in ${MODES:-off lock arbiter boost hold}; do
      case $mode in
        arbiter | boost) case_study "$mode-$loads" "$private/$loads.json" --mode "$mode" --tier channel ;;
        hold) case_study "$mode-$loads" "$private/$loads.json" --mode boost --tier hold ;;
        *) case_study "$mode-$loads" "$private/$loads.json" --mode "$mode" ;;
      esac
    done
  done
}

{
  step "machine"
  date -u; head -1 /proc/driver/nvidia/version
  nvidia-smi --query-gpu=name,driver_version,clocks.sm --format=csv,noheader
  uname -r; nproc
  "$programs/tactus" --version
  for part in $parts; do "$part"; done
  step "end"
} 2>&1 | tee "$out/boost.log"
