#!/usr/bin/env bash
# From camera to wheels on a GPU: reaction and age of every value that passes through the chains, beside their
# bounds. A step that fails does not stop the rest.
#
#     bench/h200/pipeline.sh TACTUS OUT [SECONDS [PART...]]
#
# TACTUS: the program, with CUDA; libtactus.so lies beside it. OUT gets what each part prints, and takes SECONDS (60)
# for each; all of them where none is named:
#
# networks   networks of PyTorch, and a detector that the camera starts; also networks.json
# kernels    examples/warehouse-pipeline.system.json, with kernels that take its times
# processes  the same tasks as processes under the arbiter
#
# Look at the lines of the chains, and at "Outside of the model".
set -u
tactus=$(realpath "$1") out=$2 seconds=${3:-60}
parts=("${@:4}")
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
mkdir -p "$out"

run() {
  timeout $((seconds + 120)) "$tactus" run "$source/examples/warehouse-pipeline.system.json" --backend cuda --realtime \
    --duration "${seconds}000" "$@"
}

networks() {
  PYTHONPATH=$source/python:$source/bench/torch \
    TACTUS_LIBRARY=${TACTUS_LIBRARY:-$(dirname "$tactus")/libtactus.so} PYTHONUNBUFFERED=1 \
    timeout $((seconds + 900)) python3 "$source/bench/torch/pipeline.py" "$seconds" "$out/networks.json" 2>&1
}

kernels() { run --method gang.wc; }

processes() { run --policy gcaps.boost.suspend --tier hold; }

# Seconds of CPU time that the machine under a virtual machine kept from it: why somebody may have been late.
stolen() { awk '$1 == "cpu" { print ($9 + 0) / 100 }' /proc/stat; }

[ ${#parts[@]} -eq 0 ] && parts=(networks kernels processes)
for part in "${parts[@]}"; do
  printf '\n== %s (%s UTC, %s s of CPU time stolen until now)\n' "$part" "$(date -u +%T)" "$(stolen)"
  "$part" 2>&1 | tee "$out/$part.txt"
  echo "exit code ${PIPESTATUS[0]}; $(stolen) s stolen until now"
done
