#!/usr/bin/env bash
# One CUDA graph against streams and events, for the same plans (the dag paper, Section 2.2).
#
#     bench/h200/streams.sh OUT [--backend cuda|emulator] [--jobs N]
#
# OUT/streams.md is a table: per graph, unit and number of SMs the response (mean, p99, max, in us) of a job
# as one graph and as kernels on streams, the difference of the means per kernel, and whether the bound held and
# the order was kept. TACTUS names the program (build/tactus otherwise). About three minutes on an idle GPU.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?"usage: streams.sh OUT"}
shift
backend=cuda jobs=300
while [ $# -gt 0 ]; do
  case $1 in
    --backend) backend=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    *) echo "streams.sh: $1?" >&2; exit 2 ;;
  esac
done
tactus=${TACTUS:-$here/../../build/tactus}
mkdir -p "$out/runs" "$out/systems"
options=(--backend "$backend" --method dag.balanced --jobs "$jobs" --json)
[ "$backend" = cuda ] && options+=(--realtime)

# A unit of 250 us makes launching small against a kernel, one of 20 us does not.
for graph in gauss laplace stencil; do
  for unit in 0.25 0.02; do
    for sms in 8 30 132; do
      name=$graph-$unit-$sms file=$out/systems/$graph-$unit-$sms.system.json
      "$tactus" lab generate "dag-$graph" --seed 1 --set load=4 --set "sms=$sms" > "$file.drawn" &&
        python3 "$here/scale.py" "$file.drawn" "$file" --by "$unit" --interleave 2
      rm -f "$file.drawn"
      for strategy in planned streams; do
        timeout 120 "$tactus" run "$file" "${options[@]}" --strategy "$strategy" \
          > "$out/runs/$name.$strategy.json" 2> "$out/error"
        echo "$name $strategy: exit $? $(head -1 "$out/error")"
        [ -s "$out/runs/$name.$strategy.json" ] || rm -f "$out/runs/$name.$strategy.json"
      done
    done
  done
done
python3 - "$out" "$here" > "$out/streams.md" <<'PYTHON'
import json, pathlib, sys
sys.path.insert(0, sys.argv[2])
from tables import number, table

runs = pathlib.Path(sys.argv[1], "runs")
unit_us = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6, "unit": 1e3}
rows = []
for planned in sorted(runs.glob("*.planned.json")):
    name = planned.name.removesuffix(".planned.json")
    other = runs / f"{name}.streams.json"
    if not other.exists():
        rows.append([name] + ["-"] * 9 + ["did not run"])
        continue
    seen = [json.loads(path.read_text()) for path in (planned, other)]
    one, two = [run["tasks"][0] for run in seen]
    system = json.loads(pathlib.Path(sys.argv[1], "systems", f"{name}.system.json").read_text())
    us = unit_us[system["time_unit"]]
    kernels = len(seen[0]["nodes"])
    cells = [number(task["response"][key] * us, 1) for task in (one, two)
             for key in ("mean", "p99", "max")]
    more = (two["response"]["mean"] - one["response"]["mean"]) * us
    holds = ["yes" if task["response"]["max"] <= task["bound"] else "no" for task in (one, two)]
    rows.append([name, kernels] + cells + [number(more / kernels, 2), number(one["bound"] * us, 1),
                                           " / ".join(holds)])
table(["graph-unit-SMs", "kernels", "graph mean", "p99", "max", "streams mean", "p99", "max",
       "more per kernel", "bound", "holds (graph / streams)"], rows)
PYTHON
cat "$out/streams.md"
