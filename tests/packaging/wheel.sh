#!/bin/sh
# Installs the wheel into a virtual environment of a bare Debian 12, and uses it:  wheel.sh WHEEL
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
apt-get update -qq
apt-get install -y -qq --no-install-recommends python3-venv > /tmp/apt.log 2>&1 || { cat /tmp/apt.log; exit 1; }
python3 -m venv /tmp/venv
/tmp/venv/bin/pip install --quiet --no-index "$1"
/tmp/venv/bin/python "$here/use.py"
/tmp/venv/bin/tactus analyze "$(/tmp/venv/bin/python -c 'import tactus; print(tactus.__path__[0])')/examples/robot.system.json" | head -1
