#!/bin/sh
# Uses an installed Tactus as a user does: tests/packaging/use.sh FOLDER, where bin/tactus and
# share/tactus/examples are. Prints a line per thing that works; ends with an error at the first that does not.
set -eu
prefix=$1
tactus=$prefix/bin/tactus
examples=$prefix/share/tactus/examples
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
says() { echo "  works: $*"; }

"$tactus" --version
"$prefix/bin/tactusd" --version
"$tactus" analyze "$examples/robot.system.json" > analysed
head -2 analysed | grep -q 'every deadline is proved by'
says analyze
"$tactus" plan "$examples/robot.system.json" --method gang.wc -o robot.plan.json > /dev/null
"$tactus" plan "$examples/robot.system.json" --check robot.plan.json | grep -q 'every condition holds'
says plan, plan --check
"$tactus" simulate "$examples/robot.system.json" --policy gcaps.suspend > simulated
grep -q '^In use' simulated
says simulate
"$tactus" run "$examples/pbs-drone.system.json" --method pbs.graph --duration 200 > run
grep -q 'emulator' run
says run
"$tactus" report "$examples/robot.system.json" -o report.html > /dev/null
grep -q '</html>' report.html
says report
"$tactus" lab generate gcaps-table3 --seed 1 > generated
[ -s generated ]
says generate

# What is loaded on demand: HTTP, and CBC.
"$tactus" serve --port 0 "$examples/robot.system.json" > served 2>&1 &
server=$!
tries=0
until grep -q 'http://' served || [ $tries -ge 100 ]; do tries=$((tries + 1)); sleep 0.1; done
kill $server
grep 'http://' served > /dev/null || { cat served >&2; exit 1; }
says serve

# The arbiter, and a program under it.
"$prefix/bin/tactusd" --socket "$scratch/sock" > arbiter 2>&1 &
arbiter=$!
tries=0
until [ -S sock ] || [ $tries -ge 100 ]; do tries=$((tries + 1)); sleep 0.1; done
TACTUS_SOCKET="$scratch/sock" "$tactus" exec --priority 7 --tier process -- sh -c 'echo inside' > inside || { cat arbiter >&2; exit 1; }
kill $arbiter
grep -q '^inside$' inside
says tactusd, exec
