#!/usr/bin/env bash
# One step of the tests of web/, in the folder where the build has installed its tools.
set -euo pipefail
folder=$1 step=$2
if [ ! -x "$folder/node_modules/.bin/tsc" ]; then
  echo "skipped: the tools of web/ are not installed (no npm when this was built, or $folder/npm.log says why)"
  exit 77
fi
cd "$folder"
exec npm run --silent "$step"
