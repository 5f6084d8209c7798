#!/usr/bin/env bash
# From camera to wheels on a GPU: reaction and age of every value that passes through the chains, beside their
# bounds. A step that fails does not stop the rest.
#
#     bench/h200/pipeline.sh TACTUS OUT [SECONDS]
#
# TACTUS: the program, with CUDA. OUT: gets kernels.txt and kernels.json (examples/warehouse-pipeline.system.json,
# with kernels that take the file's times), processes.json (the same tasks as processes under the arbiter), and
# networks.txt and networks.json (with networks of PyTorch in their place, and a detector that the camera starts),
# each of SECONDS (60). Look at the lines of the chains, and at "Outside of the model".
set -u
tactus=$(realpath "$1") out=$2 seconds=${3:-60}
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
file=$source/examples/warehouse-pipeline.system.json
mkdir -p "$out"

step() { printf '\n== %s (%s)\n' "$*" "$(date -u +%T)"; }

step "kernels, gang.wc"
run() { timeout $((seconds + 120)) "$tactus" run "$file" --backend cuda --duration "${seconds}000" "$@"; }
run --method gang.wc --realtime | tee "$out/kernels.txt"
echo "exit code ${PIPESTATUS[0]}"
run --method gang.wc --realtime --json > "$out/kernels.json"
echo "exit code $?"

step "processes, gcaps.boost.suspend"
run --policy gcaps.boost.suspend --tier hold --realtime --json > "$out/processes.json"
echo "exit code $?"

step "networks, gang.wc"
if python3 -c 'import torch, torchvision' 2> /dev/null; then
  LD_LIBRARY_PATH=$(dirname "$tactus"):${LD_LIBRARY_PATH:-} PYTHONPATH=$source/python:$source/bench/torch \
    TACTUS_LIBRARY=${TACTUS_LIBRARY:-$(dirname "$tactus")/libtactus.so} \
    timeout $((seconds + 900)) python3 "$source/bench/torch/pipeline.py" "$seconds" "$out/networks.json" 2>&1 |
    tee "$out/networks.txt"
  echo "exit code ${PIPESTATUS[0]}"
else
  echo "no PyTorch with torchvision here"
fi
