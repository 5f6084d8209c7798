#!/usr/bin/env bash
# Installs a build into a prefix of its own, uses what is there, and builds a program on it:
#   tests/install/run.sh BUILD
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix" > "$prefix/installed.txt"

cd "$prefix"
bin/tactus check share/tactus/examples/robot.system.json
bin/tactusd --version
bash -n share/bash-completion/completions/tactus
for file in share/tactus/{system,experiment,script,style,plan,verdict,explanation,slack,sweep,advice,observed,measurement,arbiter,validation}.schema.json; do
  python3 -m json.tool "$file" > /dev/null
done
for file in share/zsh/site-functions/_tactus share/fish/vendor_completions.d/tactus.fish \
  share/man/man1/tactus.1 share/man/man1/tactus-analyze.1 share/man/man8/tactusd.8 lib/tactus/libtactus_preload.so lib/tactus/libtactus_observer.so lib/systemd/system/tactusd.service \
  include/tactus/client.h include/tactus/runtime/api.hpp share/tactus/experiments/gcaps-fig8a.json \
  share/doc/tactus/LICENSE share/doc/tactus/use/cli.md share/doc/tactus/use/python-reference.md; do
  [ -f "$file" ] || { echo "$file was not installed" >&2; exit 1; }
done
! find include -path '*/cli/*' | grep . || { echo "the command line is no library" >&2; exit 1; }

# Wherever it lies: pkg-config and the unit name this prefix.
flags=$(PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tactus-client.pc)") pkg-config --cflags --libs tactus-client)
cc "$here/segment.c" $flags -Wl,-rpath,"$(dirname "$(find "$prefix" -name libtactus_client.so)")" -o by-pkg-config
TACTUS_SOCKET="$prefix/nobody" ./by-pkg-config
grep -q "ExecStart=$prefix/bin/tactusd" lib/systemd/system/tactusd.service
# What an installed header includes is installed, too.
missing=$(grep -rhoE '^ *# *include "[^"]+"' include | sed 's/.*"\(.*\)"/\1/' | sort -u |
  while read -r header; do [ -f "include/$header" ] || echo "$header"; done)
[ -z "$missing" ] || { echo "installed headers include $missing" >&2; exit 1; }

cmake -G Ninja -S "$here" -B consumer -DCMAKE_PREFIX_PATH="$prefix" > configured.txt ||
  { cat configured.txt >&2; exit 1; }
ninja -C consumer > built.txt || { cat built.txt >&2; exit 1; }
consumer/consumer share/tactus/examples/robot.system.json
# A plugin against the installed headers, as docs/use/own-methods.md says.
cmake -G Ninja -S share/tactus/examples/own-methods/plugin -B plugin -DCMAKE_PREFIX_PATH="$prefix" > configured.txt ||
  { cat configured.txt >&2; exit 1; }
ninja -C plugin > built.txt || { cat built.txt >&2; exit 1; }
bin/tactus lab validate --plugin plugin/libmine.so --method mine.in-turn --count 20
TACTUS_SOCKET="$prefix/nobody" consumer/segment

# The sources as a part of another project.
cmake -G Ninja -S "$here/part" -B part -DTACTUS="$here/../.." > configured.txt || { cat configured.txt >&2; exit 1; }
ninja -C part segment > built.txt || { cat built.txt >&2; exit 1; }
TACTUS_SOCKET="$prefix/nobody" part/segment
