#!/usr/bin/env python3
"""The numbers that samples_test.cpp expects, straight from a trace: tests/exchange/trace_sums.py FILE"""
import gzip
import json
import sys
from decimal import Decimal

trace = json.load(gzip.open(sys.argv[1]), parse_float=Decimal)
events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
launched = {event["args"]["correlation"]: event["ts"] for event in events
            if event["cat"] in ("cuda_runtime", "cuda_driver")}
works = [event for event in events if event["cat"] in ("kernel", "gpu_memcpy", "gpu_memset")]
jobs = sorted((event for event in events if event["cat"] == "user_annotation"),
              key=lambda event: event["ts"])
for job, after in zip(jobs, jobs[1:] + [None]):
    own = [work for work in works
           if job["ts"] <= launched[work["args"]["correlation"]] < job["ts"] + job["dur"]]
    print(job["name"], len(own), "pieces of GPU work,", sum(work["dur"] for work in own) * 1000,
          "ns; spans", job["dur"] * 1000, "ns; next start after",
          (after["ts"] - job["ts"]) * 1000 if after else "-", "ns")
