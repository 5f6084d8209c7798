#!/usr/bin/env bash
# Urgent programs that nobody has marked (`tactus exec --priority 70 --auto`), alone and beside eager training.
#
#     bench/h200/auto.sh PROGRAMS OUT [SECONDS [KINDS]]
#
# PROGRAMS: folder with tactus, tactusd, libtactus_preload.so and auto_job (nvcc -O2 -arch=sm_90 -std=c++17 -cudart static -I .
# bench/h200/auto_job.cu); a build folder. OUT/auto.md is a table: per kind of program and way of running it jobs,
# wrong results, response in ms, segments, launches, launches without a gate, forced gates, and steps of the training
# per second. SECONDS: of each run beside the training (8); alone half of that, without torch.compile. A step that fails is a line of its own.
# PYTHON names Python, TRAIN another neighbour than auto_torch.py, TIER and LOW_TIER the tiers (hold, channel). About
# 4.5 minutes.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
programs=$(realpath "${1:?"usage: auto.sh PROGRAMS OUT"}") out=$2 seconds=${3:-8}
kinds=${4:-"cuda eager graph decoder compile"}
python=${PYTHON:-python3}
mkdir -p "$out"
private=$(mktemp -d)
job=$programs/auto_job
if ! [ -x "$job" ]; then
  job=$private/auto_job
  nvcc -O2 -arch=sm_90 -std=c++17 -cudart static -I "$here/../.." "$here/auto_job.cu" -o "$job" || exit 2
fi
export TACTUS_SOCKET=$private/arbiter.socket
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$private"' EXIT
last=$(($(nproc) - 1))
tactus=$programs/tactus
: > "$out/runs.jsonl"

step() { printf '== %s (%s)\n' "$*" "$(date -u +%T)"; }

# run KIND WAY SECONDS PREFIX...: a line in runs.jsonl; `top` looks while it runs
run() {
  local kind=$1 way=$2 long=$3 code began
  shift 3
  step "$kind, $way"
  local command=("$job" "$long")
  [ "$kind" = cuda ] || command=("$python" "$here/auto_torch.py" "$kind" "$long")
  [ "$kind" = launches ] && command=("$job" launches)
  began=$(date +%s.%N)
  "$@" timeout -k 5 $((${long%.*} + 40)) "${command[@]}" > "$out/$kind.$way.json" 2> "$out/$kind.$way.err" &
  local program=$!
  : > "$out/$kind.$way.top"
  while kill -0 $program 2>/dev/null; do
    sleep 0.25
    [ -S "$TACTUS_SOCKET" ] && timeout 5 "$tactus" top --once --json > "$private/top" 2>/dev/null &&
      grep -q launches "$private/top" && cp "$private/top" "$out/$kind.$way.top"
  done
  wait $program
  code=$?
  [ $code = 0 ] || { echo "exit $code"; tail -2 "$out/$kind.$way.err"; }
  grep -h "^tactus:" "$out/$kind.$way.err" | head -3
  printf '{"kind": "%s", "way": "%s", "code": %d, "began": %s, "ended": %s}\n' "$kind" "$way" $code "$began" \
    "$(date +%s.%N)" >> "$out/runs.jsonl"
}
automatic=("$tactus" exec --priority 70 --auto --required --tier "${TIER:-hold}" --)
cpus=(taskset -c "0-$((last > 1 ? last - 1 : last))")
low=(taskset -c "$((last / 2))-$((last > 1 ? last - 1 : last))")
high=(taskset -c "0-$((last / 2 > 0 ? last / 2 - 1 : 0))")
arbiter() {
  "$programs/tactusd" --protocol boost --cpu "$last" --spin 20 --log "$out/arbiter-$1.log" 2> "$out/arbiter-$1.err" &
  daemon=$!
  for _ in $(seq 200); do [ -S "$TACTUS_SOCKET" ] && break; sleep 0.02; done
}
end() { kill "$1" 2>/dev/null; wait "$1" 2>/dev/null; rm -f "$TACTUS_SOCKET"; }

