#!/usr/bin/env python3
"""A system file with only the first N of its best-effort tasks:  with_loads.py FILE N"""
import json
import re
import sys

with open(sys.argv[1]) as file:
    system = json.loads(re.sub(r"^\s*//.*$", "", file.read(), flags=re.M))
loads = [task["name"] for task in system["tasks"] if task.get("best_effort")][int(sys.argv[2]):]
system["tasks"] = [task for task in system["tasks"] if task["name"] not in loads]
json.dump(system, sys.stdout)
