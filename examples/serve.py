#!/usr/bin/env python3
"""Asks a running `tactus serve` how the verdict changes with one number (docs/use/serve.md).

    tactus serve examples/forklift.system.json        prints an address with a token
    examples/serve.py 'http://127.0.0.1:8423/#token=...' detect 5 9 13 17
"""
import json
import sys
import urllib.request


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    address, _, token = sys.argv[1].partition("/#token=")
    node, values = sys.argv[2], sys.argv[3:]

    def ask(path, body=None):
        request = urllib.request.Request(
            address + path, None if body is None else json.dumps(body).encode(),
            {"X-Tactus-Token": token, "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    system = ask("/api/file")["text"]
    tasks = ask("/api/canonical", {"system": system})["document"]["tasks"]
    task = next((one["name"] for one in tasks
                 if any(inner["name"] == node for inner in one["nodes"])), None)
    if task is None:
        sys.exit(f"there is no node {node}")
    for value in values:
        answer = ask("/api/analyze",
                     {"system": system, "request": {"set": [f"{task}.{node}.wcet={value}"]}})
        if answer["document"] is None:
            sys.exit("; ".join(problem["message"] for problem in answer["problems"]))
        best = answer["document"]["best"]
        print(f"{node} {value}: {answer['document']['status']}"
              + (f" by {best['method']}, smallest slack {best['least_slack']:.0%}" if best else ""))


if __name__ == "__main__":
    main()