short=$(awk "BEGIN {print $seconds * 0.5}")
for kind in launches ${kinds/compile/}; do run "$kind" alone "$short" "${cpus[@]}"; done
arbiter alone
for kind in launches ${kinds/compile/}; do run "$kind" alone-auto "$short" "${cpus[@]}" "${automatic[@]}"; done
end $daemon

trainer=(${TRAIN:-"$python" "$here/auto_torch.py" train})
training() {  # NAME PREFIX...
  local name=$1
  shift
  step "training, $name"
  : > "$out/steps-$name"
  "$@" "${trainer[@]}" "$out/steps-$name" > "$out/train-$name.err" 2>&1 &
  trainer_is=$!
  for _ in $(seq 400); do [ "$(wc -l < "$out/steps-$name" 2>/dev/null || echo 0)" -gt 20 ] && break; sleep 0.1; done
  sleep 3
}
training driver "${low[@]}"
for kind in ${kinds%% graph*}; do run "$kind" driver "$seconds" "${high[@]}"; done
end $trainer_is
arbiter beside
training auto "${low[@]}" "$tactus" exec --best-effort --required --tier "${LOW_TIER:-channel}" --
for kind in $kinds; do run "$kind" auto "$seconds" "${high[@]}" "${automatic[@]}"; done
timeout 5 "$tactus" top --costs
end $trainer_is
end $daemon
gzip -f "$out"/arbiter-*.log

python3 - "$out" "$here" > "$out/auto.md" <<'PYTHON'
import json, pathlib, sys, time
sys.path.insert(0, sys.argv[2])
from tables import table

out = pathlib.Path(sys.argv[1])
shift = time.time() - time.monotonic()


def read(path):
    try:
        return json.loads(path.read_text().strip().splitlines()[-1] if path.suffix == ".json" else path.read_text())
    except (OSError, ValueError, IndexError):
        return {}


def rate(name, since, until):
    path = out / f"steps-{name}"
    if not path.exists():
        return "-"
    at = [float(line.split()[0]) + shift for line in path.read_text().splitlines() if " " in line]
    at = [t for t in at if since <= t <= until]
    return f"{(len(at) - 1) / (at[-1] - at[0]):.1f}" if len(at) > 2 else "0"


rows = []
for line in (out / "runs.jsonl").read_text().splitlines():
    run = json.loads(line)
    name = f"{run['kind']}.{run['way']}"
    seen, top = read(out / f"{name}.json"), read(out / f"{name}.top")
    mine = [c for c in top.get("clients", []) if "launches" in c]
    client = mine[-1] if mine else {}
    if "launch_us" in seen:
        cost = seen["launch_us"]
        rows.append([run["kind"], run["way"], "-", "-"] + [f"{cost[k]} us" for k in ("p10", "p50", "p90")] + ["-"] * 5)
        continue
    neighbour = {"driver": "driver", "auto": "auto"}.get(run["way"])
    rows.append([run["kind"], run["way"]] + [seen.get(k, f"exit {run['code']}") for k in ("jobs", "wrong", "p50", "p99", "max")]
                + [client.get(k, "-") for k in ("segments", "launches", "ungated", "forced")]
                + [rate(neighbour, run["ended"] - seen.get("jobs", 0) * 0.02 - 1, run["ended"] - 1) if neighbour else "-"])
for name in ("driver", "auto"):
    path = out / f"steps-{name}"
    if path.exists():
        lines = [l.split() for l in path.read_text().splitlines() if " " in l]
        bad = sum(1 for l in lines if l[1] in ("nan", "inf"))
        rows.append(["training", name, len(lines), bad] + ["-"] * 7 + ["-"])
table(["program", "way", "jobs", "wrong", "p50", "p99", "max", "segments", "launches", "ungated", "forced", "steps/s"], rows)
PYTHON
cat "$out/auto.md"
