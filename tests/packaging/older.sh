#!/bin/sh
# What one version wrote, the next one reads:
#   older.sh write FOLDER      with the old version: a system, a plan, a trace, documents and a store of an experiment
#   older.sh read FOLDER       with the new one: uses each of them, and names what it does not read
set -eu
case $1 in
  write)
    mkdir "$2"
    cd "$2"
    cp /usr/share/tactus/examples/robot.system.json .
    tactus plan robot.system.json --method gang.wc -o robot.plan.json > /dev/null
    tactus simulate robot.system.json --policy gcaps.suspend --duration 2000 --trace trace.json --json > simulated.json
    tactus analyze robot.system.json --json > analysed.json || [ $? -eq 1 ]
    tactus run robot.system.json --plan robot.plan.json --duration 200 --json > run.json || [ $? -eq 1 ]
    lab=lab  # older versions have its verbs beside the others
    tactus lab --help > /dev/null 2>&1 || lab=
    tactus $lab reproduce gcaps-fig8a --sets 2 --no-figures -o store > /dev/null || [ $? -eq 1 ]
    ;;
  read)
    cd "$2"
    tactus check robot.system.json > /dev/null
    tactus plan robot.system.json --check robot.plan.json | grep -q 'every condition holds'
    tactus simulate robot.system.json --plan robot.plan.json > /dev/null
    tactus import trace.json -o imported.system.json
    tactus check imported.system.json > /dev/null
    tactus analyze robot.system.json --baseline analysed.json > /dev/null || [ $? -eq 1 ]
    tactus report robot.system.json robot.plan.json trace.json simulated.json run.json analysed.json -o page.html > /dev/null
    tactus lab results store/results.db > /dev/null
    echo "  works: system, plan, trace, documents and store of the version before"
    ;;
esac
