#!/usr/bin/env python3
"""A system file whose GPU is left only after a while:  with_delay.py FILE PREEMPTION_DELAY

For the tiers that take nothing off: `gate` waits for one launch, `yield` for one item."""
import json
import re
import sys

with open(sys.argv[1]) as file:
    system = json.loads(re.sub(r"^\s*//.*$", "", file.read(), flags=re.M))
for element in system["platform"]["elements"]:
    if element["kind"] == "gpu":
        element["preemption_delay"] = float(sys.argv[2])
json.dump(system, sys.stdout)
