#!/bin/sh
# Compiles examples/analyze.c as strict C11 without a warning, and runs it.
set -eu
library=$1 out=$2
here=$(cd "$(dirname "$0")/../.." && pwd)
cc -std=c11 -Wall -Wextra -pedantic -Werror -I "$here" "$here/examples/analyze.c" \
  "$library" -Wl,-rpath,"$(dirname "$library")" -o "$out"
"$out" "$here/examples/robot.system.json" gcaps.suspend.prio > "$out.txt"
grep -q '"status": "schedulable"' "$out.txt"
grep -q '"gpu_priorities"' "$out.txt"
status=0
"$out" "$here/examples/broken.system.json" gcaps.suspend.prio 2> "$out.problems" || status=$?
test "$status" = 2
grep -q '"pointer": "/tasks/0/peroid"' "$out.problems"
