#!/usr/bin/env bash
# Sessions of PyTorch in real use: seven networks beside a training loop, overload, arrivals, what is kept, and the
# times of single replays. A part that fails does not stop the rest.
#
#     bench/h200/sessions.sh OUT [--lib LIBTACTUS.SO] [--limit SECONDS] [PART...] [-- OPTION...]
#
# Parts and options are those of bench/torch/seven.py; each group of parts is a process of its own, so that a crash costs
# no more than that. OUT gets a log and a seven.json for each. About five and a half minutes.
set -u
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
out=${1:?"usage: sessions.sh OUT [--lib LIBTACTUS.SO] [--limit SECONDS] [PART...] [-- OPTION...]"}
shift
lib=${TACTUS_LIBRARY:-$source/build/libtactus.so} limit=350 parts=() options=()
while [ $# -gt 0 ]; do
  case $1 in
    --lib) lib=$2; shift 2 ;;
    --limit) limit=$2; shift 2 ;;
    --) shift; options=("$@"); break ;;
    *) parts+=("$1"); shift ;;
  esac
done
mkdir -p "$out"
end=$((SECONDS + limit))

# group NAME PARTS...: as far as they were asked for, while there is time.
group() {
  local name=$1 wanted=() part
  shift
  for part in "$@"; do
    if [ ${#parts[@]} -eq 0 ] || [[ " ${parts[*]} " == *" $part "* ]]; then wanted+=("$part"); fi
  done
  [ ${#wanted[@]} -eq 0 ] && return
  local left=$((end - SECONDS))
  if [ "$left" -lt 20 ]; then echo "no time is left for ${wanted[*]}"; return; fi
  PYTHONPATH=$source/python TACTUS_LIBRARY=$lib PYTHONUNBUFFERED=1 timeout -k 5 "$left" \
    python3 "$source/bench/torch/seven.py" "$out/$name" "${wanted[@]}" ${options[@]+"${options[@]}"} 2>&1 | tee "$out/$name.log"
  echo "$name: exit ${PIPESTATUS[0]} after $SECONDS s"
}

nvidia-smi --query-gpu=name,driver_version,clocks.sm,temperature.gpu --format=csv,noheader 2> /dev/null
group use overload arrival threads
group seven plan kept finer streams
group samples samples
