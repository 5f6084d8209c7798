#!/bin/sh
# Compiles examples/after.c as strict C99 without a warning; then one process starts the jobs of another.
set -eu
library=$1 out=$2
here=$(cd "$(dirname "$0")/../.." && pwd)
cc -std=c99 -D_GNU_SOURCE -Wall -Wextra -pedantic -Werror -I "$here" "$here/examples/after.c" "$library" \
  -Wl,-rpath,"$(dirname "$library")" -o "$out"
TACTUS_PATHS=$(mktemp -d)
export TACTUS_PATHS
trap 'rm -rf "$TACTUS_PATHS"' EXIT
TACTUS_TASK=robot/detect TACTUS_AFTER=robot/camera "$out" > "$out.detect" &
until [ -e "$TACTUS_PATHS/robot%2Fdetect" ]; do sleep 0.01; done
TACTUS_TASK=robot/camera "$out" > "$out.camera"
wait $!
grep -q '^10 jobs; late 0, early 0, lost 0, doubled 0$' "$out.camera"
grep -q '^no more: the predecessor has ended$' "$out.detect"
grep -q 'doubled 0$' "$out.detect"
status=0
TACTUS_PATHS= TACTUS_TASK=robot/camera "$out" 2> "$out.problem" || status=$?
test "$status" = 2
grep -q 'TACTUS_PATHS is not set' "$out.problem"
