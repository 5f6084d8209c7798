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
  python3 -c 'import json, os, sys; assert json.load(open(sys.argv[1]))["$id"] == os.path.basename(sys.argv[1])' "$file"
done
for file in share/zsh/site-functions/_tactus share/fish/vendor_completions.d/tactus.fish \
  share/man/man1/tactus.1 share/man/man1/tactus-analyze.1 share/man/man8/tactusd.8 lib/tactus/libtactus_preload.so lib/tactus/libtactus_observer.so lib/systemd/system/tactusd.service \
  include/tactus/client.h include/tactus/tactus.h include/tactus/version.h include/tactus/runtime/api.hpp share/tactus/experiments/gcaps-fig8a.json \
  share/doc/tactus/LICENSE share/doc/tactus/use/cli.md share/doc/tactus/use/python-reference.md; do
  [ -f "$file" ] || { echo "$file was not installed" >&2; exit 1; }
done

# Wherever it lies: pkg-config and the unit name this prefix.
example="$here/../../examples/library"
libraries=$(dirname "$(find "$prefix" -name libtactus_client.so)")
export PKG_CONFIG_PATH="$libraries/pkgconfig"
cc "$example/segment.c" $(pkg-config --cflags --libs tactus-client) -Wl,-rpath,"$libraries" -o by-pkg-config
TACTUS_SOCKET="$prefix/nobody" ./by-pkg-config
cc "$here/../../examples/analyze.c" $(pkg-config --cflags --libs tactus) -Wl,-rpath,"$libraries" -o analyze
./analyze share/tactus/examples/robot.system.json gcaps.suspend.prio > /dev/null
grep -q "ExecStart=$prefix/bin/tactusd" lib/systemd/system/tactusd.service

# Every installed header can be included alone; and there are few.
count=0
while read -r header; do
  case $header in
    *.h) compiler="cc -x c -std=c99" ;;
    *) compiler="c++ -x c++ -std=c++20" ;;
  esac
  echo "#include \"$header\"" | $compiler -Wall -Wextra -Werror -fsyntax-only -Iinclude - || { echo "$header cannot be included alone" >&2; exit 1; }
  count=$((count + 1))
done < <(cd include && find tactus -name '*.h' -o -name '*.hpp')
[ "$count" -gt 30 ] && [ "$count" -lt 80 ] || { echo "$count headers are installed" >&2; exit 1; }

cmake -G Ninja -S "$example" -B consumer -DCMAKE_PREFIX_PATH="$prefix" > configured.txt ||
  { cat configured.txt >&2; exit 1; }
ninja -C consumer > built.txt || { cat built.txt >&2; exit 1; }
consumer/consumer share/tactus/examples/robot.system.json
TACTUS_SOCKET="$prefix/nobody" consumer/segment
# The C libraries on a machine that has nothing of what the rooms are built with.
cmake -G Ninja -S "$example" -B without -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_DISABLE_FIND_PACKAGE_yaml-cpp=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON > configured.txt 2>&1 || { cat configured.txt >&2; exit 1; }
grep -q "without consumer" configured.txt || { echo "the rooms were found without what they need" >&2; exit 1; }
ninja -C without > built.txt || { cat built.txt >&2; exit 1; }
# A plugin against the installed headers, as docs/use/own-methods.md says.
cmake -G Ninja -S share/tactus/examples/own-methods/plugin -B plugin -DCMAKE_PREFIX_PATH="$prefix" > configured.txt ||
  { cat configured.txt >&2; exit 1; }
ninja -C plugin > built.txt || { cat built.txt >&2; exit 1; }
bin/tactus lab validate --plugin plugin/libmine.so --method mine.in-turn --count 20

# The sources as a part of another project.
cmake -G Ninja -S "$here/part" -B part -DTACTUS="$here/../.." > configured.txt || { cat configured.txt >&2; exit 1; }
ninja -C part segment > built.txt || { cat built.txt >&2; exit 1; }
TACTUS_SOCKET="$prefix/nobody" part/segment
