#!/usr/bin/env bash
# Everything that is measured of the arbiter on a GPU, in one go (about 5 minutes with the defaults).
# Writes tiers.json, case-*.json and arbiter.log; bench/h200/arbiter_report.py makes the page of results of them.
#
#     bench/h200/arbiter.sh PROGRAMS OUT [SECONDS]
#
# PROGRAMS: folder with tactus, tactusd, libtactus_preload.so and pulse: a build folder. plain_loop is taken from there,
# or made with nvcc.
# OUT: folder for the results. SECONDS: length of each run of the case study (30).
# Needs the GPU to itself, and for real-time priorities the right to them (root, or CAP_SYS_NICE).
set -u
programs=$(realpath "$1") out=$2 seconds=${3:-30}
here=$(cd "$(dirname "$0")" && pwd)
system=${SYSTEM:-$here/../../examples/gcaps-h200.system.json}
preemptions=${PREEMPTIONS:-10000}
mkdir -p "$out"
private=$(mktemp -d)
pulse=$programs/pulse plain_loop=$programs/plain_loop
[ -x "$pulse" ] || pulse=$programs/bench/pulse
if ! [ -x "$plain_loop" ]; then
  plain_loop=$private/plain_loop
  nvcc -O2 -arch=sm_90 -cudart static "$here/plain_loop.cu" -o "$plain_loop" || exit 2
fi
export TACTUS_SOCKET=$private/arbiter.socket
arbiter=
trap '[ -n "$arbiter" ] && kill "$arbiter" 2>/dev/null; rm -rf "$private"' EXIT

step() { printf '\n== %s (%s)\n' "$*" "$(date -u +%T)"; }
start_arbiter() {
  timeout 300 "$programs/tactusd" "$@" & arbiter=$!
  for _ in $(seq 100); do [ -S "$TACTUS_SOCKET" ] && break; sleep 0.02; done
}
stop_arbiter() { kill "$arbiter" 2>/dev/null; wait "$arbiter"; arbiter=; }
best_effort() { timeout 120 "$programs/tactus" exec --best-effort --tier channel --required -- "$@"; }

{
  step "machine"
  date -u; head -1 /proc/driver/nvidia/version
  nvidia-smi --query-gpu=name,driver_version,clocks.sm --format=csv,noheader
  uname -r; nproc
  "$programs/tactus" --version

  step "tiers: stop and restart work that fills the GPU"
  timeout 60 "$programs/tactus" tiers --runs 500 --json > "$out/tiers.json"
  timeout 60 "$programs/tactus" tiers --runs 100

  case_study() {  # name, system file, seconds, options
    step "case study: $1"
    timeout $(($3 + 60)) "$programs/tactus" run "$2" --policy gcaps --backend cuda --realtime \
      --fill 85 --duration $(($3 * 1000)) --json "${@:4}" > "$out/case-$1.json"
    echo "exit code $?"
    tr -d '\n' < "$out/case-$1.json" | sed 's/{ *"task"/\n  "task"/g; s/  */ /g'; echo
  }
  case_study off "$system" "$seconds" --mode off
  case_study lock "$system" "$seconds" --mode lock
  case_study channel "$system" "$seconds" --mode arbiter --tier channel
  # These two take nothing off: the one waits for an item of 0.02 ms (0.2 was never reached), the other for one launch of
  # a load, 44 ms.
  python3 "$here/with_delay.py" "$system" 0.2 > "$private/yield.json"
  case_study yield "$private/yield.json" $((seconds / 3)) --mode arbiter --tier yield
  python3 "$here/with_delay.py" "$system" 44 > "$private/gate.json"
  case_study gate "$private/gate.json" $((seconds / 3)) --mode arbiter --tier gate
  case_study off-busy "$system" $((seconds / 3)) --mode off --wait busy
  case_study channel-busy "$system" $((seconds / 3)) --mode arbiter --tier channel --wait busy
  # The same with two loads only: round robin gets better with every process that is not there.
  python3 "$here/with_loads.py" "$system" 2 > "$private/two.json"
  case_study off-two "$private/two.json" $((seconds / 2)) --mode off
  case_study channel-two "$private/two.json" $((seconds / 2)) --mode arbiter --tier channel

  step "context switch: n identical kernels run together"
  for n in 1 2 4; do
    { printf '{"tactus":1,"name":"together-%s","time_unit":"ms","platform":{"elements":[{"name":"cpu","kind":"cpu","units":6},{"name":"gpu","kind":"gpu","units":1,"time_slice":2.048,"context_switch":0.3}]},"tasks":[{"name":"idle","period":1000,"priority":1,"core":1,"nodes":[{"name":"c","on":"cpu","wcet":0.01}]}' "$n"
      for i in $(seq "$n"); do printf ',{"name":"k%s","best_effort":true,"core":%s,"nodes":[{"name":"g","on":"gpu","wcet":40}]}' "$i" "$((i + 1))"; done
      printf ']}'; } > "$private/together.json"
    timeout 60 "$programs/tactus" run "$private/together.json" --policy gcaps --backend cuda --mode off \
      --fill 100 --duration 3000 --json > "$out/together-$n.json"
    echo "$n: exit code $?"
  done

  step "overhead on a program that is never preempted"
  start_arbiter
  for i in 1 2 3; do
    echo "alone:   $(timeout 60 "$plain_loop" 3)"
    echo "exec:    $(best_effort "$plain_loop" 3)"
  done

  preempt_cuda() {  # times
    best_effort "$plain_loop" $(($1 * 16 / 10000 + 3)) & loop=$!
    sleep 2
    timeout 100 "$pulse" "$1" 150 350
    wait $loop; echo "exit code $?"
  }
  step "an unmodified CUDA program preempted $preemptions times"
  preempt_cuda "$preemptions"

  step "an unmodified PyTorch program preempted $preemptions times"
  if python3 -c 'import torch' 2>/dev/null; then
    best_effort python3 "$here/torch_loop.py" $((preemptions * 17 / 10000 + 5)) & loop=$!
    sleep 7
    timeout 100 "$pulse" "$preemptions" 150 350
    wait $loop; echo "exit code $?"
  else
    echo "no PyTorch on this machine"
  fi
  stop_arbiter

  step "the CUDA program again, with an arbiter that spins on a CPU of its own"
  start_arbiter --cpu $(($(nproc) - 1)) --spin 20
  preempt_cuda $((preemptions / 2))
  stop_arbiter
  step "end"
} 2>&1 | tee "$out/arbiter.log"
